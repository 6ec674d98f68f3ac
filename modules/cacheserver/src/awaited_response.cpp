// SPDX-License-Identifier: Apache-2.0
#include "awaited_response.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <kube/base/ascii.hpp>

namespace kube::cacheserver {
namespace {

constexpr std::size_t kMaxResponse = std::size_t{64} << 20U;

/// Fields of the cluster's response, each as often as it has them.
constexpr std::array<std::string_view, 4> kPassedBack = {"Content-Encoding", "Location",
                                                         "Retry-After", "Warning"};

}  // namespace

void AwaitedResponse::on_head(transport::ResponseHead head) {
  const MutexLock lock(mutex_);
  response_.status = head.status;
  // A log has text of others, which must not be taken for a page.
  response_.headers.emplace_back("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : head.headers) {
    const auto is = [&name = name](std::string_view known) {
      return ascii::equal_ignoring_case(name, known);
    };
    if (is("Content-Type")) {
      response_.content_type = value;
    } else if (std::ranges::any_of(kPassedBack, is)) {
      response_.headers.emplace_back(name, value);
    }
  }
}

transport::Flow AwaitedResponse::on_data(std::string_view chunk) {
  const MutexLock lock(mutex_);
  if (response_.body.size() + chunk.size() > kMaxResponse) {
    failed_ = Error(ErrorCode::Decode, "the cluster's response is larger than 64 MiB");
  } else {
    response_.body.text += chunk;
  }
  return transport::Flow::Continue;
}

void AwaitedResponse::on_end(Result<void> result) {
  serving::WakerPtr waker;
  {
    const MutexLock lock(mutex_);
    done_ = true;
    if (!result) failed_ = result.error();
    waker = std::move(waker_);
  }
  if (waker) waker->wake();
}

void AwaitedResponse::when_reached(std::uint64_t, const serving::WakerPtr& waker) {
  {
    const MutexLock lock(mutex_);
    if (!done_) {
      waker_ = waker;
      return;
    }
  }
  waker->wake();
}

void AwaitedResponse::forget(const serving::WakerPtr&) {
  const MutexLock lock(mutex_);
  waker_.reset();
}

Result<serving::HttpResponse> AwaitedResponse::take() {
  const MutexLock lock(mutex_);
  if (failed_) return *failed_;
  if (!done_) return Error(ErrorCode::Timeout, "it has not responded in time");
  return std::move(response_);
}

}  // namespace kube::cacheserver
