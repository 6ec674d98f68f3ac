// SPDX-License-Identifier: Apache-2.0
#include <kube/schema/perfect_hash.hpp>

#include <gtest/gtest.h>

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

TEST(FindPerfectHash, GivesUpOnEqualKeys) {
  EXPECT_FALSE(find_perfect_hash({"same", "same"}));
  EXPECT_TRUE(find_perfect_hash({}));
}

}  // namespace
}  // namespace kube::schema
