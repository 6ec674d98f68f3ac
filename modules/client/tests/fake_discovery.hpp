// SPDX-License-Identifier: Apache-2.0
//
// A Discovery whose answers the test sets, and which counts the calls.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <kube/client/cached_discovery.hpp>

namespace kube {

inline ApiResource fake_resource(const std::string& name, const std::string& kind,
                                 std::vector<std::string> verbs = {"get"}) {
  return {.name = name,
          .singular_name = name.substr(0, name.size() - 1),
          .namespaced = true,
          .kind = {.kind = kind},
          .verbs = std::move(verbs)};
}

class FakeDiscovery final : public CachedDiscovery {
 public:
  FakeDiscovery() {
    groups.groups = {{"", {"v1"}, "v1"}, {"apps", {"v1", "v1beta1"}, "v1"}};
    lists.emplace(meta::GroupVersion{"", "v1"},
                  ApiResourceList{{"", "v1"}, {fake_resource("pods", "Pod")}});
    lists.emplace(meta::GroupVersion{"apps", "v1"},
                  ApiResourceList{{"apps", "v1"}, {fake_resource("deployments", "Deployment")}});
    lists.emplace(meta::GroupVersion{"apps", "v1beta1"},
                  ApiResourceList{{"apps", "v1beta1"}, {fake_resource("scales", "Scale")}});
  }

  Result<ApiResourceList> server_resources_for_group_version(const meta::GroupVersion& version,
                                                             std::stop_token) const override {
    ++resource_calls;
    const auto found = lists.find(version);
    if (found == lists.end()) {
      return Error(ErrorCode::Server, "no such version")
          .with_reason("NotFound")
          .with_http_status(404);
    }
    return found->second;
  }
  Result<GroupsAndResources> groups_and_maybe_resources(std::stop_token stop) const override {
    ++group_calls;
    if (on_groups) on_groups();
    if (stop.stop_requested()) return Error(ErrorCode::Cancelled, "stopped");
    if (group_error) return *group_error;
    GroupsAndResources all{.found = groups, .has_resources = aggregated};
    if (!aggregated) return all;
    for (const auto& [version, list] : lists) {
      if (list) all.found.resources.push_back(*list);
    }
    return all;
  }
  Result<ServerVersion> server_version(std::stop_token) const override {
    return ServerVersion{.major = "1", .minor = "37", .git_version = "v1.37.2"};
  }
  Result<std::shared_ptr<const json::Value>> openapi_v2(std::stop_token) const override {
    ++openapi_calls;
    return std::make_shared<const json::Value>(json::Object{{"swagger", "2.0"}});
  }
  std::shared_ptr<const OpenApi> openapi_v3() const override {
    return openapi ? openapi() : nullptr;
  }
  bool fresh() const override { return is_fresh; }
  void invalidate() override {
    ++invalidations;
    if (on_invalidate) on_invalidate();
  }

  ServerResources groups{};
  std::map<meta::GroupVersion, Result<ApiResourceList>> lists{};
  bool aggregated = false;
  Optional<Error> group_error{};
  std::function<void()> on_groups{};
  std::function<std::shared_ptr<const OpenApi>()> openapi{};
  std::function<void()> on_invalidate{};
  std::atomic<bool> is_fresh = false;
  mutable std::atomic<int> group_calls = 0;
  mutable std::atomic<int> resource_calls = 0;
  mutable std::atomic<int> openapi_calls = 0;
  std::atomic<int> invalidations = 0;
};

}  // namespace kube
