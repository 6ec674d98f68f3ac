// SPDX-License-Identifier: Apache-2.0
#include <kube/cache/snapshot.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>

#include "store_writer.hpp"

namespace kube {
namespace {

using core::v1::Node;
using core::v1::Pod;

template <class T>
struct Source {
  void put(const std::string& name, int version) {
    cache::Cell::Parts parts;
    parts.name = name;
    const std::string text = std::to_string(version);
    parts.resource_version = text;
    cache::Delta change{.type = DeltaType::Updated,
                        .cell = cache::Cell::make(cache::cell_type<T>(), parts)};
    ASSERT_TRUE(writer.apply({&change, 1}));
  }
  std::shared_ptr<cache::Store> store =
      std::make_shared<cache::Store>(meta::GroupResource{"", "things"});
  cache::StoreWriter writer{store};
  Lister<T> lister{store};
};

TEST(Snapshot, KeepsWhatTheCachesHad) {
  Source<Pod> pods;
  Source<Node> nodes;
  pods.put("a", 1);
  nodes.put("n", 1);
  const auto [then_pods, then_nodes] = snapshot(pods.lister, nodes.lister);
  pods.put("a", 2);
  pods.put("b", 2);
  nodes.put("m", 2);
  EXPECT_EQ(then_pods.list().size(), 1U);
  const Cached<Pod> a = then_pods.find("a");
  EXPECT_EQ(a.resource_version(), "1");
  EXPECT_FALSE(then_pods.find("b"));
  EXPECT_EQ(then_nodes.list().size(), 1U);
  EXPECT_EQ(then_pods.store()->resource_version(), "1");
  EXPECT_EQ(pods.lister.list().size(), 2U);
}

TEST(Snapshot, OfOneCacheTwiceStopsItsWriterOnce) {
  Source<Pod> pods;
  pods.put("a", 1);
  const auto stores = cache::snapshot_of({pods.store, pods.store}, 0);
  ASSERT_EQ(stores.size(), 2U);
  for (const auto& store : stores) EXPECT_TRUE(Lister<Pod>(store).find("a"));
  pods.put("a", 2);
}

// Several threads that stop writers do not wait for each other.
TEST(Snapshot, SnapshotsThatStopWritersMeet) {
  Source<Pod> pods;
  Source<Node> nodes;
  pods.put("a", 0);
  nodes.put("n", 0);
  const auto take = [&](bool reversed) {
    for (int i = 0; i < 500; ++i) {
      const auto stores = reversed ? cache::snapshot_of({nodes.store, pods.store}, 0)
                                   : cache::snapshot_of({pods.store, nodes.store}, 0);
      ASSERT_EQ(stores.size(), 2U);
    }
  };
  std::jthread one([&] { take(false); });
  std::jthread two([&] { take(true); });
  for (int round = 1; round < 500; ++round) pods.put("a", round);
}

// One thread writes both in turns, so that in each moment the pods' round is that of the nodes, or
// one more. A list of each in turn would be further apart.
TEST(Snapshot, IsOfOneMomentOfAllCaches) {
  Source<Pod> pods;
  Source<Node> nodes;
  pods.put("a", 0);
  nodes.put("n", 0);
  std::atomic<bool> done{false};
  std::jthread writer([&] {
    for (int round = 1; !done; ++round) {
      pods.put("a", round);
      nodes.put("n", round);
    }
  });
  for (int i = 0; i < 3000; ++i) {
    // Without a look, it stops the writer.
    const auto stores = cache::snapshot_of({pods.store, nodes.store}, i % 2 == 0 ? 1000U : 0U);
    const Cached<Pod> pod = Lister<Pod>(stores[0]).find("a");
    const Cached<Node> node = Lister<Node>(stores[1]).find("n");
    const int ahead = std::stoi(std::string(pod.resource_version())) -
                      std::stoi(std::string(node.resource_version()));
    ASSERT_TRUE(ahead == 0 || ahead == 1) << ahead;
  }
  done = true;
}

}  // namespace
}  // namespace kube
