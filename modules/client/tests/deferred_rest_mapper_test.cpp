// SPDX-License-Identifier: Apache-2.0
#include <kube/client/deferred_rest_mapper.hpp>

#include <atomic>
#include <thread>

#include <gmock/gmock.h>

#include <kube/testing/fake_clock.hpp>
#include <kube/transport/no_waiting.hpp>

#include "fake_discovery.hpp"

namespace kube {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DeferredMapper : public ::testing::Test {
 protected:
  void add_widgets() {
    live->groups.groups.push_back({"acme.com", {"v1"}, "v1"});
    ApiResource widgets = fake_resource("widgets", "Widget");
    widgets.short_names = {"wi"};
    widgets.categories = {"all"};
    live->lists.insert_or_assign({"acme.com", "v1"},
                                 ApiResourceList{{"acme.com", "v1"}, {widgets}});
  }
  void remove_widgets() {
    live->groups.groups.pop_back();
    live->lists.erase({"acme.com", "v1"});
  }
  bool finds(const char* kind) const {
    const auto found = mapper.mapping({"acme.com", kind}, "v1", {});
    EXPECT_TRUE(found || is_no_match(found.error())) << found.error().to_string();
    return static_cast<bool>(found);
  }

  std::shared_ptr<FakeDiscovery> live = std::make_shared<FakeDiscovery>();
  std::shared_ptr<testing::FakeClock> clock = std::make_shared<testing::FakeClock>();
  std::vector<std::string> warnings;
  DeferredRestMapper mapper{live, [this](const std::string& text) { warnings.push_back(text); },
                            clock};
};

TEST_F(DeferredMapper, AMissAsksAgainAtMostOnceInTenSecondsWhateverIsMissing) {
  EXPECT_EQ(mapper.resolve("pods", {}).value().plural, "pods");
  live->is_fresh = true;
  for (int round = 1; round <= 3; ++round) {
    for (int i = 0; i < 10; ++i) {
      EXPECT_FALSE(finds("Widget"));
      EXPECT_FALSE(finds("Gadget"));
      EXPECT_TRUE(is_no_match(mapper.resolve("gadgets", {}).error()));
      EXPECT_TRUE(is_no_match(mapper.resource("acme.com/v1", "gizmos", {}).error()));
    }
    EXPECT_EQ(live->invalidations, round);
    clock->advance(DeferredRestMapper::kAskAgain - std::chrono::nanoseconds(1));
    EXPECT_FALSE(finds("Widget"));
    EXPECT_EQ(live->invalidations, round);
    clock->advance(std::chrono::nanoseconds(1));
  }
}

TEST_F(DeferredMapper, AKindWhoseDefinitionComesWhileTheProgramRunsIsFound) {
  ASSERT_TRUE(mapper.resolve("pods", {}));
  live->is_fresh = true;
  EXPECT_FALSE(finds("Widget"));
  clock->advance(std::chrono::seconds(1));
  add_widgets();
  EXPECT_FALSE(finds("Widget")) << "the server was asked a second ago";
  clock->advance(std::chrono::seconds(9));
  EXPECT_TRUE(finds("Widget"));
  EXPECT_EQ(live->invalidations, 2);
}

TEST_F(DeferredMapper, TheAnswerToThisCallIsNotAskedForAgain) {
  live->on_groups = [&] { live->is_fresh = true; };
  EXPECT_FALSE(finds("Widget"));
  EXPECT_EQ(live->group_calls, 1);
  EXPECT_EQ(live->invalidations, 0);
  add_widgets();
  EXPECT_TRUE(finds("Widget")) << "a second later";
}

TEST_F(DeferredMapper, WhatTheServerDoesNotServeAnyMoreIsForgotten) {
  add_widgets();
  ASSERT_TRUE(finds("Widget"));
  live->is_fresh = true;
  remove_widgets();
  mapper.not_served({"acme.com", "v2", "widgets"});
  mapper.not_served({"acme.com", "v1", "gadgets"});
  EXPECT_TRUE(finds("Widget"));
  EXPECT_EQ(live->invalidations, 0) << "these are not known";
  mapper.not_served({"acme.com", "v1", "widgets"});
  EXPECT_FALSE(finds("Widget"));
  EXPECT_EQ(live->invalidations, 1);
  mapper.not_served({"acme.com", "v1", "widgets"});
  clock->advance(DeferredRestMapper::kAskAgain);
  EXPECT_TRUE(mapper.resolve("pods", {}));
  EXPECT_EQ(live->invalidations, 1) << "it is not known any more";
}

TEST_F(DeferredMapper, AResourceThatIsListedAndNotServedIsAskedForAtMostOnceInTenSeconds) {
  add_widgets();
  ASSERT_TRUE(finds("Widget"));
  live->is_fresh = true;
  for (int i = 0; i < 10; ++i) {
    mapper.not_served({"acme.com", "v1", "widgets"});
    EXPECT_TRUE(finds("Widget"));
  }
  EXPECT_EQ(live->invalidations, 1);
}

TEST_F(DeferredMapper, AFailedReadIsTheErrorOfTheMissesAndHidesNothingThatIsKnown) {
  ASSERT_TRUE(mapper.resolve("pods", {}));
  live->is_fresh = true;
  live->group_error = Error(ErrorCode::Unreachable, "connection refused");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(mapper.resolve("widgets", {}).error().code(), ErrorCode::Unreachable);
    EXPECT_TRUE(mapper.resolve("pods", {}));
  }
  EXPECT_EQ(live->invalidations, 1);
  live->group_error.reset();
  add_widgets();
  clock->advance(DeferredRestMapper::kAskAgain);
  EXPECT_TRUE(mapper.resolve("widgets", {}));
}

TEST_F(DeferredMapper, AStoppedReadDoesNotCount) {
  ASSERT_TRUE(mapper.resolve("pods", {}));
  live->is_fresh = true;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(mapper.resolve("widgets", stop.get_token()).error().code(), ErrorCode::Cancelled);
  add_widgets();
  EXPECT_TRUE(mapper.resolve("widgets", {}));
}

TEST_F(DeferredMapper, WhatWasReadIsReadAgainAfterTenMinutes) {
  ASSERT_TRUE(mapper.resolve("pods", {}));
  live->is_fresh = true;
  clock->advance(DeferredRestMapper::kMaxAge - std::chrono::nanoseconds(1));
  ASSERT_TRUE(mapper.resolve("pods", {}));
  EXPECT_EQ(live->invalidations, 0);
  clock->advance(std::chrono::nanoseconds(1));
  live->group_error = Error(ErrorCode::Unreachable, "connection refused");
  EXPECT_TRUE(mapper.resolve("pods", {})) << "what was known is better than nothing";
  EXPECT_EQ(live->invalidations, 1);
  live->group_error.reset();
  add_widgets();
  EXPECT_THAT(mapper.in_category("all", {}), IsEmpty()) << "it is too early to ask again";
  clock->advance(DeferredRestMapper::kAskAgain);
  EXPECT_THAT(mapper.in_category("all", {}), SizeIs(1));
  EXPECT_EQ(live->invalidations, 2);
}

TEST_F(DeferredMapper, AGroupThatIsDownIsAskedForAgain) {
  live->lists.insert_or_assign({"apps", "v1"},
                               Error(ErrorCode::Server, "stale GroupVersion discovery: apps/v1"));
  const auto down = mapper.resource("apps/v1", "deployments", {});
  ASSERT_FALSE(down);
  EXPECT_TRUE(is_group_discovery_failed(down.error())) << down.error().to_string();
  EXPECT_EQ(live->invalidations, 1);
  live->lists.insert_or_assign(
      {"apps", "v1"},
      ApiResourceList{{"apps", "v1"}, {fake_resource("deployments", "Deployment")}});
  clock->advance(DeferredRestMapper::kAskAgain);
  EXPECT_EQ(mapper.resource("apps/v1", "deployments", {}).value().kind, "Deployment");
}

TEST_F(DeferredMapper, CallersThatMissAtOnceShareOneRead) {
  ASSERT_TRUE(mapper.resolve("pods", {}));
  live->is_fresh = true;
  add_widgets();
  std::atomic<int> found = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] { found += mapper.resolve("widgets", {}) ? 1 : 0; });
    callers.emplace_back([&] { found += mapper.resolve("pods", {}) ? 1 : 0; });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(found, 16);
  EXPECT_EQ(live->invalidations, 1);
}

TEST_F(DeferredMapper, MAP_18_LoadsOnFirstUseForAllThreadsAndAgainAfterAReset) {
  EXPECT_EQ(live->group_calls, 0);
  std::atomic<int> found = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] { found += mapper.resolve("deploy", {}) ? 0 : 1; });
    callers.emplace_back([&] { found += mapper.mapping({"apps", "Deployment"}, "", {}) ? 1 : 0; });
  }
  live->is_fresh = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(found, 16);
  live->is_fresh = true;
  const int calls = live->group_calls;
  mapper.reset();
  EXPECT_EQ(live->group_calls, calls);
  EXPECT_TRUE(mapper.resolve("pods", {}));
  EXPECT_EQ(live->group_calls, calls + 1);
}

TEST_F(DeferredMapper, MAP_23_ANewDefinitionIsFoundByItsKindAndItsShortName) {
  ASSERT_TRUE(mapper.current({}));
  live->on_invalidate = [&] {
    if (live->invalidations == 1) add_widgets();
  };
  EXPECT_EQ(mapper.mapping({"acme.com", "Widget"}, "v1", {}).value().plural, "widgets");
  EXPECT_EQ(mapper.resolve("wi", {}).value().plural, "widgets");
  EXPECT_EQ(live->invalidations, 1);
}

TEST_F(DeferredMapper, AMissAfterARefreshAsksAgainWhateverTheBoundSays) {
  ASSERT_TRUE(mapper.resolve("pods", {}));
  live->is_fresh = true;
  EXPECT_FALSE(finds("Widget"));
  EXPECT_FALSE(finds("Widget"));
  EXPECT_EQ(live->invalidations, 1);
  live->on_invalidate = [&] {
    if (live->invalidations == 2) add_widgets();
  };
  mapper.refresh();
  EXPECT_TRUE(finds("Widget"));
  EXPECT_TRUE(finds("Widget"));
  EXPECT_EQ(live->invalidations, 2);
}

TEST_F(DeferredMapper, ARefreshKeepsWhatIsKnownAndAResetForgetsIt) {
  ASSERT_TRUE(mapper.resolve("pods", {}));
  mapper.refresh();
  live->group_error = Error(ErrorCode::Unreachable, "connection refused");
  EXPECT_TRUE(mapper.resolve("pods", {}));
  mapper.reset();
  EXPECT_FALSE(mapper.resolve("pods", {})) << "a reset forgets it";
}

TEST_F(DeferredMapper, AResponseHandlerThatMayNotWaitSpoilsNothingForOthers) {
  ASSERT_TRUE(mapper.resolve("pods", {}));
  live->is_fresh = true;
  {
    const transport::NoWaiting handler;
    EXPECT_EQ(mapper.resolve("widgets", {}).error().code(), ErrorCode::InvalidArgument);
    EXPECT_TRUE(mapper.resolve("pods", {}));
  }
  EXPECT_EQ(live->invalidations, 0);
  live->on_invalidate = [&] { add_widgets(); };
  EXPECT_TRUE(mapper.resolve("widgets", {}));
}

TEST_F(DeferredMapper, WarningsAndCategories) {
  add_widgets();
  ApiResource other = fake_resource("wizards", "Wizard");
  other.short_names = {"wi"};
  live->lists.insert_or_assign({"apps", "v1"}, ApiResourceList{{"apps", "v1"}, {other}});
  EXPECT_EQ(mapper.resolve("wi", {}).value().plural, "wizards");
  EXPECT_THAT(warnings, SizeIs(1));
  EXPECT_THAT(mapper.in_category("all", {}), SizeIs(1));
  EXPECT_THAT(mapper.in_category("none", {}), IsEmpty());
}

TEST_F(DeferredMapper, AFailureOfDiscoveryIsNotKept) {
  live->group_error = Error(ErrorCode::Unreachable, "connection refused");
  const auto failed = mapper.resolve("pods", {});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().to_string(), HasSubstr("find out what the server serves: "));
  EXPECT_THAT(mapper.in_category("all", {}), IsEmpty());
  live->group_error.reset();
  EXPECT_TRUE(mapper.resolve("pods", {}));
}

}  // namespace
}  // namespace kube
