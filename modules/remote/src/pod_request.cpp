// SPDX-License-Identifier: Apache-2.0
#include "pod_request.hpp"

#include <chrono>
#include <string>
#include <utility>

#include <kube/api/core/v1/pod.hpp>

namespace kube {
namespace {

constexpr std::chrono::seconds kOpenTimeout{30};

}  // namespace

Result<Request> pod_request(std::string_view namespace_, std::string_view pod,
                            std::string_view subresource, QueryParameters query) {
  const ResourcePath path{.resource = meta::resource_of<core::v1::Pod>(),
                          .namespace_ = std::string(namespace_),
                          .name = std::string(pod),
                          .subresource = std::string(subresource)};
  Request request;
  request.verb = subresource;
  request.subject = path.to_string();
  if (pod.empty()) {
    return Error(ErrorCode::InvalidArgument, "pod name may not be empty")
        .with_context(request.verb + " " + request.subject);
  }
  Result<std::string> text = path.to_path();
  if (!text) return text.error().with_context(request.verb + " " + request.subject);
  request.path = *std::move(text);
  request.query = std::move(query);
  request.accept.clear();
  request.upgrade = "websocket";
  request.head_timeout = kOpenTimeout;
  request.idle_timeout = std::chrono::milliseconds(0);
  request.timeout = std::chrono::milliseconds(0);
  request.resource = path.resource.group_resource();
  request.name = pod;
  return request;
}

}  // namespace kube
