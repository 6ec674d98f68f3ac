// SPDX-License-Identifier: Apache-2.0
//
// Gathers one answer for a caller who waits for it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <kube/base/clock.hpp>
#include <kube/client/rest_client.hpp>

namespace kube {

/// The exchange and the waiting caller share one. It waits on a Clock, so that in a simulation the
/// answer can be brought by the very thread that waits.
class BodyCollector final : public transport::ResponseHandler {
 public:
  /// `doing` is the context of the error when there is too much.
  BodyCollector(std::size_t limit, std::string doing) : limit_(limit), doing_(std::move(doing)) {}

  void on_head(transport::ResponseHead head) override;
  transport::Flow on_data(std::string_view chunk) override;
  void on_end(Result<void> result) override;

  /// The answer, once. Decode when it is longer than the limit; nothing when `stop` came first.
  /// @par Blocks   Until one of the two.
  std::optional<Result<transport::HttpResponse>> wait(Clock& clock, std::stop_token stop);

 private:
  void finish(Result<void> result);

  const std::size_t limit_;
  const std::string doing_;

  // Only the transport until result_ is set, then only the waiting caller.
  transport::HttpResponse response_;
  bool too_long_ = false;

  Mutex mutex_;
  CondVar finished_;
  std::optional<Result<void>> result_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube
