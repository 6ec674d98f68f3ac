// SPDX-License-Identifier: Apache-2.0
//
// What RestClient does with the answer of each attempt, between the transport and the receiver.
#pragma once

#include <atomic>
#include <memory>
#include <stop_token>
#include <string>

#include <kube/base/executor.hpp>
#include <kube/base/log.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/stop.hpp>
#include <kube/client/warnings.hpp>
#include <kube/meta/group_version.hpp>
#include <kube/transport/round_tripper.hpp>

#include "request_metrics.hpp"

namespace kube {

/// One attempt of a request, as far as its answer is concerned. Holds no client: an exchange must
/// not keep the connections alive that it runs on.
struct Attempt {
  std::string method{};
  std::string url{};    ///< Without secrets.
  std::string doing{};  ///< "list pods in namespace \"x\"", the context of errors.
  meta::GroupResource resource{};
  std::string name{};
  bool is_retry = false;
  bool is_request = false;  ///< The attempt is all there is of the request, and has an end.
  std::shared_ptr<rest::WarningHandler> warnings{};
  std::shared_ptr<RequestMetrics> metrics{};
  std::shared_ptr<Logger> logger{};
  std::shared_ptr<Clock> clock{};
  std::weak_ptr<Executor> executor{};  ///< Where the time of a refusal is watched.
};

/// Passes good answers on as they are; turns the others into one on_end() with their Error. Counts,
/// logs, and hands warnings out.
///
/// The body of a refusal is read for 10 s and up to 1 MiB; then the exchange is ended, and what has
/// come says why: a server must not hold a client by an error without an end.
class AttemptHandler final : public transport::ResponseHandler,
                             public std::enable_shared_from_this<AttemptHandler> {
 public:
  AttemptHandler(Attempt attempt, std::shared_ptr<transport::ResponseHandler> receiver,
                 const std::stop_token& stop);

  /// The token for the exchange: the caller's, or that of a refusal that is long enough.
  std::stop_token stop_token() const { return stop_.token(); }

  void on_head(transport::ResponseHead head) override;
  transport::Flow on_data(std::string_view chunk) override;
  void on_end(Result<void> result) override;

 private:
  void hand_out_warnings(const transport::Headers& headers) const;
  Error refusal() const;
  Error failure(const Error& error) const;
  void enough();

  const Attempt attempt_;
  const std::shared_ptr<transport::ResponseHandler> receiver_;
  const TimePoint started_;
  int status_ = 0;  ///< 0: no answer yet.
  bool refused_ = false;
  transport::Headers headers_;  ///< Of a refusal.
  std::string body_;            ///< Of a refusal, cut at the limit.

  StopGroup stop_;
  std::atomic<bool> enough_{false};  ///< We have ended the exchange of a refusal.
  Mutex mutex_;
  Timer patience_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube
