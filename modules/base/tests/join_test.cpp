// SPDX-License-Identifier: Apache-2.0
#include <kube/base/join.hpp>

#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace kube {
namespace {

TEST(Joined, SeparatorStandsBetweenTextsOnly) {
  EXPECT_EQ(join(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(join(std::vector<std::string>{"a"}, ", "), "a");
  EXPECT_EQ(join(std::vector<std::string>{"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join(std::vector<std::string>{"a", "b"}, ""), "ab");
}

TEST(Joined, EmptyTextsKeepTheirPlaces) {
  EXPECT_EQ(join(std::vector<std::string>{"", "a", ""}, ","), ",a,");
  EXPECT_EQ(join(std::vector<std::string>{"", ""}, ","), ",");
}

TEST(Joined, TakesViewsAndOtherContainers) {
  EXPECT_EQ(join(std::vector<std::string_view>{"a", "b"}, ";"), "a;b");
  EXPECT_EQ(join(std::set<std::string>{"b", "a"}, "\n  "), "a\n  b");
}

}  // namespace
}  // namespace kube
