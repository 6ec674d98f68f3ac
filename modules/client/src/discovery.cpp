// SPDX-License-Identifier: Apache-2.0
//
// Requests the discovery documents of a server.
#include <kube/client/discovery.hpp>

#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>

#include "discovery_documents.hpp"
#include "media_type.hpp"

namespace kube {
namespace {

constexpr std::string_view kAcceptAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
constexpr std::string_view kAcceptJson = "application/json";
constexpr std::chrono::seconds kDefaultTimeout{32};
// A large cluster's documents have a few MB.
constexpr std::size_t kMaxDocument = std::size_t{32} << 20;

std::string path_of(const meta::GroupVersion& version) {
  return (version.group.empty() ? "/api/" : "/apis/" + version.group + "/") + version.version;
}

// Refuses responses of other servers and pages of proxies. A missing Content-Type may be JSON.
Result<void> expect_json(const transport::HttpResponse& response) {
  const std::string_view type = response.headers.find("Content-Type").value_or("");
  if (type.empty()) return {};
  const Result<rest::MediaType> media = rest::parse_media_type(type);
  if (media && (media->type == "application/json" || media->type == "text/plain")) return {};
  return Error(ErrorCode::Decode, "the server responded with " +
                                      (media ? media->type : std::string(type)) +
                                      ", not JSON; it is not a Kubernetes API server");
}

// A document, and whether it has the aggregated form.
struct Document {
  json::Value value;
  bool aggregated = false;
};

Result<Document> read_document(const transport::HttpResponse& response) {
  Result<json::Value> value = json::parse(response.body);
  if (!value) return value.error();
  return Document{*std::move(value),
                  is_aggregated(response.headers.find("Content-Type").value_or(""))};
}

}  // namespace

Optional<Error> ServerResources::failure() const {
  if (failed.empty()) return std::nullopt;
  std::string text = "unable to retrieve the complete list of server APIs: ";
  for (const auto& [version, error] : failed) {
    if (version != failed.begin()->first) text.append(", ");
    text.append(version.to_string()).append(": ").append(error.message());
  }
  return Error(ErrorCode::Server, text).with_reason("GroupDiscoveryFailed");
}

// The contents of /api and /apis.
struct DiscoveryClient::Groups {
  ServerResources found{};    // the content of aggregated documents
  bool has_resources = true;  // every document was aggregated
};

Result<transport::HttpResponse> DiscoveryClient::get(std::string path, std::string_view accept,
                                                     std::stop_token stop) const {
  Request request;
  request.verb = "get";
  request.path = std::move(path);
  request.accept = accept;
  if (client_.config().timeout.count() == 0) request.timeout = kDefaultTimeout;
  request.max_bytes = kMaxDocument;
  Result<transport::HttpResponse> response = client_.send(request, std::move(stop));
  if (!response) return response;
  if (auto json = expect_json(*response); !json) {
    return json.error().with_context("get " + request.path);
  }
  return response;
}

Result<DiscoveryClient::Groups> DiscoveryClient::groups(std::stop_token stop) const {
  Groups groups;
  const Result<transport::HttpResponse> core = get("/api", kAcceptAggregated, stop);
  if (core) {
    const Result<Document> document = read_document(*core);
    if (!document) return document.error().with_context("get /api");
    if (document->aggregated) {
      Result<ServerResources> read = read_aggregated(document->value);
      if (!read) return read.error().with_context("get /api");
      groups.found = *std::move(read);
    } else {
      groups.has_resources = false;
      Result<ApiGroup> read = read_api_versions(document->value);
      if (!read) return read.error().with_context("get /api");
      groups.found.groups.push_back(*std::move(read));
    }
  } else if (!is_not_found(core.error())) {
    return core.error();
  }

  const Result<transport::HttpResponse> others = get("/apis", kAcceptAggregated, std::move(stop));
  if (!others && !core && is_not_found(others.error())) {
    return others.error().with_context("neither /api nor /apis; not a Kubernetes API server?");
  }
  if (!others) return others.error();
  const Result<Document> document = read_document(*others);
  if (!document) return document.error().with_context("get /apis");
  if (!document->aggregated) {
    groups.has_resources = false;
    Result<std::vector<ApiGroup>> read = read_api_group_list(document->value);
    if (!read) return read.error().with_context("get /apis");
    for (ApiGroup& group : *read) groups.found.groups.push_back(std::move(group));
    return groups;
  }
  Result<ServerResources> read = read_aggregated(document->value);
  if (!read) return read.error().with_context("get /apis");
  for (ApiGroup& group : read->groups) groups.found.groups.push_back(std::move(group));
  for (ApiResourceList& list : read->resources) groups.found.resources.push_back(std::move(list));
  groups.found.failed.merge(read->failed);
  return groups;
}

Result<std::vector<ApiGroup>> DiscoveryClient::server_groups(std::stop_token stop) const {
  Result<Groups> found = groups(std::move(stop));
  if (!found) return found.error();
  return std::move(found->found.groups);
}

Result<ApiResourceList> DiscoveryClient::server_resources_for_group_version(
    const meta::GroupVersion& version, std::stop_token stop) const {
  if (version.version.empty()) {
    return Error(ErrorCode::InvalidArgument, "groupVersion shouldn't be empty");
  }
  const std::string path = path_of(version);
  const Result<transport::HttpResponse> response = get(path, kAcceptJson, std::move(stop));
  if (!response) {
    // A server need not have the core group.
    if (is_not_found(response.error()) && version == meta::GroupVersion{.version = "v1"}) {
      return ApiResourceList{.group_version = version};
    }
    return response.error();
  }
  const Result<json::Value> document = json::parse(response->body);
  if (!document) return document.error().with_context("get " + path);
  return read_api_resource_list(*document, version).with_context("get " + path);
}

Result<ServerResources> DiscoveryClient::once(std::stop_token stop) const {
  Result<Groups> found = groups(stop);
  if (!found) return found.error();
  if (found->has_resources) return std::move(found->found);

  ServerResources out;
  out.groups = std::move(found->found.groups);
  for (const ApiGroup& group : out.groups) {
    for (const std::string& name : group.versions) {
      const meta::GroupVersion version{.group = group.name, .version = name};
      Result<ApiResourceList> list = server_resources_for_group_version(version, stop);
      if (list) {
        out.resources.push_back(*std::move(list));
      } else if (list.error().code() == ErrorCode::Cancelled) {
        return list.error();
      } else {
        out.failed.emplace(version, list.error());
      }
    }
  }
  return out;
}

Result<ServerResources> DiscoveryClient::server_groups_and_resources(std::stop_token stop) const {
  Result<ServerResources> first = once(stop);
  if (!first || first->failed.empty()) return first;
  return once(std::move(stop));
}

Result<ServerVersion> DiscoveryClient::server_version(std::stop_token stop) const {
  const Result<transport::HttpResponse> response = get("/version", kAcceptJson, std::move(stop));
  if (!response) return response.error();
  const Result<json::Value> document = json::parse(response->body);
  if (!document || document->if_object() == nullptr) {
    return Error(ErrorCode::Decode,
                 "unable to parse the server version: " +
                     (document ? std::string("not an object") : document.error().message()));
  }
  const auto text = [&](std::string_view key) {
    const json::Value* member = document->at_path({key});
    return member == nullptr ? std::string() : std::string(member->string_or_empty());
  };
  return ServerVersion{
      .major = text("major"), .minor = text("minor"), .git_version = text("gitVersion")};
}

}  // namespace kube
