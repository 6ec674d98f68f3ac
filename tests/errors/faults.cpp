// SPDX-License-Identifier: Apache-2.0
#include "faults.hpp"

#include <utility>

#include <kube/api/core/v1/pod.hpp>

namespace errors {
namespace {

using kube::Error;
using kube::Result;
using kube::core::v1::Pod;

// The user's call on a client of this configuration.
template <class Call>
Error error_with(const kube::rest::Config& config, const Call& call) {
  const auto client = kube::Client::create(config);
  if (!client) return client.error();
  return call(client->api<Pod>("web"));
}

}  // namespace

// A read that is repeated would take ten seconds; what the caller is told is the same.
Error get(const kube::rest::Config& config) {
  return error_with(config, [](const kube::Api<Pod>& pods) {
    kube::Request request{.verb = "get",
                          .path = "/api/v1/namespaces/web/pods/front-0",
                          .subject = R"(pods "front-0" in namespace "web")",
                          .retry = kube::rest::RetryPolicy{.max_retries = 0},
                          .resource = {"", "pods"},
                          .name = "front-0"};
    const auto sent = pods.raw().rest().send(request, {});
    return sent ? error_of(pods.get("front-0")) : sent.error();
  });
}

Error create(const kube::rest::Config& config) {
  return error_with(config, [](const kube::Api<Pod>& pods) {
    Pod pod;
    pod.metadata.name = "front-0";
    return error_of(pods.create(pod));
  });
}

Error watch(const kube::rest::Config& config) {
  return error_with(config, [](const kube::Api<Pod>& pods) {
    auto stream = pods.watch({.resource_version = "7"});
    if (!stream) return stream.error();
    while (auto event = stream->next()) {
      if (!*event) return event->error();
      if ((*event)->error) return *(*event)->error;
    }
    return error_of(stream->end_reason());
  });
}

kube::transport::LoopbackServer::Script answers(std::string bytes) {
  return [bytes = std::move(bytes)](kube::transport::Peer& peer) {
    peer.read_request();
    peer.write(bytes);
    peer.drain();
  };
}

std::string answer(const std::string& status_and_headers, const std::string& body) {
  return "HTTP/1.1 " + status_and_headers + "\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

kube::rest::Config config_for(const kube::transport::LoopbackServer& server) {
  return {.host = server.url("")};
}

}  // namespace errors
