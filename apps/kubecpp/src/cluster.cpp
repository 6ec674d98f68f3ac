// SPDX-License-Identifier: Apache-2.0
#include "cluster.hpp"

#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/client/apply_manifest.hpp>
#include <kube/meta/errors.hpp>
#include <kube/names/validation.hpp>

#include "error_output.hpp"
#include "server_resources.hpp"

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
  std::vector<std::string> lines;
  std::set<std::string> known;
  for (const auto& cause : detail.causes) {
    std::string line =
        printable(cause.field.empty() ? cause.message : cause.field + ": " + cause.message);
    if (known.insert(line).second) lines.push_back(std::move(line));
  }
  if (!lines.empty()) text += ": ";
  for (const std::string& line : lines) text += lines.size() == 1 ? line : "\n* " + line;
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
  auto connection = connect(options, stop);
  if (!connection) return connection.error();
  auto discovery = discovery_of(*connection, options);
  if (!discovery) return discovery.error();
  auto mapper = mapper_of(*connection, *discovery, stop);
  if (!mapper) return mapper.error();
  return Cluster(connection->client, *std::move(discovery), *std::move(mapper),
                 in_namespace.empty() ? connection->namespace_ : in_namespace,
                 !in_namespace.empty(), std::move(stop));
}

Result<ResourceInfo> Cluster::resolve(const std::string& text) const {
  auto resource = mapper_->resolve(text, stop_);
  if (!resource && resource.error().code() == ErrorCode::InvalidArgument) {
    return Error(ErrorCode::Config, resource.error().message());
  }
  return resource;
}

Result<ResourceInfo> Cluster::resource_of(const kube::meta::GroupVersionKind& gvk) const {
  auto resource = mapper_->mapping(gvk.group_kind(), gvk.version, stop_);
  if (!resource && resource.error().code() == ErrorCode::InvalidArgument)
    return Error(ErrorCode::Config, resource.error().message());
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
    return report(doing.empty() ? error : error.with_context(doing));
  }
  if (kube::is_unauthorized(error)) {
    print_error(not_logged_in((doing.empty() ? "" : doing + ": ") + error.message()));
    return 1;
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

int report_server(const std::vector<Error>& errors) {
  int status = 0;
  for (const Error& error : errors) {
    if (errors.size() == 1 || !kube::is_invalid(error)) {
      status = report_server(error);
    } else {
      status = 1;
      print_note("Error from server (Invalid): " + error.message());
    }
  }
  return status;
}

}  // namespace kubecpp
