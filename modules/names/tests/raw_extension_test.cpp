// SPDX-License-Identifier: Apache-2.0
#include <kube/names/raw_extension.hpp>

#include <gtest/gtest.h>

#include <kube/json/value.hpp>

namespace kube::meta {
namespace {

TEST(RawExtension, HoldsTheTextOfAValue) {
  const auto value = json::parse(R"({"a": [1, 2]})");
  ASSERT_TRUE(value);
  const RawExtension made = RawExtension::from(*value);
  EXPECT_EQ(made.raw, R"({"a":[1,2]})");
  EXPECT_TRUE(made.is_set());
  const auto back = made.value();
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, *value);
}

TEST(RawExtension, AnUnsetOneIsNull) {
  const RawExtension unset;
  EXPECT_FALSE(unset.is_set());
  const auto value = unset.value();
  ASSERT_TRUE(value);
  EXPECT_TRUE(value->is_null());
}

TEST(RawExtension, TextThatIsNotJsonHasNoValue) {
  const auto value = RawExtension{.raw = "{"}.value();
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code(), ErrorCode::Decode);
}

}  // namespace
}  // namespace kube::meta
