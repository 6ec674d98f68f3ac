// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/options.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/codec/codec.hpp>
#include <kube/codec/query.hpp>

namespace kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(ListOptions, OPT_07_OPT_08_ZeroValuesAreNotSent) {
  EXPECT_THAT(to_query(ListOptions{}), IsEmpty());
  EXPECT_THAT(to_query(ListOptions{.limit = 0, .continue_ = ""}), IsEmpty());
  EXPECT_THAT(to_query(ListOptions{.timeout_seconds = 0}),
              ElementsAre(Pair("timeoutSeconds", "0")));
  EXPECT_THAT(to_query(ListOptions{.send_initial_events = false}),
              ElementsAre(Pair("sendInitialEvents", "false")));
}

TEST(ListOptions, WritesEveryParameterSortedByName) {
  EXPECT_THAT(to_query(ListOptions{.label_selector = "a=b",
                                   .field_selector = "c=d",
                                   .allow_watch_bookmarks = true,
                                   .resource_version = "7",
                                   .resource_version_match = "Exact",
                                   .timeout_seconds = 30,
                                   .limit = 500,
                                   .continue_ = "token",
                                   .send_initial_events = true,
                                   .shard_selector = "s"}),
              ElementsAre(Pair("allowWatchBookmarks", "true"), Pair("continue", "token"),
                          Pair("fieldSelector", "c=d"), Pair("labelSelector", "a=b"),
                          Pair("limit", "500"), Pair("resourceVersion", "7"),
                          Pair("resourceVersionMatch", "Exact"), Pair("sendInitialEvents", "true"),
                          Pair("shardSelector", "s"), Pair("timeoutSeconds", "30")));
}

TEST(WriteOptions, ListsRepeatTheirKey) {
  EXPECT_THAT(
      to_query(CreateOptions{
          .dry_run = {"All", "", "Other"}, .field_manager = "m", .field_validation = "Strict"}),
      ElementsAre(Pair("dryRun", "All"), Pair("dryRun", "Other"), Pair("fieldManager", "m"),
                  Pair("fieldValidation", "Strict")));
  EXPECT_THAT(to_query(UpdateOptions{}), IsEmpty());
  EXPECT_THAT(to_query(GetOptions{.resource_version = "0"}),
              ElementsAre(Pair("resourceVersion", "0")));
}

TEST(PatchOptions, OPT_09_HoldEveryUpdateOption) {
  const UpdateOptions update{.dry_run = {"All"}, .field_manager = "m", .field_validation = "Warn"};
  const PatchOptions patch = meta::from_query<PatchOptions>(to_query(update)).value();
  EXPECT_EQ(meta::from_query<UpdateOptions>(to_query(patch)).value(), update);
}

TEST(ApplyOptions, OPT_10_ForceIsAlwaysSent) {
  EXPECT_THAT(to_query(to_patch_options({.force = false})), ElementsAre(Pair("force", "false")));
  EXPECT_THAT(to_query(to_patch_options({.dry_run = {"All"}, .force = true, .field_manager = "m"})),
              ElementsAre(Pair("dryRun", "All"), Pair("fieldManager", "m"), Pair("force", "true")));
}

TEST(DeleteOptions, AreABody) {
  EXPECT_EQ(meta::to_json(DeleteOptions{.dry_run = {"All"}}),
            R"({"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]})");
  const DeleteOptions all{.grace_period_seconds = 0,
                          .preconditions = Preconditions{.uid = "u", .resource_version = "7"},
                          .orphan_dependents = false,
                          .propagation_policy = "Foreground",
                          .dry_run = {"All"},
                          .ignore_store_read_error_with_cluster_breaking_potential = true};
  EXPECT_EQ(meta::to_json(all),
            R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,)"
            R"("preconditions":{"uid":"u","resourceVersion":"7"},"orphanDependents":false,)"
            R"("propagationPolicy":"Foreground","dryRun":["All"],)"
            R"("ignoreStoreReadErrorWithClusterBreakingPotential":true})");
  EXPECT_EQ(meta::from_json<DeleteOptions>(meta::to_json(all)).value(), all);
  EXPECT_EQ(meta::from_json<DeleteOptions>("{}").value(), DeleteOptions{});
}

TEST(DeleteOptions, ABodyOfTheWrongShapeNamesTheMember) {
  const auto error = [](std::string_view body) {
    return meta::from_json<DeleteOptions>(body).error().message();
  };
  EXPECT_THAT(error("[]"), HasSubstr("expected an object, found an array"));
  EXPECT_THAT(error(R"({"gracePeriodSeconds":"1"})"),
              HasSubstr("gracePeriodSeconds: expected a 64-bit integer, found a string"));
  EXPECT_THAT(error(R"({"dryRun":"All"})"), HasSubstr("dryRun: expected an array, found a string"));
  EXPECT_THAT(error(R"({"dryRun":[1]})"),
              HasSubstr("dryRun[0]: expected a string, found a number"));
  EXPECT_THAT(error(R"({"preconditions":{"uid":1}})"),
              HasSubstr("preconditions.uid: expected a string, found a number"));
  EXPECT_THAT(error(R"({"orphanDependents":"x"})"),
              HasSubstr("orphanDependents: expected a boolean, found a string"));
}

TEST(OptionsOfAQuery, ReadBackWhatWasWritten) {
  const ListOptions list{.label_selector = "a=b",
                         .field_selector = "c=d",
                         .allow_watch_bookmarks = true,
                         .resource_version = "7",
                         .resource_version_match = "Exact",
                         .timeout_seconds = 0,
                         .limit = -1,
                         .continue_ = "token",
                         .send_initial_events = false,
                         .shard_selector = "s"};
  EXPECT_EQ(meta::from_query<ListOptions>(to_query(list)).value(), list);
  const CreateOptions create{
      .dry_run = {"All", "x"}, .field_manager = "m", .field_validation = "Warn"};
  EXPECT_EQ(meta::from_query<CreateOptions>(to_query(create)).value(), create);
  EXPECT_EQ(meta::from_query<GetOptions>({{"resourceVersion", "5"}, {"pretty", "true"}})
                .value()
                .resource_version,
            "5");
  const DeleteOptions from_query =
      meta::from_query<DeleteOptions>(
          QueryParameters{{"gracePeriodSeconds", "0"}, {"propagationPolicy", "Orphan"}})
          .value();
  EXPECT_EQ(from_query.grace_period_seconds, 0);
  EXPECT_EQ(from_query.propagation_policy, "Orphan");
}

TEST(OptionsOfAQuery, RefuseWhatIsNotANumber) {
  for (const char* value : {"abc", "", "1.5", "99999999999999999999", " 1"}) {
    const Result<ListOptions> options = meta::from_query<ListOptions>({{"limit", value}});
    ASSERT_FALSE(options) << value;
    EXPECT_THAT(options.error().message(),
                HasSubstr("query parameter limit: expected a 64-bit integer, but found"));
  }
}

TEST(OptionsOfAQuery, FlagsAreTrueUnlessTheySayFalse) {
  for (const char* value : {"true", "1", "", "yes"})
    EXPECT_TRUE(meta::query_flag({{"watch", value}}, "watch")) << value;
  for (const char* value : {"false", "0", "False"})
    EXPECT_FALSE(meta::query_flag({{"watch", value}}, "watch")) << value;
  EXPECT_FALSE(meta::query_flag({}, "watch"));
}

TEST(WatchListOptions, OPT_12_NotApplicable) {
  EXPECT_EQ(watch_list_options({.resource_version = "5", .limit = 500}), std::nullopt);
  EXPECT_EQ(watch_list_options({.limit = 500}), std::nullopt);
  EXPECT_EQ(watch_list_options({.resource_version = "5", .resource_version_match = "Exact"}),
            std::nullopt);
  EXPECT_EQ(watch_list_options({.continue_ = "token"}), std::nullopt);
}

TEST(WatchListOptions, WLU_03_WithoutAMatchAnyWholeListIsStreamed) {
  for (const char* version : {"", "0", "100"}) {
    const auto watch = watch_list_options({.resource_version = version});
    ASSERT_TRUE(watch) << version;
    EXPECT_EQ(watch->resource_version, version);
  }
  const auto limited = watch_list_options({.resource_version = "0", .limit = 4});
  ASSERT_TRUE(limited);
  EXPECT_EQ(limited->limit, 0);
  EXPECT_EQ(watch_list_options({.continue_ = "token"}), std::nullopt);
}

TEST(WatchListOptions, WLU_04_NotOlderThanNeedsAVersion) {
  const auto options = [](const char* version) {
    return ListOptions{.resource_version = version, .resource_version_match = "NotOlderThan"};
  };
  EXPECT_EQ(watch_list_options(options("")), std::nullopt);
  EXPECT_TRUE(watch_list_options(options("0")));
  EXPECT_TRUE(watch_list_options(options("100")));
  ListOptions limited = options("0");
  limited.limit = 4;
  EXPECT_TRUE(watch_list_options(limited));
  ListOptions continued = options("100");
  continued.continue_ = "token";
  EXPECT_EQ(watch_list_options(continued), std::nullopt);
}

TEST(WatchListOptions, WLU_05_NoStreamIsExactlyAtAVersion) {
  for (const char* version : {"", "0", "100"}) {
    ListOptions options{.resource_version = version, .resource_version_match = "Exact"};
    EXPECT_EQ(watch_list_options(options), std::nullopt);
    options.limit = 4;
    EXPECT_EQ(watch_list_options(options), std::nullopt);
    options.continue_ = "token";
    EXPECT_EQ(watch_list_options(options), std::nullopt);
  }
}

TEST(WatchListOptions, WLU_06_NoStreamHasPages) {
  EXPECT_EQ(watch_list_options({.resource_version = "", .limit = 4}), std::nullopt);
  EXPECT_EQ(watch_list_options({.resource_version = "100", .limit = 4}), std::nullopt);
}

TEST(WatchListOptions, OPT_13_AsksForInitialEventsAndKeepsTheRest) {
  const ListOptions want{.label_selector = "a=b",
                         .field_selector = "c=d",
                         .allow_watch_bookmarks = true,
                         .resource_version = "0",
                         .resource_version_match = "NotOlderThan",
                         .send_initial_events = true};
  EXPECT_EQ(watch_list_options({.label_selector = "a=b",
                                .field_selector = "c=d",
                                .resource_version = "0",
                                .limit = 500}),
            want);
  const Optional<ListOptions> latest = watch_list_options({});
  ASSERT_TRUE(latest);
  EXPECT_EQ(latest->resource_version, "");
  EXPECT_EQ(latest->send_initial_events, true);
}

TEST(SingleObjectOptions, OPT_17_SelectByNameFromTheVersion) {
  EXPECT_EQ(single_object_options("web", "7"),
            (ListOptions{.field_selector = "metadata.name=web", .resource_version = "7"}));
}

}  // namespace
}  // namespace kube
