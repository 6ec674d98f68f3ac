// SPDX-License-Identifier: Apache-2.0
#include "envelope.hpp"

#include <gtest/gtest.h>

namespace kube {
namespace {

TEST(TypeNames, AreFoundInAnObject) {
  const auto names = type_names(R"({"metadata":{"kind":"no"},"kind":"Pod","apiVersion":"v1"})");
  ASSERT_TRUE(names);
  EXPECT_EQ(names->kind, "Pod");
  EXPECT_EQ(names->api_version, "v1");
  EXPECT_EQ(type_names(R"({"kind":5})").value().kind, "");
  EXPECT_EQ(type_names(R"({"\u006bind":"Pod","apiVersion":"v1"})").value().kind, "Pod");
  EXPECT_FALSE(type_names("[]"));
  EXPECT_FALSE(type_names(R"({"a":)"));
  EXPECT_FALSE(type_names(""));
}

}  // namespace
}  // namespace kube
