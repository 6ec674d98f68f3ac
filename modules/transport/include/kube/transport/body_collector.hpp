// SPDX-License-Identifier: Apache-2.0
//
// kube::transport::BodyCollector: collects one response for a caller that waits for it.
// Shared between modules: not promised to users.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/clock.hpp>
#include <kube/base/mutex.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::transport {

/// The exchange and the waiting caller share one. It waits on a Clock, so that in a simulation the
/// waiting thread itself can deliver the response.
/// @par Thread safety   wait() by one thread; the other functions by the transport.
class BodyCollector final : public ResponseHandler {
 public:
  /// `doing` is the context of the error for a response of more than `max_bytes`. `finished` is
  /// called once, when is_finished() has become true; it must not block.
  BodyCollector(std::size_t max_bytes, std::string doing, std::function<void()> finished = {})
      : max_bytes_(max_bytes), doing_(std::move(doing)), tell_(std::move(finished)) {}

  void on_head(ResponseHead head) override;
  Flow on_data(std::string_view chunk) override;
  void on_end(Result<void> result) override;

  /// Whether wait() would return at once: the response is complete, or has failed.
  bool is_finished() const KUBE_EXCLUDES(mutex_);

  /// Returns the response, once; nullopt when `stop` is requested before it is complete. The caller
  /// cancels the exchange after an error: it is still open when the response is too long.
  /// @par Errors   Decode: it has more than `max_bytes`. Those of may_wait() and of the transport.
  /// @par Blocks   Until the response is complete or `stop` is requested.
  std::optional<Result<HttpResponse>> wait(Clock& clock, std::stop_token stop);

 private:
  void finish(Result<void> result);

  const std::size_t max_bytes_;
  const std::string doing_;
  const std::function<void()> tell_;

  // Used only by the transport until result_ is set, then only by the waiting caller.
  HttpResponse response_;
  bool too_long_ = false;

  mutable Mutex mutex_;
  CondVar finished_;
  std::optional<Result<void>> result_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::transport
