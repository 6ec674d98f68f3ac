// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::ReflectorOwner: what an informer and a Reflector<T> have in common. It has a
// reflector, starts it once, stops it, and reports what happens to it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "callback_gate.hpp"
#include "failure_lines.hpp"
#include "memory_return.hpp"
#include "reflector.hpp"
#include "reflector_bounds.hpp"

#include <kube/base/executor.hpp>
#include <kube/base/metrics.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/start_reminder.hpp>
#include <kube/base/token_bucket.hpp>
#include <kube/cache/detail/informer_core.hpp>
#include <kube/cache/informer_options.hpp>
#include <kube/cache/informer_status.hpp>

namespace kube::cache {

using ErrorHandler = std::function<void(const Error&)>;
using ConditionHandler = std::function<void(InformerCondition, const Optional<Error>&)>;

/// @par Thread safety   Functions without a word on it may be called from any thread.
struct ReflectorOwner : ReflectorTarget, std::enable_shared_from_this<ReflectorOwner> {
  /// `subject` is what the log and errors name: its component is "informer" or "reflector".
  ReflectorOwner(Runtime runtime, std::shared_ptr<ListerWatcher> source, const InformerType& type,
                 const meta::ResourceInfo& resource, const ReflectorOptions& options,
                 StartReminder::Subject subject);

  // ---- ReflectorTarget, on the strand
  void freed(std::size_t bytes) override { memory_return.freed(bytes); }
  void watch_error(const Error& error) override;
  void condition_changed(InformerCondition condition, const Optional<Error>& error) override;
  void incomplete(const Error& error) override { call_watch_error_handler(error); }
  void refused(const Error& error, const Delta&) override { refused(error); }

  // ---- what each does in its own way
  /// Returns its name in the log.
  virtual std::string called() const = 0;
  /// Returns the log line of refused().
  virtual std::string_view refused_line() const { return "object dropped"; }
  /// Called for every use that expects it to be started.
  virtual void used() { start_reminder->used(); }
  /// Called by start(), which fails with its errors.
  virtual Result<void> check_options() const { return usable; }
  /// Called on the strand, before the reflector starts.
  virtual void starting() {}
  /// Returns what the reflector begins with in place of a list. On the strand.
  virtual std::optional<SavedState> saved_state() { return std::nullopt; }
  /// Called by the first stop(), when user code is called no more.
  virtual void stopping() {}
  /// Called on the strand, after the reflector has stopped.
  virtual void stopped_on_strand() {}

  /// @par Errors   InvalidArgument: started or stopped before. Those of check_options().
  Result<void> start();
  void stop();
  bool is_stopped() const;
  bool wait_for_sync(std::stop_token stop);
  /// Returns what both know.
  InformerStatus status() const;
  /// The time since the server was last heard of, or since the start; empty before the start.
  std::optional<Duration> since_proof_of_life() const;
  /// Sets what the strand reads after the start. `what`: "a transform".
  /// @par Errors   InvalidArgument: started.
  template <class F>
  Result<void> set(const char* what, F& function, F value) {
    const MutexLock lock(mutex);
    if (started) {
      return Error(ErrorCode::InvalidArgument, std::string(what) + " can't be set after start()");
    }
    function.swap(value);  // the old one is destroyed with the parameter, after the lock
    return {};
  }
  /// Counts and logs an error of user code, or of an object without a key.
  void refused(const Error& error);
  void count_error();
  /// Calls a handler of the user, if there is one, unless stopped. On the strand.
  template <class F, class... Args>
  void call_handler(const char* what, const F& handler, const Args&... args) {
    if (!handler) return;
    const auto inside = calls->enter();
    if (!inside) return;
    const Result<void> done = call_user_code(what, [&] { handler(args...); });
    if (!done) refused(done.error());
  }
  void call_watch_error_handler(const Error& error) {
    call_handler("the watch error handler", watch_error_handler, error);
  }

  // ---- fixed
  const Runtime runtime;
  const StartReminder::Subject subject;
  const Result<DropFields> drop_fields;
  Result<void> usable;  ///< An error: it does not start. Written by constructors alone.
  const std::shared_ptr<CallbackGate> calls = std::make_shared<CallbackGate>();
  Strand strand;
  const std::shared_ptr<ListerWatcher> source;
  std::stop_source stop_source;
  const std::shared_ptr<StartReminder> start_reminder;
  metrics::Counter errors_metric;  ///< Set by the constructor of an informer.

  // ---- set before start(), read on the strand after it
  ErrorHandler watch_error_handler;
  ConditionHandler condition_handler;

  // ---- used on the strand; the reflector guards what it shares with other threads
  MemoryReturn memory_return;
  FailureLines failure_lines{runtime.clock()};
  Reflector reflector;

  // ---- used by any thread
  std::atomic<bool> synced{false};
  std::atomic<std::uint64_t> processing_errors{0};
  TokenBucket refusal_lines{kRefusalsPerSecond, kRefusalsAtOnce, runtime.clock()};
  std::atomic<TimePoint> started_at{TimePoint::min()};
  mutable Mutex mutex;
  mutable CondVar state_changed;
  bool started KUBE_GUARDED_BY(mutex) = false;
  bool stopped KUBE_GUARDED_BY(mutex) = false;
};

}  // namespace kube::cache
