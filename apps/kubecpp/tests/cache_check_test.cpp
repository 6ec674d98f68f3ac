// SPDX-License-Identifier: Apache-2.0
#include "cache_check.hpp"

#include <gtest/gtest.h>

namespace kubecpp {
namespace {

TEST(CacheCheck, EqualVersionsHaveNoDifference) {
  EXPECT_EQ(compare_versions({{"a", "1"}}, {{"a", "1"}}), "");
  EXPECT_EQ(compare_versions({}, {}), "");
}

TEST(CacheCheck, NamesEachDifferenceUpToTen) {
  EXPECT_EQ(compare_versions({{"a", "1"}, {"b", "2"}}, {{"b", "3"}, {"c", "4"}}),
            "b has version 2 in the cache, 3 on the server; c is missing in the cache; "
            "a is in the cache only");
  Versions many;
  for (int i = 0; i < 12; ++i) many["k" + std::to_string(i)] = "1";
  EXPECT_TRUE(compare_versions({}, many).ends_with("; and 2 more"));
}

TEST(CacheCheck, CountsMustBeThoseOfThePods) {
  EXPECT_EQ(compare_counts({.written = {{"a", "2"}, {"gone", "0"}}, .pods = {{"a", 2}}}), "");
  EXPECT_EQ(compare_counts({.written = {{"a", "2"}, {"gone", "1"}}, .pods = {{"a", 3}, {"b", 1}}}),
            "a has 3 pods, counted 2; b has 1 pods, but no count; gone has 0 pods, counted 1");
}

}  // namespace
}  // namespace kubecpp
