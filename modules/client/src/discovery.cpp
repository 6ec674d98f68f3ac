// SPDX-License-Identifier: Apache-2.0
//
// Requests the discovery documents of a server.
#include <kube/client/discovery.hpp>

#include <iterator>

#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>

#include "discovery_documents.hpp"
#include "discovery_request.hpp"

namespace kube {
namespace {

constexpr std::string_view kAcceptAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
constexpr std::string_view kAcceptWithoutPeers =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer,"
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
constexpr int kDiscoveryBurst = 300;
constexpr std::size_t kAtOnce = 16;
constexpr std::string_view kDiscoveryFailed = "GroupDiscoveryFailed";

std::string path_of(const meta::GroupVersion& version) {
  return (version.group.empty() ? "/api/" : "/apis/" + version.group + "/") + version.version;
}

// Reads a response of /api, or of /apis, in either form.
Result<GroupsAndResources> read_groups(const transport::HttpResponse& response, bool core) {
  const Result<json::Value> document = json::parse(response.body);
  if (!document) return document.error();
  if (is_aggregated(response.headers.find("Content-Type").value_or(""))) {
    Result<ServerResources> found = read_aggregated(*document);
    if (!found) return found.error();
    return GroupsAndResources{.found = *std::move(found), .has_resources = true};
  }
  GroupsAndResources groups;
  if (core) {
    Result<ApiGroup> group = read_api_versions(*document);
    if (!group) return group.error();
    groups.found.groups.push_back(*std::move(group));
    return groups;
  }
  Result<std::vector<ApiGroup>> list = read_api_group_list(*document);
  if (!list) return list.error();
  groups.found.groups = *std::move(list);
  return groups;
}

template <class T>
void append(std::vector<T>&& from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// The group versions of a GroupDiscoveryFailed error.
struct FailedGroups final : ErrorDetail {
  std::map<meta::GroupVersion, Error> failed;
  static constexpr char kType{};
  const void* type() const override { return &kType; }
};

const FailedGroups* failed_groups(const Error& error) {
  return detail_as<FailedGroups>(error);
}

std::vector<meta::GroupVersion> group_versions(const std::vector<ApiGroup>& groups) {
  std::vector<meta::GroupVersion> all;
  for (const ApiGroup& group : groups) {
    for (const std::string& name : group.versions) all.push_back({group.name, name});
  }
  return all;
}

// Adds the resources of each group version of `out`.
Result<void> add_resources(const Discovery& discovery, ServerResources& out,
                           const std::stop_token& stop) {
  const std::vector<meta::GroupVersion> versions = group_versions(out.groups);
  auto lists = discovery.server_resources_for_group_versions(versions, stop);
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (lists[i]) {
      out.resources.push_back(*std::move(lists[i]));
    } else if (lists[i].error().code() == ErrorCode::Cancelled) {
      return lists[i].error();
    } else {
      out.failed.emplace(versions[i], lists[i].error());
    }
  }
  return {};
}

// Reads the response to a request for the resources of a group version.
Result<ApiResourceList> list_of(const Result<json::Value>& document,
                                const meta::GroupVersion& version) {
  if (!document) {
    // A server need not have the core group.
    if (is_not_found(document.error()) && version == meta::GroupVersion{.version = "v1"}) {
      return ApiResourceList{.group_version = version};
    }
    return document.error();
  }
  return read_api_resource_list(*document, version).with_context("get " + path_of(version));
}

Result<ServerResources> everything_once(const Discovery& discovery, const std::stop_token& stop) {
  Result<GroupsAndResources> all = discovery.groups_and_maybe_resources(stop);
  if (!all) return all.error();
  if (!all->has_resources) {
    if (auto added = add_resources(discovery, all->found, stop); !added) return added.error();
  }
  return std::move(all->found);
}

}  // namespace

Optional<Error> ServerResources::failure() const {
  if (failed.empty()) return std::nullopt;
  std::string text = "unable to retrieve the complete list of server APIs: ";
  for (const auto& [version, error] : failed) {
    if (version != failed.begin()->first) text.append(", ");
    text.append(version.to_string()).append(": ").append(error.message());
  }
  auto detail = std::make_shared<FailedGroups>();
  detail->failed = failed;
  return Error(ErrorCode::Server, text)
      .with_reason(std::string(kDiscoveryFailed))
      .with_detail(std::move(detail));
}

bool is_group_discovery_failed(const Error& error) {
  return failed_groups(error) != nullptr;
}

std::map<meta::GroupVersion, Error> failed_group_versions(const Error& error) {
  const FailedGroups* detail = failed_groups(error);
  return detail == nullptr ? std::map<meta::GroupVersion, Error>() : detail->failed;
}

Result<std::vector<ApiGroup>> Discovery::server_groups(std::stop_token stop) const {
  Result<GroupsAndResources> all = groups_and_maybe_resources(std::move(stop));
  if (!all) return all.error();
  return std::move(all->found.groups);
}

std::vector<Result<ApiResourceList>> Discovery::server_resources_for_group_versions(
    const std::vector<meta::GroupVersion>& versions, std::stop_token stop) const {
  std::vector<Result<ApiResourceList>> lists;
  lists.reserve(versions.size());
  for (const meta::GroupVersion& version : versions) {
    lists.push_back(server_resources_for_group_version(version, stop));
    if (!lists.back() && lists.back().error().code() == ErrorCode::Cancelled) {
      const Error stopped = lists.back().error();
      while (lists.size() < versions.size()) lists.emplace_back(stopped);
      break;
    }
  }
  return lists;
}

Result<ServerResources> Discovery::server_groups_and_resources(std::stop_token stop) const {
  Result<ServerResources> first = everything_once(*this, stop);
  if (!first || first->failed.empty()) return first;
  return everything_once(*this, stop);
}

Result<DiscoveryClient> DiscoveryClient::create(
    const rest::Config& config, Runtime runtime,
    std::shared_ptr<transport::RoundTripper> transport) {
  rest::Config own = config;
  if (own.timeout.count() == 0) own.timeout = kDiscoveryTimeout;
  if (own.burst == 0) own.burst = kDiscoveryBurst;
  Result<RestClient> client = RestClient::create(own, std::move(runtime), std::move(transport));
  if (!client) return client.error();
  return DiscoveryClient(*std::move(client));
}

DiscoveryClient DiscoveryClient::with_legacy() const {
  DiscoveryClient copy = *this;
  copy.form_ = Form::Legacy;
  return copy;
}

DiscoveryClient DiscoveryClient::without_peers() const {
  DiscoveryClient copy = *this;
  copy.form_ = Form::AggregatedWithoutPeers;
  return copy;
}

std::string_view DiscoveryClient::accept() const {
  switch (form_) {
    case Form::Aggregated:
      return kAcceptAggregated;
    case Form::AggregatedWithoutPeers:
      return kAcceptWithoutPeers;
    case Form::Legacy:
      break;
  }
  return kAcceptDiscovery;
}

Result<GroupsAndResources> DiscoveryClient::groups_and_maybe_resources(std::stop_token stop) const {
  GroupsAndResources all{.has_resources = true};
  const auto core = get_discovery(client_, "/api", accept(), stop);
  if (core) {
    auto read = read_groups(*core, true);
    if (!read) return read.error().with_context("get /api");
    all = *std::move(read);
  } else if (!is_not_found(core.error())) {
    return core.error();
  }

  const auto others = get_discovery(client_, "/apis", accept(), std::move(stop));
  if (!others && !core && is_not_found(others.error())) {
    return others.error().with_context("neither /api nor /apis; not a Kubernetes API server?");
  }
  if (!others) return others.error();
  auto read = read_groups(*others, false);
  if (!read) return read.error().with_context("get /apis");
  append(std::move(read->found.groups), all.found.groups);
  all.has_resources = all.has_resources && read->has_resources;
  if (!all.has_resources) {
    // One document of two has the resources: they are asked for by group version, all alike.
    all.found.resources.clear();
    all.found.failed.clear();
    return all;
  }
  append(std::move(read->found.resources), all.found.resources);
  all.found.failed.merge(read->found.failed);
  return all;
}

Result<ApiResourceList> DiscoveryClient::server_resources_for_group_version(
    const meta::GroupVersion& version, std::stop_token stop) const {
  if (version.version.empty()) {
    return Error(ErrorCode::InvalidArgument, "groupVersion shouldn't be empty");
  }
  return list_of(get_discovery_document(client_, path_of(version), std::move(stop)), version);
}

std::vector<Result<ApiResourceList>> DiscoveryClient::server_resources_for_group_versions(
    const std::vector<meta::GroupVersion>& versions, std::stop_token stop) const {
  std::vector<std::string> paths;
  paths.reserve(versions.size());
  for (const meta::GroupVersion& version : versions) paths.push_back(path_of(version));
  std::vector<Result<ApiResourceList>> lists;
  lists.reserve(versions.size());
  get_discovery_documents(client_, paths, kAtOnce, stop, [&](const Result<json::Value>& document) {
    lists.push_back(list_of(document, versions[lists.size()]));
  });
  return lists;
}

Result<ServerVersion> DiscoveryClient::server_version(std::stop_token stop) const {
  const Result<transport::HttpResponse> response =
      get_discovery(client_, "/version", kAcceptDiscovery, std::move(stop));
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

Result<std::shared_ptr<const json::Value>> DiscoveryClient::openapi_v2(std::stop_token stop) const {
  Result<json::Value> document = get_discovery_document(client_, "/openapi/v2", std::move(stop));
  if (!document) return document.error();
  return std::make_shared<const json::Value>(*std::move(document));
}

std::shared_ptr<const OpenApi> DiscoveryClient::openapi_v3() const {
  return std::make_shared<OpenApi>(client_);
}

}  // namespace kube
