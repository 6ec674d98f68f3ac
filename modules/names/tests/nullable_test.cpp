// SPDX-License-Identifier: Apache-2.0
#include <kube/names/nullable.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kube::meta {
namespace {

using List = Nullable<std::vector<std::string>>;
static_assert(std::is_nothrow_move_constructible_v<List>);

TEST(Nullable, IsNullUntilItIsSaidToBeEmptyOrHasElements) {
  List list;
  EXPECT_TRUE(list.is_null());
  list.push_back("a");
  EXPECT_FALSE(list.is_null());
  list.set_empty();
  EXPECT_TRUE(list.empty());
  EXPECT_FALSE(list.is_null());
  list = {};
  EXPECT_TRUE(list.is_null());
}

TEST(Nullable, IsAContainer) {
  List list = {"a", "b"};
  EXPECT_EQ(list.size(), 2U);
  list = std::vector<std::string>{"c"};
  EXPECT_EQ(list.front(), "c");
  const std::vector<std::string>& plain = list;
  EXPECT_EQ(plain.size(), 1U);
}

TEST(Nullable, ComparesContentOnly) {
  List empty;
  empty.set_empty();
  EXPECT_EQ(empty, List());
  EXPECT_NE(empty, List{"a"});
}

}  // namespace
}  // namespace kube::meta
