// SPDX-License-Identifier: Apache-2.0
//
// What may be asked of a Cached and a CachedList without a name. (What may not does not compile:
// tests/compile_fail/temporary_cached.cpp.) Lists here hold the only references to their objects,
// so that AddressSanitizer sees what outlives them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include <kube/api/core/v1/pod.hpp>
#include <kube/cache/lister.hpp>

namespace kube::cache {
namespace {

using core::v1::Pod;
using ::testing::ElementsAre;

static_assert(std::is_nothrow_move_constructible_v<CachedList<Pod>>);
static_assert(std::is_convertible_v<CachedList<Pod>, std::vector<Cached<Pod>>>);
static_assert(std::is_same_v<decltype(CachedList<Pod>()[0]), Cached<Pod>>);
static_assert(std::is_same_v<decltype(*std::declval<Cached<Pod>>()), Pod>);
static_assert(std::is_same_v<decltype(*std::declval<Cached<Pod>&>()), const Pod&>);

Cached<Pod> pod_on(std::string_view name, std::string_view node) {
  const std::string body = R"({"metadata":{"namespace":"web","name":")" + std::string(name) +
                           R"("},"spec":{"nodeName":")" + std::string(node) +
                           R"(","containers":[{"name":"app","image":"shop/front:1.2.3.4.5"}]}})";
  return Cached<Pod>(Cell::make(
      cell_type<Pod>(),
      {.namespace_ = "web", .name = name, .uid = "u", .resource_version = "5", .body = body}));
}
CachedList<Pod> two_pods() {
  return std::vector<Cached<Pod>>{pod_on("a", "n2"), pod_on("b", "n1")};
}
Result<Cached<Pod>> found() {
  return pod_on("a", "a node with a long name");
}

TEST(CachedTemporary, IsCopiedWhenItIsDereferenced) {
  const Pod copy = *found().value();
  EXPECT_EQ(copy.spec.node_name, "a node with a long name");
  const auto& spec = (*found().value()).spec;
  EXPECT_EQ(spec.node_name, "a node with a long name");
  for (const auto& container : (*found().value()).spec.containers)
    EXPECT_EQ(container.image, "shop/front:1.2.3.4.5");
}

TEST(CachedTemporary, HandsOutItsKeyByValue) {
  const auto key = found().value().object_key();
  EXPECT_EQ(key, (ObjectKey{"web", "a"}));
}

TEST(CachedList, OfATemporaryLivesThroughALoop) {
  std::vector<std::string> nodes;
  for (const auto& pod : two_pods()) nodes.push_back(pod->spec.node_name);
  EXPECT_THAT(nodes, ElementsAre("n2", "n1"));
  nodes.clear();
  for (const auto& pod : Result<CachedList<Pod>>(two_pods()).value())
    nodes.push_back(pod->spec.node_name);
  for (const auto& pod : *Result<CachedList<Pod>>(two_pods())) nodes.emplace_back(pod.name());
  EXPECT_THAT(nodes, ElementsAre("n2", "n1", "a", "b"));
}

TEST(CachedList, OfATemporaryHandsOutItsElementsByValue) {
  const auto& first = two_pods()[0];
  EXPECT_EQ(first->spec.node_name, "n2");
  const auto front = two_pods().front();
  EXPECT_EQ(front->spec.node_name, "n2");
  const auto& back = two_pods().back();
  EXPECT_EQ(back->spec.node_name, "n1");
}

TEST(CachedList, IsSortedAndSearchedAsAVector) {
  auto pods = two_pods();
  EXPECT_EQ(pods.size(), 2U);
  EXPECT_FALSE(pods.empty());
  std::sort(pods.begin(), pods.end(),
            [](const auto& a, const auto& b) { return a->spec.node_name < b->spec.node_name; });
  EXPECT_EQ(pods.front().name(), "b");
  EXPECT_EQ(pods[1].name(), "a");
  EXPECT_EQ(std::as_const(pods).back().name(), "a");
  const CachedList<Pod>& same = pods;
  EXPECT_EQ(std::count_if(same.begin(), same.end(),
                          [](const auto& pod) { return pod->spec.node_name == "n1"; }),
            1);
}

TEST(CachedList, BecomesAVector) {
  std::vector<Cached<Pod>> pods = two_pods();
  pods.erase(pods.begin());
  EXPECT_EQ(pods.front().name(), "b");
  const CachedList<Pod> list(pods);
  const std::vector<Cached<Pod>> copy = list;
  EXPECT_EQ(copy, pods);
  EXPECT_TRUE(CachedList<Pod>().empty());
}

TEST(CachedOfNothing, AnswersWithErrorsAndEmptyText) {
  const Cached<Pod> none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.key(), "");
  EXPECT_EQ(none.namespace_(), "");
  EXPECT_EQ(none.name(), "");
  EXPECT_EQ(none.uid(), "");
  EXPECT_EQ(none.resource_version(), "");
  EXPECT_EQ(none.object_key(), ObjectKey());
  EXPECT_FALSE(none.ref());
  EXPECT_EQ(none, Cached<Pod>());
  const auto read = none.get();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::InvalidArgument);
  const auto path = meta::FieldLocator::compile<Pod>("spec.nodeName");
  EXPECT_FALSE(none.read<std::string>(*path));
  EXPECT_THROW(static_cast<void>(none->spec.node_name), ApiException);
  EXPECT_THROW(static_cast<void>(*none), ApiException);
}

}  // namespace
}  // namespace kube::cache
