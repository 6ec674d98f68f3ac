// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/object_check.hpp>

#include <gtest/gtest.h>

namespace kube::meta {
namespace {

std::string problem(Result<void> (*check)(const json::Value&), std::string_view text) {
  const auto checked = check(json::parse(text).value());
  return checked ? "" : checked.error().message();
}

TEST(ObjectCheck, ObjectsHaveKindAndVersion) {
  EXPECT_EQ(problem(check_kind, R"({"kind":"K","apiVersion":"v1"})"), "");
  EXPECT_EQ(problem(check_kind, "[]"), "expected an object, found an array");
  EXPECT_EQ(problem(check_kind, R"({"apiVersion":"v1"})"),
            "expected an object with a kind, found none");
  EXPECT_EQ(problem(check_kind, R"({"kind":"K","apiVersion":null})"),
            "expected an object with an apiVersion, found none");
  EXPECT_EQ(problem(check_kind, R"({"kind":1})"), "kind: expected a string, found a number");
}

TEST(ObjectCheck, MetadataHasTexts) {
  EXPECT_EQ(problem(check_metadata, "{}"), "");
  EXPECT_EQ(problem(check_metadata, R"({"metadata":null})"), "");
  EXPECT_EQ(problem(check_metadata, R"({"metadata":{"name":"a","namespace":null}})"), "");
  EXPECT_EQ(problem(check_metadata, R"({"metadata":"x"})"),
            "metadata: expected an object, found a string");
  EXPECT_EQ(problem(check_metadata, R"({"metadata":{"namespace":true}})"),
            "metadata.namespace: expected a string, found a boolean");
}

}  // namespace
}  // namespace kube::meta
