// SPDX-License-Identifier: Apache-2.0
//
// Stores that a program writes itself. store_test.cpp has the store that they share with informers.
#include <kube/cache/store.hpp>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/cache/expiring_store.hpp>
#include <kube/cache/make_cached.hpp>
#include <kube/cache/reflector_store.hpp>
#include <kube/cache/transaction.hpp>
#include <kube/cache/undelta_store.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/meta/errors.hpp>

#include "part_pods.hpp"

namespace kube::cache {
namespace {

using core::v1::Pod;
using testing::cached_part;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::node_of;
using testing::part_pod;
using testing::show_part;
using testing::show_parts;
using ::testing::UnorderedElementsAre;

using PodStore = kube::Store<Pod>;
using Change = Transaction<Pod>;

KeyFunc<Pod> key_by_node() {
  return [](const Cached<Pod>& pod) -> Result<std::string> {
    if (pod->spec.node_name.empty()) return Error(ErrorCode::InvalidArgument, "no node");
    return pod->spec.node_name;
  };
}

// ---- what all stores have in common

struct PlainKind {
  PodStore store;
};
struct TransformingKind {
  PodStore store{StoreOptions<Pod>{.transform = [](Pod pod) -> Result<Pod> {
    pod.spec.host_network = true;
    return pod;
  }}};
};
struct UndeltaKind {
  UndeltaStore<Pod> store{[](const CachedList<Pod>&) {}};
};
struct ExpiringKind {
  ExpiringStore<Pod> store{std::chrono::hours(1)};
};

template <class Kind>
class StoreContract : public ::testing::Test {
 protected:
  std::vector<std::string> all() { return show_parts(kind.store.list()); }
  Kind kind;
};
using StoreKinds = ::testing::Types<PlainKind, TransformingKind, UndeltaKind, ExpiringKind>;
TYPED_TEST_SUITE(StoreContract, StoreKinds);

TYPED_TEST(StoreContract, WhatWasAddedIsFoundReplacedAndRemoved) {
  auto& store = this->kind.store;
  const Cached<Pod> probe = cached_part("x/a", "");
  EXPECT_FALSE(*store.get(probe));
  ASSERT_TRUE(store.add(part_pod("x/a", "1", "n1")));
  EXPECT_EQ(show_part(*store.get(probe)), "x/a@1");
  ASSERT_TRUE(store.update(part_pod("x/a", "2", "n2")));
  const Cached<Pod> updated = store.get_by_key("x/a");
  EXPECT_EQ(updated->spec.node_name, "n2");
  ASSERT_TRUE(store.remove(probe));
  EXPECT_FALSE(*store.get(probe));
  EXPECT_TRUE(store.remove(probe)) << "what is not there";
}

TYPED_TEST(StoreContract, ListHasWhatWasAdded) {
  auto& store = this->kind.store;
  for (const char* key : {"x/a", "x/b", "y/c"}) ASSERT_TRUE(store.add(part_pod(key, "1")));
  EXPECT_THAT(this->all(), ElementsAre("x/a@1", "x/b@1", "y/c@1"));
}

TYPED_TEST(StoreContract, ReplaceLeavesExactlyTheNewObjects) {
  auto& store = this->kind.store;
  ASSERT_TRUE(store.add(part_pod("x/a", "1")));
  ASSERT_TRUE(store.add(part_pod("x/b", "1")));
  ASSERT_TRUE(store.replace({cached_part("x/b", "2"), cached_part("y/c", "2")}, "9"));
  EXPECT_THAT(this->all(), ElementsAre("x/b@2", "y/c@2"));
  EXPECT_FALSE(store.get_by_key("x/a"));
}

TYPED_TEST(StoreContract, AResyncAndABookmarkLeaveItsObjects) {
  ReflectorStore<Pod>& store = this->kind.store;
  ASSERT_TRUE(store.add(cached_part("x/a", "1")));
  EXPECT_TRUE(store.resync());
  EXPECT_TRUE(store.bookmark("7"));
  EXPECT_THAT(this->all(), ElementsAre("x/a@1"));
}

// ---- Store

TEST(TypedStore, STO_05_TheTransformRunsOnEveryWriteAndItsResultIsStored) {
  int runs = 0;
  PodStore store({.transform = [&](Pod pod) -> Result<Pod> {
    ++runs;
    pod.spec.node_name += "!";
    return pod;
  }});
  const auto stored_node = [&](std::string_view key) {
    const Cached<Pod> pod = store.get_by_key(key);
    return pod->spec.node_name;
  };
  ASSERT_TRUE(store.add(part_pod("x/a", "1", "n1")));
  EXPECT_EQ(stored_node("x/a"), "n1!");
  ASSERT_TRUE(store.update(part_pod("x/a", "2", "n2")));
  EXPECT_EQ(stored_node("x/a"), "n2!");
  ASSERT_TRUE(store.replace({cached_part("x/b", "3", "n3")}, "3"));
  EXPECT_EQ(stored_node("x/b"), "n3!");
  EXPECT_EQ(runs, 3);
  const std::vector<Change> both{{TransactionType::Update, cached_part("x/b", "4", "n4")}};
  ASSERT_TRUE(store.transaction(both));
  EXPECT_EQ(stored_node("x/b"), "n4!");
}

TEST(TypedStore, ATransformThatFailsOrThrowsLeavesTheStoreAsItWas) {
  PodStore store({.transform = [](Pod pod) -> Result<Pod> {
    if (pod.spec.node_name == "bad") return Error(ErrorCode::Server, "refused");
    if (pod.spec.node_name == "worse") throw std::runtime_error("thrown");
    return pod;
  }});
  ASSERT_TRUE(store.add(part_pod("x/a", "1")));
  EXPECT_EQ(store.update(part_pod("x/a", "2", "bad")).error().code(), ErrorCode::Server);
  EXPECT_EQ(store.update(part_pod("x/a", "2", "worse")).error().code(), ErrorCode::Internal);
  EXPECT_THAT(show_parts(store.list()), ElementsAre("x/a@1"));
}

TEST(TypedStore, TheKeyFunctionDecidesUnderWhichKeyAnObjectIs) {
  PodStore store({.key_func = key_by_node()});
  ASSERT_TRUE(store.add(part_pod("x/a", "1", "n1")));
  ASSERT_TRUE(store.add(make_cached(part_pod("x/b", "2", "n2"), StoragePolicy::Decoded)));
  EXPECT_THAT(show_parts(store.list()), ElementsAre("n1@1", "n2@2"));
  const Cached<Pod> a = store.get_by_key("n1");
  EXPECT_EQ(a.object_key().to_string(), "x/a");
  EXPECT_EQ(a.uid(), "u");
  EXPECT_EQ(a->metadata.name, "a");
  const Cached<Pod> b = store.get_by_key("n2");
  EXPECT_EQ(b->metadata.name, "b");
  EXPECT_EQ(store.by_index(kNamespaceIndex, "x").value().size(), 2U);
  EXPECT_FALSE(store.get_by_key("x/a"));
  ASSERT_TRUE(store.update(part_pod("x/c", "3", "n1"))) << "another object with the same key";
  EXPECT_THAT(show_parts(store.list()), ElementsAre("n1@3", "n2@2"));
  ASSERT_TRUE(store.remove(b));
  EXPECT_THAT(store.list_keys(), ElementsAre("n1"));
  const auto found = store.get(a);
  EXPECT_EQ(show_part(*found), "n1@3");
}

TEST(TypedStore, STO_11_AReplaceWithoutAKeyForAnObjectKeepsTheOldContent) {
  PodStore store({.key_func = key_by_node()});
  ASSERT_TRUE(store.add(part_pod("x/a", "1", "n1")));
  const auto replaced =
      store.replace({cached_part("x/b", "2", "n2"), cached_part("x/c", "2")}, "9");
  EXPECT_EQ(replaced.error().message(), "no node");
  EXPECT_THAT(replaced.error().to_string(), HasSubstr("create the key of object \"x/c\""));
  EXPECT_THAT(show_parts(store.list()), ElementsAre("n1@1"));
  EXPECT_EQ(store.last_sync_resource_version(), "1");
}

TEST(TypedStore, STO_07_STO_09_ATransactionWithoutAnyKeySaysThatNothingWasApplied) {
  PodStore store({.key_func = key_by_node()});
  const std::vector<Change> changes{{TransactionType::Add, cached_part("x/a", "1")},
                                    {TransactionType::Delete, cached_part("x/b", "2")}};
  const auto done = store.transaction(changes);
  ASSERT_FALSE(done);
  const Error error = done.error();
  const TransactionError* detail = transaction_error(error);
  ASSERT_NE(detail, nullptr);
  EXPECT_THAT(detail->successful_indices, IsEmpty());
  EXPECT_EQ(detail->total_transactions, 2U);
  EXPECT_EQ(detail->errors.size(), 2U);
  EXPECT_THAT(error.message(), HasSubstr("(2/2)"));
  EXPECT_EQ(store.size(), 0U);
  const Error other(ErrorCode::Internal, "other");
  EXPECT_EQ(transaction_error(other), nullptr);
}

TEST(TypedStore, STO_08_ATransactionAppliesTheChangesThatHaveKeys) {
  PodStore store({.key_func = key_by_node()});
  ASSERT_TRUE(store.add(part_pod("x/old", "1", "n0")));
  const std::vector<Change> changes{{TransactionType::Add, cached_part("x/a", "2", "n1")},
                                    {TransactionType::Update, cached_part("x/b", "3")},
                                    {TransactionType::Delete, cached_part("x/old", "4", "n0")},
                                    {TransactionType::Add, cached_part("x/c", "5")}};
  const auto done = store.transaction(changes);
  ASSERT_FALSE(done);
  const Error error = done.error();
  EXPECT_THAT(transaction_error(error)->successful_indices, ElementsAre(0U, 2U));
  EXPECT_THAT(error.message(), HasSubstr("(2/4)"));
  EXPECT_THAT(show_parts(store.list()), ElementsAre("n1@2"));
  EXPECT_EQ(store.last_sync_resource_version(), "4");
}

TEST(TypedStore, AReaderOfManyObjectsSeesAllOfATransactionOrNothing) {
  PodStore store;
  std::vector<Change> add;
  std::vector<Change> remove;
  for (int i = 0; i < 200; ++i) {
    const auto pod = cached_part("x/" + std::to_string(i), "1");
    add.push_back({TransactionType::Add, pod});
    remove.push_back({TransactionType::Delete, pod});
  }
  std::atomic<bool> done{false};
  std::size_t torn = 0;
  std::thread reader([&] {
    while (!done) {
      const std::size_t seen = store.list().size();
      if (seen != 0 && seen != add.size()) ++torn;
    }
  });
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(store.transaction(add));
    EXPECT_TRUE(store.transaction(remove));
  }
  done = true;
  reader.join();
  EXPECT_EQ(torn, 0U);
}

TEST(TypedStore, IndexFunctionsOfAddedIndexesRunInTheTurnOfTheWriter) {
  PodStore store;
  ASSERT_TRUE(store.add(part_pod("x/a", "5")));
  std::optional<Result<void>> changed;
  std::optional<Result<void>> indexed;
  ASSERT_TRUE(store.add_index("self", [&](const Cached<Pod>&) -> std::vector<std::string> {
    changed = store.add(part_pod("x/new", "6"));
    indexed = store.add_index("other", node_of);
    return {};
  }));
  EXPECT_EQ(changed.value().error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(indexed.value().error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(store.size(), 1U);
  EXPECT_TRUE(store.add(part_pod("x/b", "7"))) << "the turn is over";
}

TEST(TypedStore, WritersOfManyThreadsLoseNothing) {
  PodStore store({.indexers = {{"node", node_of}}});
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&store, w] {
      for (int i = 0; i < 50; ++i) {
        const std::string key = "x/" + std::to_string(w) + "-" + std::to_string(i);
        EXPECT_TRUE(store.add(part_pod(key, "1", "n" + std::to_string(w))));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(store.size(), 200U);
  EXPECT_EQ(store.count("node", "n3"), 50U);
}

TEST(TypedStore, RV_04_AnObjectWithoutMetadataLeavesTheVersion) {
  kube::Store<Unstructured> store({.key_func = [](const Cached<Unstructured>& object) {
    return Result<std::string>(std::string(object->kind()));
  }});
  ASSERT_TRUE(store.bookmark("5"));
  ASSERT_TRUE(store.add(Unstructured(json::parse(R"({"kind":"Plain"})").value())));
  EXPECT_TRUE(store.get_by_key("Plain"));
  EXPECT_EQ(store.last_sync_resource_version(), "5");
}

TEST(TypedStore, RV_05_ARemovalByKeyLeavesTheVersion) {
  PodStore store;
  ASSERT_TRUE(store.add(part_pod("x/a", "5")));
  ASSERT_TRUE(store.add(part_pod("x/b", "6")));
  ASSERT_TRUE(store.remove_by_key("x/a"));
  EXPECT_THAT(store.list_keys(), ElementsAre("x/b"));
  EXPECT_EQ(store.last_sync_resource_version(), "6");
}

TEST(TypedStore, AnInferredDeletionLeavesTheVersionAndAnObservedOneMovesIt) {
  PodStore store({.key_func = key_by_node()});
  ASSERT_TRUE(store.add(part_pod("x/a", "5", "n1")));
  ASSERT_TRUE(store.add(part_pod("x/b", "6", "n2")));
  ASSERT_TRUE(store.remove({{"x", "a"}, cached_part("x/a", "9", "n1"), true}));
  EXPECT_EQ(store.last_sync_resource_version(), "6");
  ASSERT_TRUE(store.remove({{"x", "b"}, cached_part("x/b", "10", "n2"), false}));
  EXPECT_EQ(store.last_sync_resource_version(), "10");
  EXPECT_EQ(store.size(), 0U);
}

TEST(TypedStore, IndexesAreGivenAtTheBeginningOrLater) {
  PodStore store({.indexers = {{"node", node_of}, {"namespace", node_of}}});
  ASSERT_TRUE(store.add(part_pod("x/a", "1", "n1")));
  ASSERT_TRUE(store.add_index("late", node_of));
  EXPECT_EQ(store.add_index("late", node_of).error().code(), ErrorCode::InvalidArgument);
  for (const char* index : {"node", "late"}) {
    EXPECT_THAT(*store.index_keys(index, "n1"), ElementsAre("x/a"));
  }
  EXPECT_THAT(*store.index_keys(kNamespaceIndex, "x"), ElementsAre("x/a"));
  ASSERT_TRUE(store.update(part_pod("x/a", "2", "n2")));
  EXPECT_THAT(*store.index_keys("node", "n1"), IsEmpty());
}

TEST(TypedStore, AnIndexFunctionThatThrowsIsReportedAndOneThatWritesIsRefused) {
  std::vector<std::string> reported;
  PodStore store(
      {.index_failed = [&](std::string_view index, const Cached<Pod>& pod, const Error& error) {
        reported.push_back(std::string(index) + " " + show_part(pod) + ": " + error.message());
      }});
  Result<void> nested;
  ASSERT_TRUE(store.add_index("node", [&](const Cached<Pod>& pod) -> std::vector<std::string> {
    if (pod->spec.node_name == "bad") throw std::runtime_error("no");
    if (pod->spec.node_name == "nested") nested = store.add(part_pod("x/inner", "9"));
    return node_of(pod);
  }));
  ASSERT_TRUE(store.add(part_pod("x/a", "1", "bad")));
  EXPECT_EQ(reported.size(), 1U);
  EXPECT_THAT(reported.at(0), HasSubstr("node x/a@1"));
  EXPECT_THAT(reported.at(0), HasSubstr("no"));
  ASSERT_TRUE(store.add(part_pod("x/b", "2", "nested")));
  EXPECT_EQ(nested.error().code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(show_parts(store.list()), ElementsAre("x/a@1", "x/b@2"));
}

TEST(TypedStore, KeyFunctionsRunBeforeTheTurnOfTheWriter) {
  PodStore* at = nullptr;
  Result<void> nested;
  PodStore store({.key_func = [&](const Cached<Pod>& pod) -> Result<std::string> {
    if (pod.name() == "outer") nested = at->add(part_pod("x/inner", "1"));
    return std::string(pod.name());
  }});
  at = &store;
  ASSERT_TRUE(store.add(part_pod("x/outer", "2")));
  EXPECT_TRUE(nested);
  EXPECT_THAT(store.list_keys(), UnorderedElementsAre("inner", "outer"));
}

TEST(TypedStore, ASelectorUsesItsIndexByLabel) {
  PodStore store;
  int looked_at = 0;
  ASSERT_TRUE(store.add_index("app", index_by_label<Pod>("app")));
  for (int i = 0; i < 50; ++i) {
    Pod pod = part_pod("x/" + std::to_string(i), "1");
    pod.metadata.labels = {{"app", i == 7 ? "web" : "other"}};
    ASSERT_TRUE(store.add(std::move(pod)));
  }
  struct Counted final : cache::CellSink {
    explicit Counted(int& count) : count_(count) {}
    void take(std::span<const cache::Cell* const> cells) override {
      count_ = static_cast<int>(cells.size());
    }
    int& count_;
  } counted(looked_at);
  EXPECT_TRUE(store.store()->list_candidates("", *labels::parse("app=web"), counted));
  EXPECT_EQ(looked_at, 1);
  EXPECT_THAT(show_parts(*store.lister().list(*labels::parse("app=web"))), ElementsAre("x/7@1"));
}

TEST(TypedStore, ReadersOutliveIt) {
  std::optional<Indexer<Pod>> indexer;
  std::optional<Lister<Pod>> lister;
  {
    PodStore store({.resource = {"", "pods"}});
    ASSERT_TRUE(store.add(part_pod("x/a", "1")));
    indexer = store.indexer();
    lister = store.lister();
  }
  EXPECT_EQ(indexer->size(), 1U);
  EXPECT_TRUE(lister->find("x/a"));
  EXPECT_EQ(lister->get("x/b").error().message(), "pods \"b\" not found");
}

TEST(MakeCached, AnObjectIsWhatItWas) {
  for (const StoragePolicy policy : {StoragePolicy::Wire, StoragePolicy::Decoded}) {
    const Cached<Pod> pod = make_cached(part_pod("x/a", "5", "n1"), policy);
    EXPECT_EQ(pod.key(), "x/a");
    EXPECT_EQ(pod.resource_version(), "5");
    EXPECT_EQ(pod->spec.node_name, "n1");
  }
}

}  // namespace
}  // namespace kube::cache
