// SPDX-License-Identifier: Apache-2.0
#include <kube/client/discovery_queries.hpp>

#include <gmock/gmock.h>

#include "fake_discovery.hpp"

namespace kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "apps/v1: deployments scales" for each list.
std::vector<std::string> lines_of(const std::vector<ApiResourceList>& lists) {
  std::vector<std::string> lines;
  for (const ApiResourceList& list : lists) {
    std::string line = list.group_version.to_string() + ":";
    for (const ApiResource& resource : list.resources) line += " " + resource.name;
    lines.push_back(std::move(line));
  }
  return lines;
}

ApiResource cluster_scoped(ApiResource resource) {
  resource.namespaced = false;
  return resource;
}

// The preferred version of the group comes last, and does not have all of its resources.
ServerResources two_versions() {
  ServerResources server;
  server.groups = {{"", {"v1"}, "v1"}, {"g", {"v1alpha1", "v1beta1", "v1"}, "v1"}};
  server.resources = {
      {{"", "v1"},
       {fake_resource("pods", "Pod", {"get", "list"}), fake_resource("pods/status", "Pod"),
        cluster_scoped(fake_resource("nodes", "Node"))}},
      {{"g", "v1alpha1"},
       {fake_resource("as", "A"), fake_resource("bs", "B"), fake_resource("cs", "C")}},
      {{"g", "v1beta1"}, {fake_resource("as", "A"), fake_resource("bs", "B")}},
      {{"g", "v1"}, {cluster_scoped(fake_resource("as", "A"))}}};
  server.failed.emplace(meta::GroupVersion{"down", "v1"}, Error(ErrorCode::Server, "down"));
  return server;
}

TEST(DiscoveryQueries, DISC_20_DISC_21_EachResourceOnceInItsPreferredVersion) {
  const ServerResources preferred = preferred_resources(two_versions());
  EXPECT_THAT(lines_of(preferred.resources),
              ElementsAre("v1: pods nodes", "g/v1alpha1: bs cs", "g/v1beta1:", "g/v1: as"));
  EXPECT_TRUE(preferred.failed.contains({"down", "v1"}));

  FakeDiscovery server;
  const auto asked = server_preferred_resources(server, {});
  ASSERT_TRUE(asked);
  EXPECT_THAT(lines_of(asked->resources),
              ElementsAre("v1: pods", "apps/v1: deployments", "apps/v1beta1: scales"));
  server.group_error = Error(ErrorCode::Unreachable, "down");
  EXPECT_FALSE(server_preferred_resources(server, {}));
}

TEST(DiscoveryQueries, DISC_22_NamespacedOnesWithoutEmptyLists) {
  const ServerResources preferred = preferred_namespaced_resources(two_versions());
  EXPECT_THAT(lines_of(preferred.resources), ElementsAre("v1: pods", "g/v1alpha1: bs cs"));
  EXPECT_TRUE(preferred.failure()) << "the error is passed on";
}

TEST(DiscoveryQueries, DISC_25_WhetherAResourceIsEnabled) {
  FakeDiscovery server;
  EXPECT_TRUE(*is_resource_enabled(server, {"apps", "v1", "deployments"}, {}));
  EXPECT_FALSE(*is_resource_enabled(server, {"apps", "v1", "deployment"}, {}));
  EXPECT_FALSE(*is_resource_enabled(server, {"unknown", "v1", "deployments"}, {})) << "404";
  server.lists.insert_or_assign({"apps", "v1"},
                                Error(ErrorCode::Server, "no").with_http_status(403));
  EXPECT_EQ(is_resource_enabled(server, {"apps", "v1", "deployments"}, {}).error().http_status(),
            403);
}

TEST(DiscoveryQueries, DISC_26_WhetherTheServerSupportsAVersion) {
  FakeDiscovery server;
  EXPECT_TRUE(server_supports_version(server, {"apps", "v1beta1"}, {}));
  EXPECT_TRUE(server_supports_version(server, {"", "v1"}, {}));
  EXPECT_EQ(server_supports_version(server, {"g", "v"}, {}).error().message(),
            "server does not support API version \"g/v\"");
  server.groups.groups = {{"", {}, ""}};
  EXPECT_TRUE(server_supports_version(server, {"g", "v"}, {})) << "it lists no version at all";
  server.group_error = Error(ErrorCode::Unreachable, "connection refused");
  EXPECT_EQ(server_supports_version(server, {"g", "v"}, {}).error().code(), ErrorCode::Unreachable);
}

TEST(DiscoveryQueries, DISC_27_FilteredByDropsEmptyListsAndLeavesTheInput) {
  const ServerResources server = two_versions();
  const auto filtered = filtered_by(supports_all_verbs({"get", "list"}), server.resources);
  EXPECT_THAT(lines_of(filtered), ElementsAre("v1: pods"));
  EXPECT_THAT(lines_of(server.resources),
              ElementsAre("v1: pods pods/status nodes", "g/v1alpha1: as bs cs", "g/v1beta1: as bs",
                          "g/v1: as"));
  EXPECT_THAT(filtered_by(supports_all_verbs({"get", "watch"}), server.resources), IsEmpty());
  EXPECT_EQ(filtered_by(supports_all_verbs({}), server.resources).size(), 4U);
}

TEST(DiscoveryQueries, NamesOfAllResources) {
  const auto names = group_version_resources(two_versions().resources);
  EXPECT_EQ(names.size(), 9U);
  EXPECT_TRUE(names.contains({"", "v1", "pods/status"}));
  EXPECT_TRUE(names.contains({"g", "v1", "as"}));
}

}  // namespace
}  // namespace kube
