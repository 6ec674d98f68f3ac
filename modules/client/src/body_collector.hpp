// SPDX-License-Identifier: Apache-2.0
//
// Collects one response for a caller that waits for it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <kube/base/clock.hpp>
#include <kube/client/rest_client.hpp>

namespace kube {

/// The exchange and the waiting caller share one. It waits on a Clock, so that in a simulation the
/// waiting thread itself can deliver the response.
/// @par Thread safety   wait() by one thread; the other functions by the transport.
class BodyCollector final : public transport::ResponseHandler {
 public:
  /// `doing` is the context of the error for a response above the limit.
  BodyCollector(std::size_t limit_bytes, std::string doing)
      : limit_bytes_(limit_bytes), doing_(std::move(doing)) {}

  void on_head(transport::ResponseHead head) override;
  transport::Flow on_data(std::string_view chunk) override;
  void on_end(Result<void> result) override;

  /// Returns the response, once; nullopt when `stop` is requested before it is complete.
  /// @par Errors   Decode: it is longer than the limit. Those of the transport.
  /// @par Blocks   Until the response is complete or `stop` is requested.
  std::optional<Result<transport::HttpResponse>> wait(Clock& clock, std::stop_token stop);

 private:
  void finish(Result<void> result);

  const std::size_t limit_bytes_;
  const std::string doing_;

  // Used only by the transport until result_ is set, then only by the waiting caller.
  transport::HttpResponse response_;
  bool too_long_ = false;

  Mutex mutex_;
  CondVar finished_;
  std::optional<Result<void>> result_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube
