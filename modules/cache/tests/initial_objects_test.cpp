// SPDX-License-Identifier: Apache-2.0
#include "initial_objects.hpp"

#include <gtest/gtest.h>

#include "wire_texts.hpp"

namespace kube::cache {
namespace {

using testing::make_cell;

TEST(InitialObjectsTest, KeepTheLastStateOfEach) {
  InitialObjects objects;
  objects.keep(make_cell("x/a", "5"));
  const std::size_t one = objects.bytes();
  objects.keep(make_cell("x/a", "6"));
  objects.keep(make_cell("x/b", "7"));
  objects.drop("x/b");
  objects.drop("x/c");
  EXPECT_EQ(objects.size(), 1U);
  EXPECT_EQ(objects.bytes(), one);
  EXPECT_TRUE(objects.has("x/a"));
  const std::vector<CellRef> taken = objects.take();
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken[0]->resource_version(), "6");
  EXPECT_EQ(objects.size(), 0U);
  EXPECT_EQ(objects.bytes(), 0U);
}

}  // namespace
}  // namespace kube::cache
