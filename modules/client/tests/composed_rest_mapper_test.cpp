// SPDX-License-Identifier: Apache-2.0
#include <kube/client/composed_rest_mapper.hpp>

#include <gmock/gmock.h>

#include "fake_discovery.hpp"

namespace kube {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

meta::ResourceInfo info_of(const std::string& group, const std::string& version,
                           const std::string& plural) {
  return {.group = group, .version = version, .kind = "Kind", .plural = plural, .singular = "job"};
}

ResourceFinder finding(std::vector<meta::ResourceInfo> candidates, Optional<Error> error = {}) {
  return [=](const meta::GroupVersionResource&) { return FoundResources{candidates, error}; };
}

std::vector<std::string> names(const FoundResources& found) {
  std::vector<std::string> out;
  for (const auto& info : found.candidates) out.push_back(info.gvr().to_string());
  return out;
}

const meta::ResourceInfo kBatch = info_of("batch", "v1", "jobs");
const meta::ResourceInfo kBatchBeta = info_of("batch", "v1beta1", "jobs");
const meta::ResourceInfo kAcme = info_of("acme.com", "v1", "jobs");
const meta::GroupVersionResource kJobs{"", "", "jobs"};

Error unknown_name() {
  return RestMapper(ServerResources{.groups = {{"g", {"v"}, "v"}}}).resolve("jobs").error();
}

TEST(ComposedRestMapper, AFinderOfAMapper) {
  const FakeDiscovery server;
  const auto finder =
      finder_of(std::make_shared<const RestMapper>(server.server_groups_and_resources({}).value()));
  EXPECT_THAT(names(finder({"", "", "Deployment"})), ElementsAre("apps/v1, Resource=deployments"));
  EXPECT_THAT(names(finder({"app", "v1", "deployments"})),
              ElementsAre("apps/v1, Resource=deployments"));
  const FoundResources none = finder({"", "v2", "deployments"});
  EXPECT_THAT(none.candidates, IsEmpty());
  ASSERT_TRUE(none.error);
  EXPECT_TRUE(is_no_match(*none.error));
}

TEST(ComposedRestMapper, MAP_13_TheUnionInOrderWithoutDuplicates) {
  const Error no_match = unknown_name();
  ASSERT_TRUE(is_no_match(no_match));
  const auto all = union_of(
      {finding({}, no_match), finding({kBatch, kAcme}), finding({kAcme, kBatchBeta})})(kJobs);
  EXPECT_THAT(names(all), ElementsAre("batch/v1, Resource=jobs", "acme.com/v1, Resource=jobs",
                                      "batch/v1beta1, Resource=jobs"));
  EXPECT_FALSE(all.error);

  const auto none = union_of({finding({}, no_match), finding({}, no_match)})(kJobs);
  EXPECT_THAT(none.candidates, IsEmpty());
  EXPECT_TRUE(is_no_match(*none.error));

  int asked = 0;
  const auto failed =
      union_of({finding({kBatch}), finding({}, Error(ErrorCode::Unreachable, "down")),
                [&](const meta::GroupVersionResource&) {
                  ++asked;
                  return FoundResources{};
                }})(kJobs);
  EXPECT_THAT(failed.candidates, IsEmpty());
  EXPECT_EQ(failed.error->code(), ErrorCode::Unreachable);
  EXPECT_EQ(asked, 0) << "the first error ends it";
}

TEST(ComposedRestMapper, MAP_14_PatternsChooseBetweenCandidates) {
  const auto chosen = [](std::vector<meta::ResourceInfo> candidates,
                         std::vector<meta::GroupVersionResource> patterns,
                         Optional<Error> error = {}) {
    return PriorityRestMapper(finding(std::move(candidates), std::move(error)), std::move(patterns))
        .resource_for(kJobs);
  };
  EXPECT_EQ(chosen({kAcme}, {}).value().resource, kAcme) << "the only one wins";
  EXPECT_EQ(chosen({kAcme, kBatch}, {{"batch", "v1", "*"}}).value().resource, kBatch);
  EXPECT_EQ(
      chosen({kAcme, kBatch}, {{"none", "*", "*"}, {"*", "v1", "jobs"}, {"acme.com", "*", "*"}})
          .value()
          .resource,
      kAcme)
      << "a pattern that nothing or everything matches leaves it to the next";
  EXPECT_EQ(chosen({kAcme, kBatch, kBatchBeta}, {{"batch", "*", "*"}, {"*", "v1beta1", "*"}})
                .value()
                .resource,
            kBatchBeta)
      << "several narrow the set";

  const auto ambiguous = chosen({kAcme, kBatch}, {{"none", "*", "*"}});
  ASSERT_FALSE(ambiguous);
  EXPECT_EQ(ambiguous.error().message(),
            "\"jobs\" matches multiple resources jobs.acme.com, jobs.batch");

  const auto partial = chosen({kBatch}, {}, Error(ErrorCode::Unreachable, "one group is down"));
  ASSERT_TRUE(partial) << "a partial result is kept";
  EXPECT_EQ(partial->resource, kBatch);
  EXPECT_EQ(partial->error->message(), "one group is down");
  EXPECT_EQ(chosen({}, {}, Error(ErrorCode::Unreachable, "down")).error().message(), "down");
}

}  // namespace
}  // namespace kube
