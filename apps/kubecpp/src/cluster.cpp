// SPDX-License-Identifier: Apache-2.0
#include "cluster.hpp"

#include <cstdio>
#include <optional>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/meta/errors.hpp>
#include <kube/names/validation.hpp>

#include "error_output.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::meta::ResourceInfo;

// Returns the invalid fields of an object in kubectl's words.
std::string invalid_text(const kube::meta::StatusBody& detail, const std::string& message) {
  std::string text = "The request is invalid";
  if (!detail.kind.empty() || !detail.name.empty()) {
    text = printable("The " + detail.kind + " \"" + detail.name + "\" is invalid");
  } else if (detail.causes.empty()) {
    return text + ": " + printable(message);
  }
  for (const auto& cause : detail.causes) {
    const std::string line =
        printable(cause.field.empty() ? cause.message : cause.field + ": " + cause.message);
    if (&cause == &detail.causes.front()) text += ": ";
    text += detail.causes.size() == 1 ? line : "\n* " + line;
  }
  return text;
}

}  // namespace

Result<Cluster> Cluster::open(const ConnectionOptions& options, const std::string& in_namespace,
                              std::stop_token stop) {
  if (!in_namespace.empty()) {
    const auto problems = kube::meta::validate_dns1123_label(in_namespace);
    if (!problems.empty()) {
      return Error(ErrorCode::InvalidArgument,
                   "--namespace \"" + in_namespace + "\": " + problems.front());
    }
  }
  auto connection = connect(options);
  if (!connection) return connection.error();
  const kube::Timer late =
      warn_when_slow(connection->client, "a response from " + connection->server);
  auto mapper = kube::RestMapper::create(connection->client.rest(), std::move(stop));
  if (!mapper) return mapper.error();
  return Cluster(connection->client, *std::move(mapper),
                 in_namespace.empty() ? connection->namespace_ : in_namespace,
                 !in_namespace.empty());
}

Result<ResourceInfo> Cluster::resolve(const std::string& text) const {
  auto resource = mapper_.resolve(text);
  if (!resource) return Error(ErrorCode::Config, resource.error().message());
  return resource;
}

Result<ResourceInfo> Cluster::resource_of(const kube::meta::GroupVersionKind& gvk,
                                          std::stop_token stop) {
  auto resource = mapper_.mapping(gvk.group_kind(), gvk.version);
  if (!resource) {
    // Its definition may have been applied a moment ago.
    auto fresh = kube::RestMapper::create(client_.rest(), std::move(stop));
    if (!fresh) return fresh.error();
    mapper_ = *std::move(fresh);
    resource = mapper_.mapping(gvk.group_kind(), gvk.version);
  }
  if (!resource) return Error(ErrorCode::Config, resource.error().message());
  return resource;
}

Result<std::string> Cluster::namespace_of(const ResourceInfo& resource,
                                          std::string_view own) const {
  if (!resource.namespaced) return std::string();
  if (own.empty()) return namespace_;
  if (chosen_ && own != namespace_) {
    return Error(ErrorCode::InvalidArgument,
                 "the namespace from the provided object \"" + std::string(own) +
                     "\" does not match the namespace \"" + namespace_ +
                     "\". You must pass '--namespace=" + std::string(own) +
                     "' to perform this operation.");
  }
  return std::string(own);
}

std::string kind_word(const ResourceInfo& resource) {
  const std::string word = kube::ascii::to_lower(resource.kind);
  return printable(resource.group.empty() ? word : word + "." + resource.group);
}

std::string object_word(const ResourceInfo& resource, std::string_view name) {
  return kind_word(resource) + "/" + printable(name);
}

int report_server(const Error& error, const std::string& doing) {
  if (error.code() != ErrorCode::Server) {
    return report_failure(doing.empty() ? error : error.with_context(doing));
  }
  const auto* detail = kube::meta::status_of(error);
  std::string text;
  if (detail != nullptr && kube::is_invalid(error)) {
    text = invalid_text(*detail, error.message());
  } else {
    text = printable("Error from server" +
                     (error.reason().empty() ? "" : " (" + error.reason() + ")") + ": " +
                     (doing.empty() ? "" : doing + ": ") + error.message());
  }
  std::fprintf(stderr, "%s\n", text.c_str());
  return 1;
}

}  // namespace kubecpp
