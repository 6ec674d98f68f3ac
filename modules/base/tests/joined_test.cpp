// SPDX-License-Identifier: Apache-2.0
#include <kube/base/joined.hpp>

#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace kube {
namespace {

TEST(Joined, SeparatorStandsBetweenTextsOnly) {
  EXPECT_EQ(joined(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(joined(std::vector<std::string>{"a"}, ", "), "a");
  EXPECT_EQ(joined(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(joined(std::vector<std::string>{"a", "b"}, ""), "ab");
}

TEST(Joined, EmptyTextsKeepTheirPlaces) {
  EXPECT_EQ(joined(std::vector<std::string>{"", "a", ""}, ","), ",a,");
  EXPECT_EQ(joined(std::vector<std::string>{"", ""}, ","), ",");
}

TEST(Joined, TakesViewsAndOtherContainers) {
  EXPECT_EQ(joined(std::vector<std::string_view>{"a", "b"}, ";"), "a;b");
  EXPECT_EQ(joined(std::set<std::string>{"b", "a"}, "\n  "), "a\n  b");
}

}  // namespace
}  // namespace kube
