// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/multi_namespace_informer_factory.hpp>

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/object_matchers.hpp>

#include "informer_fixture.hpp"

namespace kube::cache::testing {
namespace {

using kube::testing::HasKey;
using ::testing::UnorderedElementsAre;

class MultiNamespaceInformerFactoryTest : public InformerFixture {
 protected:
  void answer(const std::string& path, const std::string& key) {
    transport->on("GET", path, [key](ScriptedCall call) {
      if (!call.query("watch")) call.respond(200, list_text({object_text(key, "5")}, "10"));
    });
  }
};

TEST_F(MultiNamespaceInformerFactoryTest, SharesOneInformerForEachNamespace) {
  answer("/api/v1/namespaces/x/pods", "x/a");
  answer("/api/v1/namespaces/y/pods", "y/a");
  MultiNamespaceInformerFactory factory(client(), {"x", "y"},
                                        {.label_selector = "app=web", .watch_list = false});
  const auto first = factory.for_resource(pods());
  const auto second = factory.for_resource(pods());
  EXPECT_EQ(first.informers(), second.informers());
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}));
  EXPECT_THAT(second.lister().list(), UnorderedElementsAre(HasKey("x/a"), HasKey("y/a")));
  run();
  EXPECT_EQ(transport->requests().size(), 4U);
  for (const auto& request : transport->requests()) {
    EXPECT_THAT(request.url, ::testing::HasSubstr("labelSelector=app%3Dweb"));
  }
  factory.shutdown();
  EXPECT_TRUE(first.is_stopped());
}

TEST_F(MultiNamespaceInformerFactoryTest, ConfiguresTheInformerOfEachNamespace) {
  answer("/api/v1/namespaces/x/pods", "x/a");
  answer("/api/v1/namespaces/y/pods", "y/a");
  MultiNamespaceInformerFactory factory(client(), {"x", "y"}, {.watch_list = false});
  factory.configure<Unstructured>([](SharedInformer<Unstructured>& made) {
    ASSERT_TRUE(made.set_transform([](Unstructured object) -> Result<Unstructured> {
      object.set_label("seen", "yes");
      return object;
    }));
  });
  factory.start();
  auto handle = factory.acquire<Unstructured>(pods(), {.watch_list = false});
  ASSERT_TRUE(factory.wait_for_cache_sync({}));
  EXPECT_THAT(handle->lister().list(),
              ::testing::Each(::testing::ResultOf(
                  [](const auto& pod) { return pod->labels().contains("seen"); }, true)));
  EXPECT_EQ(handle->lister().size(), 2U);
}

TEST_F(MultiNamespaceInformerFactoryTest, ResourcesWithoutNamespacesAreListedOnce) {
  answer("/api/v1/nodes", "n1");
  MultiNamespaceInformerFactory factory(client(), {"x", "y"}, {.watch_list = false});
  const auto nodes = factory.for_resource({"", "v1", "Node", "nodes", "node", false});
  factory.start();
  ASSERT_TRUE(factory.wait_for_cache_sync({}));
  EXPECT_EQ(nodes.lister().size(), 1U);
  EXPECT_EQ(nodes.informers().size(), 1U);
}

TEST_F(MultiNamespaceInformerFactoryTest, InformersWithOtherOptionsAreOthers) {
  MultiNamespaceInformerFactory factory(client(), {"x"});
  const auto all = factory.for_resource(pods());
  const auto web = factory.informer<Unstructured>(pods(), {.label_selector = "app=web"});
  EXPECT_NE(all.informers(), web.informers());
  EXPECT_EQ(web.informers(),
            factory.informer<Unstructured>(pods(), {.label_selector = "app=web"}).informers());
}

TEST_F(MultiNamespaceInformerFactoryTest, TheLastUseClosesTheWatches) {
  MultiNamespaceInformerFactory factory(client(), {"x", "y"}, {.watch_list = false});
  factory.start();
  std::vector<ScriptedCall> watches;
  const auto take = [&](const char* path) { return transport->take_request("GET", path).value(); };
  {
    auto first = factory.acquire<Unstructured>(pods(), {.watch_list = false});
    auto second = factory.acquire<Unstructured>(pods(), {.watch_list = false});
    EXPECT_EQ(first->informers(), second->informers());
    first.release();
    EXPECT_FALSE(first);
    for (const char* path : {"/api/v1/namespaces/x/pods", "/api/v1/namespaces/y/pods"}) {
      run();
      take(path).respond(200, list_text({}, "10"));
      run();
      watches.push_back(take(path));
    }
    EXPECT_FALSE(second->is_stopped());
    EXPECT_TRUE(second->has_synced());
    EXPECT_THAT(factory.status(), ::testing::SizeIs(2));
  }
  run();
  EXPECT_THAT(factory.status(), ::testing::IsEmpty());
  for (const ScriptedCall& watch : watches) EXPECT_TRUE(watch.cancelled());
  EXPECT_FALSE(factory.is_shut_down());
  factory.shutdown();
  EXPECT_TRUE(factory.is_shut_down());
}

}  // namespace
}  // namespace kube::cache::testing
