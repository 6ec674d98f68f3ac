// SPDX-License-Identifier: Apache-2.0
//
// Handles the response of one attempt of a request, between the transport and the receiver.
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
#include <kube/names/group_version.hpp>
#include <kube/transport/round_tripper.hpp>

#include "request_metrics.hpp"

namespace kube {

class NotServed;

/// What AttemptHandler needs to know about an attempt. It holds no client: an exchange must not
/// keep alive the connections that it runs on.
struct Attempt {
  std::string method{};
  std::string url{};    ///< Without secrets.
  std::string doing{};  ///< "list pods in namespace \"x\"", the context of errors.
  meta::GroupResource resource{};
  std::string name{};
  std::shared_ptr<NotServed> not_served{};  ///< Hears of 404s for the path; may be null.
  std::string path{};
  bool is_retry = false;
  int greatest_success = 206;  ///< The greatest code that is no refusal.
  bool is_request = false;     ///< The attempt is the whole request, and will end.
  bool may_write = false;      ///< The server may change something for it, as for an upgrade.
  std::shared_ptr<rest::WarningHandler> warnings{};
  std::shared_ptr<RequestMetrics> metrics{};
  std::shared_ptr<Logger> logger{};
  std::shared_ptr<Clock> clock{};
  std::weak_ptr<Executor> executor{};  ///< Runs the timeout of a refusal.
};

/// Passes successful responses on unchanged; turns the others into one on_end() with their Error.
/// Counts, logs, and reports warnings.
///
/// It reads the body of a refusal for at most 10 s and 1 MiB, and then ends the exchange, so that
/// an endless error can't block a client. The error is made from the part that arrived.
///
/// The receiver is inside of a transport::NoWaiting, whatever thread the transport calls from.
///
/// @par Thread safety   The transport calls it from one thread at a time.
class AttemptHandler final : public transport::ResponseHandler,
                             public std::enable_shared_from_this<AttemptHandler> {
 public:
  AttemptHandler(Attempt attempt, std::shared_ptr<transport::ResponseHandler> receiver,
                 const std::stop_token& stop);

  /// The token of the exchange: requested when the caller stops, or a refusal reaches a limit.
  std::stop_token stop_token() const { return stop_.token(); }

  /// Returns the priority and fairness flow schema that a refusal names. Call it after on_end().
  std::string flow_schema() const;

  void on_head(transport::ResponseHead head) override;
  transport::Flow on_data(std::string_view chunk) override;
  void on_end(Result<void> result) override;
  void on_written() override;

 private:
  void hand_out_warnings(const transport::Headers& headers) const;
  Error refusal() const;
  Error failure(const Error& error) const;
  void enough();

  const Attempt attempt_;
  const std::shared_ptr<transport::ResponseHandler> receiver_;
  const TimePoint started_;
  int status_ = 0;  ///< 0: no response yet.
  bool refused_ = false;
  transport::Headers headers_;  ///< The headers of a refusal.
  std::string body_;            ///< The body of a refusal, at most kRefusalLimit.

  StopGroup stop_;
  std::atomic<bool> enough_{false};  ///< The exchange of a refusal was ended here.
  Mutex mutex_;
  Timer patience_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube
