// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/aggregate.hpp>

#include <gtest/gtest.h>

namespace kube {
namespace {

Error failure(const char* text, ErrorCode code = ErrorCode::Internal) {
  return Error(code, text);
}
Error both(std::vector<Error> errors) {
  return *aggregate(std::move(errors));
}

TEST(Aggregate, ERR_20_PrintsEachTextOnce) {
  EXPECT_EQ(aggregate({}), std::nullopt);
  EXPECT_EQ(both({failure("a")}).message(), "a");
  EXPECT_EQ(both({failure("a"), failure("a")}).message(), "a");
  EXPECT_EQ(both({failure("a"), both({failure("b"), failure("a")})}).message(), "[a, b]");
}

TEST(Aggregate, ERR_21_FilterFlattenReduce) {
  const Error nested = both({failure("a"), both({failure("b"), both({failure("c")})})});
  const auto is = [](const char* text) {
    return [text](const Error& e) { return e.message() == text; };
  };
  EXPECT_EQ(filter_out(nested, is("b")).value().message(), "[a, c]");
  EXPECT_EQ(filter_out(nested, [](const Error&) { return true; }), std::nullopt);
  EXPECT_EQ(filter_out(failure("a"), is("a")), std::nullopt);
  EXPECT_EQ(filter_out(failure("a"), is("b")).value().message(), "a");

  const Error flat = flatten(nested);
  ASSERT_NE(errors_of(flat), nullptr);
  EXPECT_EQ(errors_of(flat)->size(), 3U);
  const Error flat_one = flatten(failure("a"));
  EXPECT_EQ(errors_of(flat_one), nullptr);

  const Error reduced_one = reduce(both({failure("a")}));
  EXPECT_EQ(errors_of(reduced_one), nullptr);
  EXPECT_EQ(reduced_one.message(), "a");
  const Error reduced = reduce(nested);
  EXPECT_EQ(errors_of(reduced)->size(), 2U);
}

TEST(Aggregate, AnyErrorLooksIntoMembers) {
  const Error nested = both({failure("a"), both({failure("b")})});
  EXPECT_TRUE(any_error(nested, [](const Error& e) { return e.message() == "b"; }));
  EXPECT_FALSE(any_error(nested, [](const Error& e) { return e.message() == "c"; }));
  EXPECT_TRUE(any_error(failure("a"), [](const Error& e) { return e.message() == "a"; }));
}

TEST(Aggregate, KeepsTheCodeThatAllShare) {
  EXPECT_EQ(both({failure("a", ErrorCode::Timeout), failure("b", ErrorCode::Timeout)}).code(),
            ErrorCode::Timeout);
  EXPECT_EQ(both({failure("a", ErrorCode::Timeout), failure("b", ErrorCode::Decode)}).code(),
            ErrorCode::Internal);
}

}  // namespace
}  // namespace kube
