// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/index_functions.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/lister.hpp>
#include <kube/codec/codec.hpp>
#include <kube/meta/partial_object_metadata.hpp>

#include "store_writer.hpp"

namespace kube {
namespace {

using core::v1::Pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Pod pod(std::string name, labels::Set labels) {
  Pod pod;
  pod.metadata.namespace_ = "x";
  pod.metadata.name = std::move(name);
  pod.metadata.labels = std::move(labels);
  return pod;
}

Pod owned(std::string name, std::string owner, bool controller) {
  Pod made = pod(std::move(name), {});
  meta::OwnerReference reference;
  reference.kind = "ReplicaSet";
  reference.uid = "uid-of-" + owner;
  reference.name = std::move(owner);
  reference.controller = controller;
  made.metadata.owner_references.push_back(std::move(reference));
  return made;
}

enum class Stored { Json, Protobuf, Decoded };

cache::CellRef cell_of(const Pod& pod, Stored stored) {
  if (stored == Stored::Decoded) {
    return cache::Cell::make_decoded(cache::cell_type<Pod>(), cache::parts_of(pod), new Pod(pod));
  }
  std::string body;
  cache::Cell::Parts parts = cache::parts_of(pod);
  parts.encoding = stored == Stored::Json ? Encoding::Json : Encoding::Protobuf;
  cache::encode_body(pod, parts.encoding, body);
  parts.body = body;
  return cache::Cell::make(cache::cell_type<Pod>(), parts);
}

class IndexFunctions : public ::testing::TestWithParam<Stored> {
 protected:
  Cached<Pod> cached(const Pod& pod) const { return Cached<Pod>(cell_of(pod, GetParam())); }
};

TEST_P(IndexFunctions, ByLabelIsTheLabelsValue) {
  const IndexFunc<Pod> by_app = index_by_label<Pod>("app");
  EXPECT_THAT(by_app(cached(pod("a", {{"app", "web"}, {"tier", "front"}}))), ElementsAre("web"));
  EXPECT_THAT(by_app(cached(pod("a", {{"app", ""}}))), ElementsAre(""));
  EXPECT_THAT(by_app(cached(pod("a", {{"tier", "app"}}))), IsEmpty());
  EXPECT_THAT(by_app(cached(pod("a", {}))), IsEmpty());
}

TEST_P(IndexFunctions, ByOwnerIsTheControllersUidAndItsKindAndName) {
  const IndexFunc<Pod> by_owner = index_by_owner<Pod>();
  EXPECT_THAT(by_owner(cached(owned("a", "web", true))),
              ElementsAre("uid-of-web", owner_value("ReplicaSet", "web")));
  EXPECT_THAT(by_owner(cached(owned("a", "web", false))), IsEmpty());
  EXPECT_THAT(by_owner(cached(pod("a", {}))), IsEmpty());
  Pod two = owned("a", "web", false);
  two.metadata.owner_references.push_back(owned("", "db", true).metadata.owner_references[0]);
  EXPECT_THAT(by_owner(cached(two)), ElementsAre("uid-of-db", "ReplicaSet/db"));
}

TEST_P(IndexFunctions, BySelectorIsWhatMatches) {
  const IndexFunc<Pod> canaries = index_by_selector<Pod>(*labels::parse("track=canary,!old"));
  EXPECT_THAT(canaries(cached(pod("a", {{"track", "canary"}}))), ElementsAre(kMatching));
  EXPECT_THAT(canaries(cached(pod("a", {{"track", "canary"}, {"old", ""}}))), IsEmpty());
  EXPECT_THAT(canaries(cached(pod("a", {}))), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Stored, IndexFunctions,
                         ::testing::Values(Stored::Json, Stored::Protobuf, Stored::Decoded));

TEST(IndexByRuntimeField, ReadsTheFieldOfATypeThatIsKnownAtRunTime) {
  const auto make = [](std::string_view body) {
    cache::Cell::Parts parts;
    parts.name = "a";
    parts.body = body;
    return Cached<Unstructured>(cache::Cell::make(cache::cell_type<Unstructured>(), parts));
  };
  const auto by_node = index_by_field(Pod::descriptor(), "spec.nodeName");
  ASSERT_TRUE(by_node);
  EXPECT_THAT((*by_node)(make(R"({"metadata":{"name":"a"},"spec":{"nodeName":"n1"}})")),
              ElementsAre("n1"));
  EXPECT_THAT((*by_node)(make(R"({"metadata":{"name":"a"}})")), IsEmpty());
  const auto by_finalizer = index_by_field(Pod::descriptor(), "metadata.finalizers");
  ASSERT_TRUE(by_finalizer);
  EXPECT_THAT((*by_finalizer)(make(R"({"metadata":{"finalizers":["x","y"]}})")),
              ElementsAre("x", "y"));
  EXPECT_EQ(index_by_field(Pod::descriptor(), "spec.nothing").error().code(),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(index_by_field(Pod::descriptor(), "spec.containers").error().code(),
            ErrorCode::InvalidArgument);
}

/// Counts the objects that a query with a label selector looks at.
struct Counted final : cache::CellSink {
  std::size_t count = 0;
  void take(std::span<const cache::Cell* const> cells) override { count = cells.size(); }
};

class SelectingLister : public ::testing::Test {
 protected:
  void put(const Pod& pod) {
    cache::Delta change{.type = DeltaType::Updated, .cell = cell_of(pod, Stored::Protobuf)};
    ASSERT_TRUE(writer.apply({&change, 1}));
  }
  void add_label_index(const std::string& label) {
    ASSERT_TRUE(store->add_index("by " + label,
                                 cache::LabelIndexFunc{label, [label](const cache::CellRef& cell) {
                                                         return cache::label_of(*cell, label);
                                                       }}));
  }
  std::size_t looked_at(std::string_view selector, std::string_view scope = {}) const {
    Counted counted;
    static_cast<void>(store->list_candidates(scope, *labels::parse(selector), counted));
    return counted.count;
  }
  std::vector<std::string> names(std::string_view selector, std::string scope = {}) const {
    std::vector<std::string> names;
    const auto found = Lister<Pod>(store).in_namespace(scope).list(*labels::parse(selector));
    for (const Cached<Pod>& pod : found.value()) names.emplace_back(pod.name());
    return names;
  }
  std::shared_ptr<cache::Store> store =
      std::make_shared<cache::Store>(meta::GroupResource{"", "pods"});
  cache::StoreWriter writer{store};
};

TEST_F(SelectingLister, LooksOnlyAtWhatTheBestIndexFinds) {
  for (int i = 0; i < 100; ++i) {
    Pod made = pod("p" + std::to_string(i), {{"app", "app-" + std::to_string(i % 20)},
                                             {"tier", i % 2 == 0 ? "front" : "back"}});
    made.metadata.namespace_ = i < 10 ? "small" : "x";
    put(made);
  }
  EXPECT_EQ(looked_at("app=app-3"), 100U);
  add_label_index("app");
  add_label_index("tier");
  EXPECT_EQ(looked_at("app=app-3"), 5U);
  EXPECT_EQ(looked_at("app==app-3"), 5U);
  EXPECT_EQ(looked_at("app in (app-3,app-4)"), 10U);
  EXPECT_EQ(looked_at("tier=front,app=app-4"), 5U);
  EXPECT_EQ(looked_at("tier=front"), 50U);
  EXPECT_EQ(looked_at("tier=front", "small"), 10U) << "the namespace has fewer";
  EXPECT_EQ(looked_at("app=none"), 0U);
  EXPECT_EQ(looked_at("app!=app-3"), 100U);
  EXPECT_EQ(looked_at("app"), 100U);
  EXPECT_EQ(looked_at("app notin (app-3)"), 100U);
  // And the answers are the same as without an index.
  EXPECT_THAT(names("app=app-3"), UnorderedElementsAre("p3", "p23", "p43", "p63", "p83"));
  EXPECT_THAT(names("app=app-3", "small"), ElementsAre("p3"));
  EXPECT_THAT(names("tier=front,app in (app-3,app-4)", "small"), ElementsAre("p4"));
  EXPECT_THAT(names("app=app-3,tier=front"), IsEmpty());
}

TEST_F(SelectingLister, NothingIsCheckedAgainWhenTheIndexAnswersTheWholeSelector) {
  Pod web = pod("a", {{"app", "web"}, {"tier", "front"}});
  web.metadata.namespace_ = "x";
  put(web);
  add_label_index("app");
  const auto known = [&](std::string_view selector, std::string_view scope = {}) {
    Counted counted;
    return store->list_candidates(scope, *labels::parse(selector), counted);
  };
  EXPECT_TRUE(known("app=web"));
  EXPECT_TRUE(known("app in (web,db)"));
  EXPECT_FALSE(known("app=web,tier=back"));
  EXPECT_FALSE(known("app=web", "y"));
  EXPECT_FALSE(known("app"));
  EXPECT_FALSE(known("tier=front"));
  EXPECT_THAT(names("app=web"), ElementsAre("a"));
  EXPECT_THAT(names("app=web,tier=back"), IsEmpty());
  EXPECT_THAT(names("app=web", "y"), IsEmpty());
}

TEST_F(SelectingLister, AnIndexLeavesOutWhatHasNoLabelsThatCanBeRead) {
  put(pod("good", {{"app", "web"}}));
  cache::Cell::Parts parts;
  parts.name = "bad";
  parts.body = R"({"metadata":{"name":"bad","labels":{"app":5}}})";
  cache::Delta change{.type = DeltaType::Updated,
                      .cell = cache::Cell::make(cache::cell_type<Pod>(), parts)};
  ASSERT_TRUE(writer.apply({&change, 1}));
  const auto failed = Lister<Pod>(store).list(*labels::parse("app=web"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code(), ErrorCode::Decode);
  add_label_index("app");
  EXPECT_THAT(names("app=web"), ElementsAre("good"));
}

}  // namespace
}  // namespace kube
