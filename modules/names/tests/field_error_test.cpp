// SPDX-License-Identifier: Apache-2.0
#include <kube/names/field_error.hpp>

#include <gtest/gtest.h>

namespace kube::meta {
namespace {

TEST(FieldPath, PrintsChildrenIndexesAndKeys) {
  EXPECT_EQ(FieldPath("root").child("child").index(0).key("key").child("x").to_string(),
            "root.child[0][key].x");
  EXPECT_EQ(FieldPath().to_string(), "<nil>");
  EXPECT_EQ(FieldPath().child("values").index(1).to_string(), "values[1]");
}

TEST(FieldError, PrintsTitleValueAndDetail) {
  const FieldPath path = FieldPath("field").index(0).child("name");
  EXPECT_EQ(FieldError::duplicate(path, "bar").to_string(),
            R"(field[0].name: Duplicate value: "bar")");
  EXPECT_EQ(FieldError::invalid(path, "bar", "detail").to_string(),
            R"(field[0].name: Invalid value: "bar": detail)");
  EXPECT_EQ(FieldError::not_found(path, "bar").to_string(), R"(field[0].name: Not found: "bar")");
  EXPECT_EQ(FieldError::required(path, "").to_string(), "field[0].name: Required value");
  EXPECT_EQ(FieldError::required(path, "detail").to_string(),
            "field[0].name: Required value: detail");
  EXPECT_EQ(FieldError::forbidden(path, "why").to_string(), "field[0].name: Forbidden: why");
  EXPECT_EQ(FieldError::too_long(path, 1).to_string(),
            "field[0].name: Too long: may not be more than 1 byte");
  EXPECT_EQ(FieldError::too_many(path, 3, 2).to_string(),
            "field[0].name: Too many: 3: must have at most 2 items");
  EXPECT_EQ(FieldError::internal(path, "oops").to_string(), "field[0].name: Internal error: oops");
  EXPECT_EQ(FieldError::type_invalid(path, "string", "must be of type int").to_string(),
            R"(field[0].name: Invalid value: "string": must be of type int)");
}

TEST(FieldError, ERR_13_ListsWhatIsSupported) {
  EXPECT_EQ(FieldError::not_supported(FieldPath("f"), "x", {"a", "b"}).to_string(),
            R"(f: Unsupported value: "x": supported values: "a", "b")");
  EXPECT_EQ(FieldError::not_supported(FieldPath("f"), "x", {}).to_string(),
            R"(f: Unsupported value: "x")");
}

TEST(FieldError, PrintsNumbersPlainAndOtherValuesAsJson) {
  const FieldPath path("f");
  EXPECT_EQ(FieldError::invalid(path, 5, "d").body(), "Invalid value: 5: d");
  EXPECT_EQ(FieldError::invalid(path, true, "d").body(), "Invalid value: true: d");
  EXPECT_EQ(FieldError::invalid(path, nullptr, "d").body(), "Invalid value: null: d");
  EXPECT_EQ(FieldError::invalid(path, json::Array{"a", 1}, "d").body(),
            R"(Invalid value: ["a",1]: d)");
  EXPECT_EQ(FieldError::invalid(path, "tab\t\x01 quote\" \xff \xc3\xa4 \xe2\x80\xa8", "d").body(),
            "Invalid value: \"tab\\t\\x01 quote\\\" \\xff \xc3\xa4 \\u2028\": d");
}

TEST(FieldError, SeveralPrintInBracketsWithoutRepetitions) {
  const FieldError a = FieldError::required(FieldPath("a"), "");
  const FieldError b = FieldError::required(FieldPath("b"), "");
  EXPECT_EQ(to_string(FieldErrors{}), "");
  EXPECT_EQ(to_string(FieldErrors{a}), "a: Required value");
  EXPECT_EQ(to_string(FieldErrors{a, a}), "a: Required value");
  EXPECT_EQ(to_string(FieldErrors{a, b, a}), "[a: Required value, b: Required value]");
  EXPECT_EQ(to_error({a}).code(), ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace kube::meta
