// SPDX-License-Identifier: Apache-2.0
//
// CachedList: temporary lists, and lists as vectors.
#include <kube/cache/cached_list.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cached_pods.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using ::testing::ElementsAre;
using testing::two_pods;

static_assert(std::is_nothrow_move_constructible_v<CachedList<Pod>>);
static_assert(std::is_convertible_v<CachedList<Pod>, std::vector<Cached<Pod>>>);
static_assert(std::is_same_v<decltype(CachedList<Pod>()[0]), Cached<Pod>>);

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

}  // namespace
}  // namespace kube::cache
