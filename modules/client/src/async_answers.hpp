// SPDX-License-Identifier: Apache-2.0
//
// The responses that a call of an Api<T> has got so far, from which its function runs.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <kube/client/rest_client.hpp>
#include <kube/transport/body_collector.hpp>
#include <kube/transport/no_waiting.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::detail {

/// The n-th request of each run gets the n-th response. Copies of the Api that the function gets
/// hold it, and may outlive the call.
/// @par Thread safety   answer_to() may be called from any thread, the others by one at a time.
class AsyncAnswers {
 public:
  AsyncAnswers(std::shared_ptr<Clock> clock, std::stop_token stop)
      : clock_(std::move(clock)), stop_(std::move(stop)) {}

  /// While one exists, its thread runs the function, and may not wait.
  /// @par Thread safety   Destroyed by the thread that made it.
  class Run {
   public:
    explicit Run(AsyncAnswers& answers);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

   private:
    AsyncAnswers& answers_;
    const transport::NoWaiting sends_nothing_else_;
  };

  /// Returns the response to the next request of this run.
  /// @par Errors   That of the request. Cancelled without a response: missing() has the request.
  ///   Timeout and Cancelled, as RestClient::send(), for a request that comes too late.
  ///   InvalidArgument outside of a run, and for another request than the last run's.
  Result<transport::HttpResponse> answer_to(const Request& request);

  /// Returns the request that the last run could not go on without.
  const std::optional<Request>& missing() const { return missing_; }
  /// Returns why the last run counts for nothing.
  const std::optional<Error>& refused() const { return refused_; }
  /// Adds the response to missing(), which is there.
  void add(transport::BodyCollector& collected);
  /// Forgets all responses.
  void clear() { answers_.clear(); }

 private:
  struct Answer {
    Request request;
    Result<transport::HttpResponse> response;
  };

  const std::shared_ptr<Clock> clock_;
  const std::stop_token stop_;
  std::atomic<std::thread::id> runner_{};
  std::vector<Answer> answers_;
  std::size_t next_ = 0;
  std::optional<Request> missing_;
  std::optional<Error> refused_;
};

}  // namespace kube::detail
