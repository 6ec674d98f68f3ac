// SPDX-License-Identifier: Apache-2.0
//
// Credentials that a plugin or a provider has handed out, and where they come from: a source that
// refreshes them once for all requests that need them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <kube/base/clock.hpp>
#include <kube/base/log.hpp>
#include <kube/base/metrics.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/base/secret_text.hpp>
#include <kube/base/worker_thread.hpp>

namespace kube::rest {

struct Credentials {
  SecretText token{};
  std::string certificate{};  ///< PEM; with the key.
  SecretText key{};
  std::optional<WallTime> expires{};
  std::optional<WallTime> certificate_expires{};
  /// Counts the results of the source, from 1.
  std::uint64_t generation = 0;
};

/// What a refresh uses of the runtime of the request that needs it. Not the executor: its last
/// owner must not be a thread of this library.
struct RefreshContext {
  explicit RefreshContext(const Runtime& runtime)
      : clock(runtime.clock()), logger(runtime.logger), metrics(runtime.metrics) {}
  std::shared_ptr<Clock> clock;
  std::shared_ptr<Logger> logger;
  std::shared_ptr<metrics::Provider> metrics;
};

/// @par Thread safety   All functions may be called from any thread.
/// @par Cost   A thread while a refresh runs, at most one for a source.
class CredentialSource : public std::enable_shared_from_this<CredentialSource> {
 public:
  using Shared = std::shared_ptr<const Credentials>;
  /// Makes credentials; may block until `stop` is requested.
  using Fetch =
      std::function<Result<Credentials>(const RefreshContext& context, std::stop_token stop)>;
  /// Called once, on the thread of the refresh; must not block.
  using Ready = std::function<void(const Result<Shared>& result)>;
  using Ticket = std::uint64_t;

  /// @param name   What makes the credentials, for errors: "exec: aws".
  CredentialSource(std::string name, Fetch fetch)
      : name_(std::move(name)), fetch_(std::move(fetch)) {}
  CredentialSource(const CredentialSource&) = delete;
  CredentialSource& operator=(const CredentialSource&) = delete;
  ~CredentialSource() = default;

  const std::string& name() const { return name_; }
  /// Returns the credentials; null when they must be refreshed first.
  Shared current(WallTime now) const KUBE_EXCLUDES(mutex_);
  /// Refreshes the credentials, unless that is under way or a refresh has ended since the caller
  /// looked, and calls `ready` with the result. Credentials up to the generation `unusable` are
  /// refreshed though they are valid; 0 when the caller has seen none.
  Ticket refresh(std::uint64_t unusable, RefreshContext context, Ready ready) KUBE_EXCLUDES(mutex_);
  /// Withdraws a refresh(). Returns false when `ready` is being called or was called. A refresh
  /// that no request waits for is stopped.
  bool withdraw(Ticket ticket) KUBE_EXCLUDES(mutex_);
  /// Reports that the server refused these credentials. They are refreshed now, for the next
  /// request, unless newer ones are there.
  void refused(std::uint64_t generation, RefreshContext context) KUBE_EXCLUDES(mutex_);

  /// Stops a refresh and waits for its thread: for the end of the program.
  /// @par Blocks   Until then.
  void stop_and_wait() KUBE_EXCLUDES(mutex_, thread_mutex_);

 private:
  using Waiters = std::map<Ticket, Ready>;

  Shared valid(WallTime now) const KUBE_REQUIRES(mutex_);
  bool begin() KUBE_REQUIRES(mutex_);
  void launch(RefreshContext context) KUBE_EXCLUDES(mutex_, thread_mutex_);
  void run(RefreshContext context) KUBE_EXCLUDES(mutex_);
  bool finish_if_refreshed(WallTime now) KUBE_EXCLUDES(mutex_);

  const std::string name_;
  const Fetch fetch_;

  mutable Mutex mutex_;
  Shared credentials_ KUBE_GUARDED_BY(mutex_);
  std::uint64_t generation_ KUBE_GUARDED_BY(mutex_) = 0;
  std::uint64_t unusable_ KUBE_GUARDED_BY(mutex_) = 0;  // The latest generation that is.
  bool stale_ KUBE_GUARDED_BY(mutex_) = false;          // Refused by the server.
  bool running_ KUBE_GUARDED_BY(mutex_) = false;
  bool ended_ KUBE_GUARDED_BY(mutex_) = false;
  std::stop_source stop_ KUBE_GUARDED_BY(mutex_);  // Of the running refresh.
  Ticket last_ticket_ KUBE_GUARDED_BY(mutex_) = 0;
  Waiters waiters_ KUBE_GUARDED_BY(mutex_);

  Mutex thread_mutex_;
  WorkerThread thread_ KUBE_GUARDED_BY(thread_mutex_);
};

}  // namespace kube::rest
