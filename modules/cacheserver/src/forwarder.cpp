// SPDX-License-Identifier: Apache-2.0
#include "forwarder.hpp"

#include <utility>

#include <kube/config/transport_for.hpp>
#include <kube/meta/status.hpp>

#include "awaited_response.hpp"
#include "reading/responses.hpp"
#include "reading/route.hpp"

namespace kube::cacheserver {

using serving::HttpRequest;
using serving::HttpResponse;

namespace {

// As long as API servers take themselves.
constexpr auto kPatience = std::chrono::seconds(65);

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

Result<HttpResponse> Forwarder::forward(const HttpRequest& request,
                                        const std::string& authorization) {
  if (request.awaited) {
    auto response = std::static_pointer_cast<AwaitedResponse>(request.awaited)->take();
    if (response) return response;
    return meta::service_unavailable_error(
        "the request was passed on to the cluster, which may have carried it out: " +
        response.error().message());
  }
  const auto target = serving::split_target(request.target);
  if (!target) return target.error();
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
  const auto forwarded = std::make_shared<AwaitedResponse>();
  transport_->start(std::move(out), forwarded, {});
  HttpResponse later;
  later.await_revision = serving::AwaitedRevision{forwarded.get(), 0, forwarded,
                                                  kPatience + std::chrono::seconds(1), true};
  return later;
}

}  // namespace kube::cacheserver
