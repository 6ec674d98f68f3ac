// SPDX-License-Identifier: Apache-2.0
#include <kube/client/deferred_rest_mapper.hpp>

#include <thread>

#include <gmock/gmock.h>

#include <kube/testing/fake_clock.hpp>

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
  std::shared_ptr<FakeDiscovery> live = std::make_shared<FakeDiscovery>();
  std::vector<std::string> warnings;
  DeferredRestMapper mapper{live, [this](const std::string& text) { warnings.push_back(text); }};
};

TEST_F(DeferredMapper, MAP_17_AMissAsksAgainOnceWhileDiscoveryIsNotFresh) {
  EXPECT_EQ(mapper.resolve("pods", {}).value().plural, "pods");
  EXPECT_EQ(live->invalidations, 0);
  live->on_invalidate = [&] {
    add_widgets();
    live->is_fresh = true;
  };
  EXPECT_EQ(mapper.resolve("widgets", {}).value().api_version(), "acme.com/v1");
  EXPECT_EQ(live->invalidations, 1);
  EXPECT_TRUE(is_no_match(mapper.resolve("gadgets", {}).error()));
  EXPECT_TRUE(is_no_match(mapper.mapping({"acme.com", "Gadget"}, "", {}).error()));
  EXPECT_EQ(live->invalidations, 1) << "what is fresh has no gadgets";

  live->is_fresh = false;
  live->on_invalidate = nullptr;
  EXPECT_TRUE(is_no_match(mapper.resolve("gadgets", {}).error()));
  EXPECT_EQ(live->invalidations, 2) << "once for each miss";
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

TEST_F(DeferredMapper, AKindThatWasMissedIsNotAskedForWithEachOfItsObjects) {
  const auto clock = std::make_shared<testing::FakeClock>();
  const DeferredRestMapper writes(live, nullptr, clock);
  live->is_fresh = true;
  const auto missing = [&](const char* kind) {
    return is_no_match(writes.mapping_of_new({"acme.com", "v1", kind}, {}).error());
  };
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(missing("Widget"));
  EXPECT_EQ(live->invalidations, 1);
  EXPECT_TRUE(missing("Gadget"));
  EXPECT_EQ(live->invalidations, 2) << "its definition may have come later";
  EXPECT_TRUE(missing("Widget"));
  EXPECT_EQ(live->invalidations, 2);

  clock->advance(DeferredRestMapper::kRememberMiss);
  EXPECT_TRUE(missing("Widget"));
  EXPECT_EQ(live->invalidations, 3);
  for (const meta::GroupVersionKind& definition :
       {meta::GroupVersionKind{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
        meta::GroupVersionKind{"apiregistration.k8s.io", "v1", "APIService"}}) {
    static_cast<void>(writes.mapping_of_new(definition, {}));
    const int before = live->invalidations;
    EXPECT_TRUE(missing("Widget"));
    EXPECT_EQ(live->invalidations, before + 1) << definition.kind;
  }
  writes.reset();
  const int before = live->invalidations;
  live->on_invalidate = [&] { add_widgets(); };
  EXPECT_TRUE(writes.mapping_of_new({"acme.com", "v1", "Widget"}, {}));
  EXPECT_EQ(live->invalidations, before + 1);
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
