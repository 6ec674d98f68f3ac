// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/resource_informer_factory.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/object_matchers.hpp>

#include "informer_fixture.hpp"

namespace kube::cache::testing {
namespace {

using kube::testing::HasLabel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ResourceInformerFactoryTest : public InformerFixture {};

TEST_F(ResourceInformerFactoryTest, AResourceIsKnownByItsNameOrTakenAsItIs) {
  EXPECT_EQ(resource_by_name({"", "v1", "nodes"}).kind, "Node");
  EXPECT_FALSE(resource_by_name({"", "v1", "nodes"}).namespaced);
  const meta::ResourceInfo widgets = resource_by_name({"example.com", "v1", "widgets"});
  EXPECT_EQ(widgets.kind, "");
  EXPECT_TRUE(widgets.namespaced);
  EXPECT_EQ(widgets.gvr(), (meta::GroupVersionResource{"example.com", "v1", "widgets"}));
}

TEST_F(ResourceInformerFactoryTest, TheSameNameIsTheSameInformer) {
  DynamicSharedInformerFactory factory(client());
  const meta::GroupVersionResource widgets{"example.com", "v1", "widgets"};
  EXPECT_EQ(factory.for_resource(widgets), factory.for_resource(widgets));
  EXPECT_NE(factory.for_resource(widgets), factory.for_resource({"example.com", "v2", "widgets"}));
  EXPECT_NE(factory.for_resource(widgets), factory.for_resource(widgets, {.namespace_ = "x"}));
}

TEST_F(ResourceInformerFactoryTest, ConfiguresEachOfItsInformers) {
  DynamicSharedInformerFactory factory(client());
  std::vector<std::string> configured;
  factory.configure(
      [&](SharedInformer<Unstructured>& made) { configured.push_back(made.resource().plural); });
  factory.start();
  const auto widgets = factory.acquire({"example.com", "v1", "widgets"});
  const auto nodes = factory.acquire({"", "v1", "nodes"});
  EXPECT_THAT(configured, ElementsAre("widgets", "nodes"));
}

TEST_F(ResourceInformerFactoryTest, TheFactorysOptionsFilterAllInformers) {
  DynamicSharedInformerFactory factory(client(), {.namespace_ = "x",
                                                  .label_selector = "app=web",
                                                  .field_selector = "spec.size=1",
                                                  .watch_list = false});
  const auto widgets_informer = factory.for_resource({"example.com", "v1", "widgets"});
  factory.start();
  ScriptedCall list = next_list();
  EXPECT_EQ(list.path(), "/apis/example.com/v1/namespaces/x/widgets");
  EXPECT_EQ(list.query("labelSelector"), "app=web");
  EXPECT_EQ(list.query("fieldSelector"), "spec.size=1");
  // As custom resources come: each item names its kind.
  list.respond(200, R"({"apiVersion":"example.com/v1","kind":"WidgetList",)"
                    R"("metadata":{"resourceVersion":"9"},"items":[)"
                    R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a",)"
                    R"("namespace":"x","resourceVersion":"5"}}]})");
  next_watch();
  run();
  ASSERT_TRUE(factory.wait_for_cache_sync({}));
  const auto widget = widgets_informer->lister().get("x/a").value();
  EXPECT_EQ(widget->kind(), "Widget");
  factory.shutdown();
  EXPECT_TRUE(widgets_informer->is_stopped());
}

TEST_F(ResourceInformerFactoryTest, MetadataAloneAreRequested) {
  MetadataSharedInformerFactory factory(client(), {.watch_list = false});
  const auto widgets_informer = factory.for_resource({"example.com", "v1", "widgets"});
  factory.start();
  ScriptedCall list = next_list();
  const auto accept = list.request().headers.find("Accept");
  ASSERT_TRUE(accept);
  EXPECT_THAT(*accept, HasSubstr("as=PartialObjectMetadataList"));
  list.respond(200, R"({"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadataList",)"
                    R"("metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a",)"
                    R"("namespace":"x","resourceVersion":"5","labels":{"app":"web"}}}]})");
  run();
  EXPECT_THAT(widgets_informer->lister().list(), ElementsAre(HasLabel("app", "web")));
}

}  // namespace
}  // namespace kube::cache::testing
