// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/multi_namespace_lister.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/meta/errors.hpp>
#include <kube/testing/cached_objects.hpp>
#include <kube/testing/object_matchers.hpp>

namespace kube {
namespace {

using kube::testing::HasKey;
using kube::testing::indexer_of;
using kube::testing::lister_of;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const meta::ResourceInfo kWidgets{"example.com", "v1", "Widget", "widgets", "widget", true};

Unstructured widget(const std::string& namespace_, const std::string& name) {
  Unstructured object;
  object.set_api_version("example.com/v1");
  object.set_kind("Widget");
  object.set_namespace(namespace_);
  object.set_name(name);
  object.set_labels({{"app", name}});
  return object;
}

MultiNamespaceLister<Unstructured> lister() {
  using Part = MultiNamespaceLister<Unstructured>::Part;
  const std::vector<Unstructured> x{widget("x", "a"), widget("x", "b")};
  const std::vector<Unstructured> y{widget("y", "a")};
  return MultiNamespaceLister<Unstructured>(
      {{"x", Part{lister_of(kWidgets, x), indexer_of(kWidgets, x)}},
       {"y", Part{lister_of(kWidgets, y), indexer_of(kWidgets, y)}}});
}

TEST(MultiNamespaceLister, FindsAnObjectInTheCacheOfItsNamespace) {
  const auto widgets = lister();
  EXPECT_THAT(widgets.get("x/b").value(), HasKey("x/b"));
  EXPECT_THAT(widgets.get("y", "a").value(), HasKey("y/a"));
  EXPECT_THAT(widgets.get(ObjectKey{"x", "a"}).value(), HasKey("x/a"));
  EXPECT_THAT(widgets.find(ObjectKey{"x", "a"}), HasKey("x/a"));
}

TEST(MultiNamespaceLister, WhatNoneOfItsNamespacesHasIsNotFound) {
  const auto widgets = lister();
  for (const char* key : {"y/b", "z/a", "a"}) {
    const auto missing = widgets.get(key);
    ASSERT_FALSE(missing) << key;
    EXPECT_TRUE(is_not_found(missing.error())) << key;
    EXPECT_THAT(missing.error().message(), ::testing::HasSubstr("widgets.example.com")) << key;
  }
  EXPECT_FALSE(widgets.find(ObjectKey{"z", "a"}));
}

TEST(MultiNamespaceLister, ListsAllNamespacesOrOne) {
  const auto widgets = lister();
  EXPECT_THAT(widgets.list(), UnorderedElementsAre(HasKey("x/a"), HasKey("x/b"), HasKey("y/a")));
  EXPECT_THAT(widgets.list(labels::parse("app=a").value()).value(),
              UnorderedElementsAre(HasKey("x/a"), HasKey("y/a")));
  EXPECT_THAT(widgets.by_index(kNamespaceIndex, "y").value(), ElementsAre(HasKey("y/a")));
  EXPECT_THAT(widgets.in_namespace("y").list(), ElementsAre(HasKey("y/a")));
  EXPECT_THAT(widgets.in_namespace("z").list(), IsEmpty());
  EXPECT_EQ(widgets.size(), 3U);
}

}  // namespace
}  // namespace kube
