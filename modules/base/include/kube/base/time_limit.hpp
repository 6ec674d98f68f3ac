// SPDX-License-Identifier: Apache-2.0
//
// kube::TimeLimit: a stop token that also stops when a time is over, for several calls that share
// one deadline.
//
//   const TimeLimit limit(*client.runtime().executor, 5s, stop);
//   auto pod = pods.get("web-0", {}, limit.token());
//   if (pod) pod = pods.update(*pod, {}, limit.token());
//   if (!pod && limit.is_over()) std::cout << "not done after five seconds\n";
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>

#include <kube/base/clock.hpp>
#include <kube/base/executor.hpp>
#include <kube/base/stop.hpp>

namespace kube {

/// A deadline by an executor's clock. What its token stopped fails with Cancelled, as by any stop
/// token; is_over() says why.
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Blocks   Nothing does. The executor requests the stop: one whose threads are all blocked
///   does it late, and one that was stopped never does.
class TimeLimit {
 public:
  /// Starts the time. Duration::max() is no limit; one that is not positive is over soon.
  TimeLimit(Executor& executor, Duration limit, std::stop_token stop);
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  /// Stops with `stop`, and when the time is over.
  std::stop_token token() const { return ended_.token(); }
  /// Whether the time was over before `stop` was requested.
  bool is_over() const { return first_->load() == First::Time; }

 private:
  enum class First { None, Time, Stop };
  // The timer may outlive this for a moment: it holds these.
  const std::shared_ptr<std::stop_source> late_ = std::make_shared<std::stop_source>();
  const std::shared_ptr<std::atomic<First>> first_ =
      std::make_shared<std::atomic<First>>(First::None);
  StopGroup ended_;
  std::stop_callback<std::function<void()>> on_stop_;
  Timer timer_;
};

}  // namespace kube
