// SPDX-License-Identifier: Apache-2.0
#include <kube/workqueue/detail/key_table.hpp>

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>

namespace kube::detail {
namespace {

std::size_t hash_of(int key) {
  return std::hash<int>{}(key);
}

TEST(KeyTable, FindsWhatWasInsertedAndNothingElse) {
  KeyTable<std::string> table;
  const std::hash<std::string> hash;
  EXPECT_EQ(table.find("a", hash("a")), nullptr);
  const auto* entry = table.insert(std::string("a"), hash("a"));
  EXPECT_EQ(table.find("a", hash("a")), entry);
  EXPECT_EQ(table.find("b", hash("b")), nullptr);
  EXPECT_EQ(table.size(), 1U);
}

TEST(KeyTable, KeysWithTheSameHashAreKeptApart) {
  KeyTable<int> table;
  auto* one = table.insert(1, 7);
  auto* two = table.insert(2, 7);
  auto* three = table.insert(3, 7);
  EXPECT_EQ(table.erase(two), 2);
  EXPECT_EQ(table.find(1, 7), one);
  EXPECT_EQ(table.find(2, 7), nullptr);
  EXPECT_EQ(table.find(3, 7), three);
}

TEST(KeyTable, EntriesStayInPlaceWhileTheTableGrowsAndShrinks) {
  KeyTable<int> table;
  std::map<int, KeyTable<int>::Entry*> entries;
  for (int i = 0; i < 100'000; ++i) entries[i] = table.insert(i, hash_of(i));
  for (int i = 0; i < 100'000; ++i) {
    if (i % 1000 != 0) {
      EXPECT_EQ(table.erase(entries[i]), i);
      entries.erase(i);
    }
  }
  EXPECT_EQ(table.size(), 100U);
  for (const auto& [key, entry] : entries) EXPECT_EQ(table.find(key, hash_of(key)), entry);
}

TEST(KeyTable, AgreesWithAMapOverRandomChanges) {
  KeyTable<int> table;
  std::map<int, KeyTable<int>::Entry*> model;
  std::mt19937 random(1);
  for (int i = 0; i < 50'000; ++i) {
    const int key = static_cast<int>(random() % 3000);
    if (const auto found = model.find(key); found != model.end()) {
      ASSERT_EQ(table.find(key, hash_of(key)), found->second);
      ASSERT_EQ(table.erase(found->second), key);
      model.erase(found);
    } else {
      ASSERT_EQ(table.find(key, hash_of(key)), nullptr);
      model[key] = table.insert(key, hash_of(key));
    }
    ASSERT_EQ(table.size(), model.size());
  }
}

TEST(KeyTable, AnErasedEntryHoldsNoKey) {
  auto key = std::make_shared<int>(1);
  KeyTable<std::shared_ptr<int>> table;
  table.erase(table.insert(key, 1));
  EXPECT_EQ(key.use_count(), 1);
  table.insert(key, 1);
  EXPECT_EQ(key.use_count(), 2);
}

TEST(KeyTable, DestroysTheKeysItStillHolds) {
  auto key = std::make_shared<int>(1);
  {
    KeyTable<std::shared_ptr<int>> table;
    table.insert(key, 1);
    table.insert(std::make_shared<int>(2), 2);
    EXPECT_EQ(key.use_count(), 2);
  }
  EXPECT_EQ(key.use_count(), 1);
}

}  // namespace
}  // namespace kube::detail
