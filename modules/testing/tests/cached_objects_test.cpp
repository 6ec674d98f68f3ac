// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/cached_objects.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/meta/errors.hpp>
#include <kube/testing/object_matchers.hpp>

namespace kube::testing {
namespace {

using core::v1::Pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Pod pod(const std::string& namespace_, const std::string& name, const std::string& node = "") {
  Pod pod;
  pod.metadata.namespace_ = namespace_;
  pod.metadata.name = name;
  pod.metadata.labels = {{"app", name}};
  pod.spec.node_name = node;
  return pod;
}

// [lister]
/// The pods of a namespace that run on a node.
std::vector<std::string> names_on(const Lister<Pod>& pods, const std::string& namespace_,
                                  const std::string& node) {
  std::vector<std::string> names;
  for (const Cached<Pod>& each : pods.in_namespace(namespace_).list()) {
    if (each->spec.node_name == node) names.emplace_back(each.name());
  }
  return names;
}

TEST(NamesOn, AreThoseOfTheNamespaceAndNode) {
  const auto pods = lister_of<Pod>({pod("x", "a", "n1"), pod("x", "b", "n2"), pod("y", "c", "n1")});
  EXPECT_THAT(names_on(pods, "x", "n1"), ElementsAre("a"));
  EXPECT_THAT(names_on(pods, "z", "n1"), IsEmpty());
}
// [lister]

TEST(CachedObjects, AListerHasExactlyTheGivenObjects) {
  const auto pods = lister_of<Pod>({pod("x", "a"), pod("x", "b"), pod("y", "a")});
  EXPECT_THAT(pods.list(), UnorderedElementsAre(HasKey("x/a"), HasKey("x/b"), HasKey("y/a")));
  EXPECT_THAT(pods.in_namespace("y").list(), ElementsAre(HasKey("y/a")));
  EXPECT_THAT(pods.list(labels::parse("app=b").value()).value(), ElementsAre(HasKey("x/b")));
  EXPECT_TRUE(is_not_found(pods.get("y/b").error()));
  EXPECT_THAT(lister_of<Pod>({}).list(), IsEmpty());
}

TEST(CachedObjects, AListerHasTheVersionsOfItsObjectsAndGetsNoOthers) {
  Pod one = pod("x", "a");
  one.metadata.resource_version = "7";
  const auto pods = lister_of<Pod>(
      {one},
      {{"name", [](const Cached<Pod>& each) { return std::vector{std::string(each.name())}; }}});
  EXPECT_TRUE(pods.wait_for("7", std::chrono::hours(1)));
  EXPECT_EQ(pods.wait_for("8", std::chrono::hours(1)).error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(pods.store()->count("name", "a"), 1U);
}

TEST(CachedObjects, AnIndexerHasTheGivenIndexes) {
  const auto pods = indexer_of<Pod>({pod("x", "a", "n1"), pod("x", "b", "n2"), pod("y", "a", "n1")},
                                    {{"node", index_by_field<Pod>("spec.nodeName").value()}});
  EXPECT_THAT(pods.by_index("node", "n1").value(),
              UnorderedElementsAre(HasKey("x/a"), HasKey("y/a")));
  EXPECT_THAT(pods.by_index(kNamespaceIndex, "x").value(),
              UnorderedElementsAre(HasKey("x/a"), HasKey("x/b")));
}

TEST(CachedObjects, ObjectsOfAnyResourceNeedNoType) {
  const meta::ResourceInfo widgets{"example.com", "v1", "Widget", "widgets", "widget", true};
  Unstructured widget;
  widget.set_api_version("example.com/v1");
  widget.set_kind("Widget");
  widget.set_namespace("x");
  widget.set_name("w");
  EXPECT_THAT(lister_of(widgets, {widget}).list(), ElementsAre(HasKey("x/w")));
  EXPECT_EQ(indexer_of(widgets, {widget}).size(), 1U);
}

TEST(CachedObjects, WhatNoCacheCanHoldIsRefused) {
  EXPECT_THROW(lister_of<Pod>({pod("x", "a"), pod("x", "a")}), std::invalid_argument);
  EXPECT_THROW(lister_of<Pod>({pod("x", "")}), std::invalid_argument);
}

TEST(CachedObjects, OneObjectIsCachedForACall) {
  const auto cached_pod = cached(pod("x", "a", "n1"));
  EXPECT_EQ(cached_pod.key(), "x/a");
  EXPECT_EQ(cached_pod->spec.node_name, "n1");
  EXPECT_THAT(index_by_field<Pod>("spec.nodeName").value()(cached_pod), ElementsAre("n1"));
}

}  // namespace
}  // namespace kube::testing
