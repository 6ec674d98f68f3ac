// SPDX-License-Identifier: Apache-2.0
//
// MemoryCachedDiscovery.
#include <kube/client/cached_discovery.hpp>

#include <thread>

#include <kube/meta/errors.hpp>

#include "client_fixture.hpp"
#include "fake_discovery.hpp"

namespace kube {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const meta::GroupVersion kCore{"", "v1"};
const meta::GroupVersion kApps{"apps", "v1"};
const Error kUnavailable = Error(ErrorCode::Server, "try later").with_http_status(503);

class MemoryCache : public ClientTest {
 protected:
  std::shared_ptr<FakeDiscovery> live = std::make_shared<FakeDiscovery>();
  MemoryCachedDiscovery cache{live};
};

TEST_F(MemoryCache, MEM_01_IsFreshAfterASuccessfulFillAlone) {
  EXPECT_FALSE(cache.fresh());
  live->group_error = kUnavailable;
  EXPECT_FALSE(cache.server_groups({}));
  EXPECT_FALSE(cache.fresh());
  live->group_error.reset();
  EXPECT_TRUE(cache.server_groups({}));
  EXPECT_TRUE(cache.fresh());
}

TEST_F(MemoryCache, AnswersFromMemoryAfterTheFirstAccess) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(cache.server_resources_for_group_version(kCore, {}).value().resources.front().name,
              "pods");
    EXPECT_THAT(*cache.server_groups({}), SizeIs(2));
    EXPECT_THAT(cache.server_groups_and_resources({}).value().resources, SizeIs(3));
  }
  EXPECT_EQ(live->group_calls, 1);
  EXPECT_EQ(live->resource_calls, 3);
  EXPECT_EQ(cache.server_version({}).value().minor, "37");
}

TEST_F(MemoryCache, MEM_02_AnUnknownGroupVersionIsNotFoundWithoutARequest) {
  ASSERT_TRUE(cache.server_groups({}));
  const int calls = live->resource_calls;
  const auto unknown = cache.server_resources_for_group_version({"new", "v1"}, {});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message(), "not found");
  EXPECT_TRUE(is_not_found(unknown.error()));
  EXPECT_EQ(live->resource_calls, calls);
}

TEST_F(MemoryCache, MEM_03_AnEmptyListIsAnErrorThatStays) {
  live->lists.insert_or_assign(kApps, ApiResourceList{kApps, {}});
  for (int i = 0; i < 2; ++i) {
    const auto empty = cache.server_resources_for_group_version(kApps, {});
    ASSERT_FALSE(empty);
    EXPECT_EQ(empty.error().message(), "received empty response for: apps/v1");
  }
  EXPECT_EQ(live->resource_calls, 3);
  EXPECT_TRUE(cache.server_groups_and_resources({}).value().failed.contains(kApps));
}

TEST_F(MemoryCache, MEM_04_APermanentErrorStaysUntilInvalidate) {
  const auto good = live->lists.at(kApps);
  live->lists.insert_or_assign(kApps, Error(ErrorCode::Server, "forbidden").with_http_status(403));
  EXPECT_FALSE(cache.server_resources_for_group_version(kApps, {}));
  live->lists.insert_or_assign(kApps, good);
  EXPECT_EQ(cache.server_resources_for_group_version(kApps, {}).error().message(), "forbidden");
  EXPECT_TRUE(cache.server_resources_for_group_version(kCore, {})) << "others are not concerned";
  cache.invalidate();
  EXPECT_TRUE(cache.server_resources_for_group_version(kApps, {}));
}

TEST_F(MemoryCache, MEM_05_AnErrorThatMayPassIsTriedAgainOnAccess) {
  const auto good = live->lists.at(kApps);
  for (const Error& error : {kUnavailable, kUnavailable.with_http_status(429),
                             Error(ErrorCode::Unreachable, "connection refused"),
                             Error(ErrorCode::Timeout, "too slow")}) {
    cache.invalidate();
    live->lists.insert_or_assign(kApps, error);
    EXPECT_FALSE(cache.server_resources_for_group_version(kApps, {})) << error.message();
    live->lists.insert_or_assign(kApps, good);
    EXPECT_TRUE(cache.server_resources_for_group_version(kApps, {})) << error.message();
    const int calls = live->resource_calls;
    EXPECT_TRUE(cache.server_resources_for_group_version(kApps, {}));
    EXPECT_EQ(live->resource_calls, calls) << "the error is replaced";
  }
}

TEST_F(MemoryCache, MEM_06_ACancelledFillFailsAndALaterOneSucceeds) {
  live->on_groups = [&] { stop.request_stop(); };
  EXPECT_EQ(cache.server_groups(stop.get_token()).error().code(), ErrorCode::Cancelled);
  EXPECT_FALSE(cache.fresh());
  live->on_groups = nullptr;
  live->lists.insert_or_assign(kApps, Error(ErrorCode::Cancelled, "in the middle"));
  EXPECT_EQ(cache.server_groups({}).error().code(), ErrorCode::Cancelled);
  EXPECT_FALSE(cache.fresh());
  live->lists.insert_or_assign(kApps, FakeDiscovery().lists.at(kApps));
  EXPECT_TRUE(cache.server_groups({}));
  EXPECT_TRUE(cache.fresh());
}

TEST_F(MemoryCache, MEM_07_AFailingGroupListIsAnErrorUntilItWorks) {
  live->group_error = Error(ErrorCode::Server, "forbidden").with_http_status(403);
  EXPECT_EQ(cache.server_groups({}).error().message(), "forbidden");
  EXPECT_EQ(cache.server_resources_for_group_version(kCore, {}).error().message(), "forbidden");
  live->group_error.reset();
  EXPECT_TRUE(cache.server_resources_for_group_version(kCore, {}));
}

TEST_F(MemoryCache, MEM_08_AggregationIsOnePassAndStaleVersionsAreErrors) {
  live->aggregated = true;
  live->groups.groups[1].versions = {"v1beta1"};
  live->lists.erase(kApps);
  live->groups.failed.emplace(kApps,
                              Error(ErrorCode::Server, "stale GroupVersion discovery: apps/v1"));
  const auto all = cache.server_groups_and_resources({});
  ASSERT_TRUE(all);
  EXPECT_THAT(all->resources, SizeIs(2));
  EXPECT_EQ(all->failure().value().message(),
            "unable to retrieve the complete list of server APIs: apps/v1: stale GroupVersion "
            "discovery: apps/v1");
  EXPECT_EQ(cache.server_resources_for_group_version(kApps, {}).error().message(),
            "stale GroupVersion discovery: apps/v1");
  EXPECT_EQ(live->group_calls, 1);
  EXPECT_EQ(live->resource_calls, 0);
}

TEST_F(MemoryCache, MEM_09_AServerMayStopAggregating) {
  live->aggregated = true;
  EXPECT_TRUE(cache.groups_and_maybe_resources({}).value().has_resources);
  cache.invalidate();
  live->aggregated = false;
  EXPECT_FALSE(cache.groups_and_maybe_resources({}).value().has_resources);
  EXPECT_THAT(cache.server_groups_and_resources({}).value().resources, SizeIs(3));
  EXPECT_EQ(live->resource_calls, 3);
}

TEST_F(MemoryCache, MEM_10_InvalidateCascadesAndDropsTheOpenApiClient) {
  live->openapi = [this] { return std::make_shared<const OpenApi>(make()); };
  const auto client = cache.openapi_v3();
  EXPECT_EQ(cache.openapi_v3(), client);
  const auto document = cache.openapi_v2({});
  EXPECT_EQ(*cache.openapi_v2({}), *document);
  EXPECT_EQ(live->openapi_calls, 1);
  ASSERT_TRUE(cache.server_groups({}));
  cache.invalidate();
  EXPECT_EQ(live->invalidations, 1);
  EXPECT_FALSE(cache.fresh());
  EXPECT_NE(cache.openapi_v3(), client);
  EXPECT_NE(*cache.openapi_v2({}), *document);
}

TEST_F(MemoryCache, MEM_11_NoGroupsIsNotAnAnswerThatStays) {
  const auto groups = live->groups.groups;
  live->groups.groups.clear();
  EXPECT_THAT(*cache.server_groups({}), IsEmpty());
  EXPECT_FALSE(cache.fresh());
  live->groups.groups = groups;
  EXPECT_THAT(*cache.server_groups({}), SizeIs(2));
  EXPECT_TRUE(cache.fresh());
}

TEST_F(MemoryCache, MEM_12_ConcurrentCallersShareOneFill) {
  std::vector<std::thread> callers;
  std::atomic<int> answered = 0;
  std::atomic<int> arrived = 0;
  live->on_groups = [&] {
    while (arrived < 8) std::this_thread::yield();  // the others have come, or will soon
  };
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&, i] {
      ++arrived;
      const bool ok = i % 2 == 0
                          ? static_cast<bool>(cache.server_groups({}))
                          : static_cast<bool>(cache.server_resources_for_group_version(kCore, {}));
      answered += ok ? 1 : 0;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(answered, 8);
  EXPECT_EQ(live->group_calls, 1);
}

TEST_F(MemoryCache, AWaitForAnotherCallersFillCanBeStopped) {
  std::atomic<bool> filling = false;
  std::atomic<bool> go_on = false;
  live->on_groups = [&] {
    filling = true;
    filling.notify_all();
    go_on.wait(false);
  };
  std::thread first([&] { EXPECT_TRUE(cache.server_groups({})); });
  filling.wait(false);
  stop.request_stop();
  const auto stopped = cache.server_groups(stop.get_token());
  EXPECT_EQ(stopped.error().code(), ErrorCode::Cancelled);
  EXPECT_THAT(stopped.error().message(), HasSubstr("another caller"));
  go_on = true;
  go_on.notify_all();
  first.join();
}

TEST_F(MemoryCache, WhatWasAskedForBeforeAnInvalidateIsNotKept) {
  live->on_groups = [this] {
    if (live->group_calls == 1) cache.invalidate();
  };
  EXPECT_TRUE(cache.server_groups({}));
  EXPECT_FALSE(cache.fresh());
}

}  // namespace
}  // namespace kube
