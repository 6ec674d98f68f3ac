// SPDX-License-Identifier: Apache-2.0
#include "forwarder.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/mutex.hpp>
#include <kube/config/transport_for.hpp>
#include <kube/meta/status.hpp>

#include "reading/responses.hpp"
#include "reading/route.hpp"

namespace kube::cacheserver {

using serving::HttpRequest;
using serving::HttpResponse;
using serving::WakerPtr;

namespace {

// As long as API servers take themselves.
constexpr auto kPatience = std::chrono::seconds(65);
constexpr std::size_t kMaxResponse = std::size_t{64} << 20U;

/// Fields of the cluster's response, each as often as it has them.
constexpr std::array<std::string_view, 4> kPassedBack = {"Content-Encoding", "Location",
                                                         "Retry-After", "Warning"};

/// One request on its way: collects the cluster's response, and wakes the caller's connection.
class Forwarded final : public transport::ResponseHandler, public serving::RevisionSource {
 public:
  void on_head(transport::ResponseHead head) override {
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
  transport::Flow on_data(std::string_view chunk) override {
    const MutexLock lock(mutex_);
    if (response_.body.size() + chunk.size() > kMaxResponse) {
      failed_ = Error(ErrorCode::Decode, "the cluster's response is larger than 64 MiB");
    } else {
      response_.body.text += chunk;
    }
    return transport::Flow::Continue;
  }
  void on_end(Result<void> result) override {
    WakerPtr waker;
    {
      const MutexLock lock(mutex_);
      done_ = true;
      if (!result) failed_ = result.error();
      waker = std::move(waker_);
    }
    if (waker) waker->wake();
  }

  void when_reached(std::uint64_t, const WakerPtr& waker) override {
    {
      const MutexLock lock(mutex_);
      if (!done_) {
        waker_ = waker;
        return;
      }
    }
    waker->wake();
  }
  void forget(const WakerPtr&) override {
    const MutexLock lock(mutex_);
    waker_.reset();
  }

  HttpResponse take(std::string_view accept) {
    const MutexLock lock(mutex_);
    if (done_ && !failed_) return std::move(response_);
    const std::string why = failed_ ? failed_->message() : "it has not responded in time";
    return serving::error_response(
        meta::service_unavailable_error("the request was passed on to the cluster, which may have "
                                        "carried it out: " +
                                        why),
        accept);
  }

 private:
  Mutex mutex_;
  HttpResponse response_ KUBE_GUARDED_BY(mutex_);
  std::optional<Error> failed_ KUBE_GUARDED_BY(mutex_);
  bool done_ KUBE_GUARDED_BY(mutex_) = false;
  WakerPtr waker_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace

Result<std::unique_ptr<Forwarder>> Forwarder::make(const rest::Config& cluster,
                                                   const Runtime& runtime) {
  const rest::Config config = rest::anonymous(cluster);
  auto url = rest::base_url(config);
  if (!url) return url.error();
  Runtime with_executor = runtime;
  if (!with_executor.executor) {
    with_executor.executor = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 1});
  }
  auto made = rest::transport_for(config, with_executor);
  if (!made) return made.error();
  while (url->ends_with('/')) url->pop_back();
  return std::unique_ptr<Forwarder>(new Forwarder(*std::move(url), *std::move(made)));
}

HttpResponse Forwarder::forward(const HttpRequest& request, const std::string& authorization) {
  if (request.awaited) {
    return std::static_pointer_cast<Forwarded>(request.awaited)->take(request.accept);
  }
  const auto target = serving::split_target(request.target);
  if (!target) return serving::error_response(target.error(), request.accept);
  transport::HttpRequest out;
  out.method = request.method;
  out.url = base_url_;
  // A target has no fragment: the cluster gets all of the path that was read here.
  for (const char c : target->path) {
    if (c == '#') {
      out.url += "%23";
    } else {
      out.url += c;
    }
  }
  out.body = request.body;
  out.timeout = kPatience;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) out.headers.add(name, value);
  };
  add("Accept", request.accept);
  add("Authorization", authorization);
  add("Content-Type", request.content_type);
  add("User-Agent", request.user_agent);
  // Without them a write would have all rights of a caller that wanted those of another user.
  for (const auto& [name, value] : request.impersonation) out.headers.add(name, value);
  const auto forwarded = std::make_shared<Forwarded>();
  transport_->start(std::move(out), forwarded, {});
  HttpResponse later;
  later.await_revision = serving::AwaitedRevision{forwarded.get(), 0, forwarded,
                                                  kPatience + std::chrono::seconds(1), true};
  return later;
}

}  // namespace kube::cacheserver
