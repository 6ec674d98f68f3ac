// SPDX-License-Identifier: Apache-2.0
#include <kube/schema/perfect_hash.hpp>

#include <gtest/gtest.h>

#include <set>

#include <kube/json/key_hash.hpp>

namespace kube::schema {
namespace {

TEST(FindPerfectHash, GivesEachKeyASlotOfItsOwn) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < 104; ++i) {
    keys.emplace_back(1 + i / 26, static_cast<char>('a' + i % 26));
  }
  const auto hash = find_perfect_hash(keys);
  ASSERT_TRUE(hash);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(hash->slots[json::key_hash(keys[i], hash->seed, hash->shift)], i + 1) << keys[i];
  }
}

TEST(FindPerfectHash, IsTheSameEachTime) {
  const std::vector<std::string> keys{"a", "b", "metadata", "spec", "status"};
  EXPECT_EQ(find_perfect_hash(keys)->seed, find_perfect_hash(keys)->seed);
}

// Every key has its slot, or is among the rest, which is sorted.
void expect_found(const std::vector<std::string>& keys, const PerfectHash& hash,
                  std::size_t most_in_rest) {
  const std::size_t table = std::size_t{1} << (64 - hash.shift);
  ASSERT_GE(hash.slots.size(), table);
  std::set<std::string> rest;
  for (std::size_t i = table; i < hash.slots.size(); ++i) {
    const std::string& key = keys.at(hash.slots[i] - 1U);
    EXPECT_TRUE(rest.empty() || *rest.rbegin() < key) << key;
    rest.insert(key);
  }
  EXPECT_LE(rest.size(), most_in_rest);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint16_t slot = hash.slots[json::key_hash(keys[i], hash.seed, hash.shift)];
    EXPECT_NE(slot, 0) << keys[i];
    EXPECT_NE(slot == i + 1, rest.contains(keys[i])) << keys[i];
  }
}

TEST(FindPerfectHash, ThousandsOfKeysHaveSlotsOrAreAmongTheFewOfTheRest) {
  for (const std::size_t count : {128U, 129U, 1200U, 2000U, 10'000U, 65'535U}) {
    std::vector<std::string> keys;
    std::vector<std::string> fields;
    for (std::size_t i = 0; i < count; ++i) {
      keys.push_back("p" + std::to_string(i));
      fields.push_back("field" + std::to_string(i) + "Name");
    }
    for (const auto& each : {keys, fields}) {
      const auto hash = find_perfect_hash(each);
      ASSERT_TRUE(hash) << count;
      EXPECT_LE(hash->slots.size(), count * 32);
      expect_found(each, *hash, count > 128 ? count / 5 : 0);
    }
  }
}

TEST(FindPerfectHash, KeysThatNoSeedTellsApartAreFoundAllTheSame) {
  const std::vector<std::string> keys{"a", "aadaaaabCWTqfZRT", "b", "pTXoCLnxsXxrELkx"};
  ASSERT_EQ(json::key_hash(keys[1], 1, 0), json::key_hash(keys[3], 1, 0));
  const auto hash = find_perfect_hash(keys);
  ASSERT_TRUE(hash);
  expect_found(keys, *hash, 1);
}

TEST(FindPerfectHash, GivesUpOnEqualKeysAndOnTooMany) {
  EXPECT_FALSE(find_perfect_hash({"same", "same"}));
  EXPECT_TRUE(find_perfect_hash({}));
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < 65'536; ++i) keys.push_back(std::to_string(i));
  EXPECT_FALSE(find_perfect_hash(keys));
}

}  // namespace
}  // namespace kube::schema
