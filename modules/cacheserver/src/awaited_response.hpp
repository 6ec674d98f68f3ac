// SPDX-License-Identifier: Apache-2.0
//
// The cluster's response to a request that a connection of this server waits for.
#pragma once

#include <cstdint>
#include <optional>

#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>
#include <kube/transport/round_tripper.hpp>

#include "http/http_message.hpp"

namespace kube::cacheserver {

/// Collects a response, and wakes the connection when it has ended.
///
/// @par Thread safety   All functions may be called from any thread.
class AwaitedResponse final : public transport::ResponseHandler, public serving::RevisionSource {
 public:
  void on_head(transport::ResponseHead head) override;
  transport::Flow on_data(std::string_view chunk) override;
  void on_end(Result<void> result) override;

  void when_reached(std::uint64_t revision, const serving::WakerPtr& waker) override;
  void forget(const serving::WakerPtr& waker) override;

  /// Returns the response, once: its status, its body, and the header fields that a caller may see.
  /// @par Errors   That of the exchange; Decode for more than 64 MiB; Timeout while it has not
  ///   ended.
  Result<serving::HttpResponse> take();

 private:
  Mutex mutex_;
  serving::HttpResponse response_ KUBE_GUARDED_BY(mutex_);
  std::optional<Error> failed_ KUBE_GUARDED_BY(mutex_);
  bool done_ KUBE_GUARDED_BY(mutex_) = false;
  serving::WakerPtr waker_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::cacheserver
