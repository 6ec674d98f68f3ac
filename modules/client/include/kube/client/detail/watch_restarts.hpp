// SPDX-License-Identifier: Apache-2.0
//
// Not for users: what RetryWatcher<T> does without knowing T.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/base/stop.hpp>
#include <kube/client/raw_api.hpp>

namespace kube::detail {

/// One watch after the other, each from the last version.
/// @par Thread safety   next(), accept() and fail() by one thread at a time; the others by any.
class WatchRestarts {
 public:
  /// `ends`: the errors of a watch that does not begin which end all; after others it is tried
  /// again.
  WatchRestarts(RawApi api, ListOptions options,
                bool (*ends)(const Error& error) = &WatchRestarts::is_refusal);
  /// 401, 403, and what is not sent.
  static bool is_refusal(const Error& error);

  /// Returns the next event of any watch; nullopt once all has ended. An event of type Error is the
  /// last one.
  /// @par Errors   Cancelled when `stop` is requested; InvalidArgument ends all.
  /// @par Blocks   Until there is one of them.
  Optional<Result<RawWatchEvent>> next(std::stop_token stop);

  enum class Verdict { Forward, Skip, NoVersion };
  /// Takes the version of an event's object into account.
  Verdict accept(WatchEventType type, std::string_view version);

  /// Ends all; returns the last event.
  RawWatchEvent fail(const Error& error);

  void stop() { own_.request_stop(); }
  bool done() const;
  /// Why the last watch did not begin, or its Error event; nullopt after the start of a watch.
  std::optional<Error> last_error() const;

 private:
  void note(const Error& error);
  Optional<Result<RawWatchEvent>> end();
  Result<void> open(const std::stop_token& stop);
  // Returns whether the watch's Error event is the last one; sets the time of the next start.
  bool is_final(const Error& error);

  const RawApi api_;
  ListOptions options_;
  bool (*const ends_)(const Error& error);
  std::shared_ptr<Clock> clock_;
  StopGroup own_;
  std::stop_source done_;
  TimePoint next_start_;
  std::unique_ptr<StopGroup> link_{};  // of own_ to the running watch
  Optional<RawWatch> watch_{};
  std::optional<TimePoint> warned_{};

  mutable Mutex mutex_;
  std::optional<Error> last_error_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::detail
