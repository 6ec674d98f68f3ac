// SPDX-License-Identifier: Apache-2.0
#include <kube/base/result.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace kube {
namespace {

static_assert(std::is_nothrow_move_constructible_v<Result<std::string>>);
static_assert(std::is_copy_constructible_v<Result<std::string>>);
static_assert(std::is_move_constructible_v<Result<std::unique_ptr<int>>>);
static_assert(!std::is_copy_constructible_v<Result<std::unique_ptr<int>>>);
static_assert(std::is_nothrow_move_constructible_v<Result<void>>);
static_assert(std::is_convertible_v<Error, Result<int>>);
static_assert(std::is_convertible_v<const char*, Result<std::string>>);
static_assert(std::is_convertible_v<Error, Result<void>>);
static_assert(!std::is_convertible_v<Result<int>, bool>, "only in a condition");
static_assert(!std::is_constructible_v<Result<int>, std::string>);
static_assert(!std::is_default_constructible_v<Result<int>>);
static_assert(std::is_default_constructible_v<Result<void>>);

Error broken() {
  return Error(ErrorCode::Decode, "broken");
}

TEST(Result, HoldsAValueOrAnError) {
  Result<int> good = 1;
  EXPECT_TRUE(good);
  EXPECT_TRUE(good.has_value());
  EXPECT_EQ(*good, 1);
  EXPECT_EQ(good.value(), 1);
  Result<int> bad = broken();
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), ErrorCode::Decode);
}

TEST(Result, IsMadeFromWhatConvertsToTheValue) {
  const auto text = []() -> Result<std::string> { return "literal"; };
  EXPECT_EQ(*text(), "literal");
  const auto base = []() -> Result<std::shared_ptr<const int>> { return std::make_shared<int>(3); };
  EXPECT_EQ(**base(), 3);
  EXPECT_EQ(text().value().size(), 7U);
}

TEST(Result, MakesAValueWhereItStays) {
  struct Counted {
    Counted() = default;
    Counted(Counted&& other) noexcept : moves(other.moves + 1) {}
    Counted& operator=(Counted&&) = default;
    int moves = 0;
  };
  auto made = Result<Counted>::make();
  ASSERT_TRUE(made);
#if !defined(__clang__)
  EXPECT_EQ(made->moves, 0);
#endif
  made = broken();
  EXPECT_EQ(made.error().message(), "broken");
  EXPECT_EQ(*Result<std::string>::make(), "");
  EXPECT_EQ(*Result<int>::make(), 0);
}

// Says whether it still is there.
struct Mortal {
  explicit Mortal(bool& alive_flag) : alive(&alive_flag) { *alive = true; }
  Mortal(Mortal&& other) noexcept : alive(std::exchange(other.alive, nullptr)) {}
  Mortal& operator=(Mortal&&) = delete;
  ~Mortal() {
    if (alive != nullptr) *alive = false;
  }
  bool* alive;
  std::vector<int> parts{1, 2};
};

TEST(Result, WhatATemporaryHeldLivesAsLongAsWhatIsBoundToIt) {
  bool alive = false;
  const auto make = [&] { return Result<Mortal>(Mortal(alive)); };
  {
    const auto& parts = make().value().parts;
    EXPECT_TRUE(alive);
    EXPECT_EQ(parts.size(), 2U);
  }
  EXPECT_FALSE(alive);
  {
    const Mortal& whole = *make();
    EXPECT_TRUE(alive);
    EXPECT_EQ(whole.parts.size(), 2U);
  }
  EXPECT_FALSE(alive);
  int sum = 0;
  for (const int part : make().value().parts) {
    EXPECT_TRUE(alive);
    sum += part;
  }
  EXPECT_EQ(sum, 3);
  EXPECT_FALSE(alive);
}

TEST(Result, ATemporaryHandsOutValues) {
  static_assert(std::is_same_v<decltype(std::declval<Result<int>>().value()), int>);
  static_assert(std::is_same_v<decltype(*std::declval<Result<int>>()), int>);
  static_assert(std::is_same_v<decltype(std::declval<const Result<int>>().value()), int>);
  static_assert(std::is_same_v<decltype(std::declval<Result<int>>().error()), Error>);
  static_assert(std::is_same_v<decltype(std::declval<Result<void>>().error()), Error>);
  const auto constant = []() -> const Result<std::string> { return "constant"; };
  EXPECT_EQ(*constant(), "constant");
  EXPECT_EQ(constant().value(), "constant");
  const Error& error = Result<void>(broken()).error();
  EXPECT_EQ(error.message(), "broken");
}

TEST(Result, IsEmptiedByOneMove) {
  struct Counted {
    Counted() = default;
    Counted(Counted&& other) noexcept : moves(other.moves + 1) {}
    Counted& operator=(Counted&&) = default;
    int moves = 0;
  };
  auto counted = Result<Counted>::make();
  const int before = counted->moves;
  const Counted taken = *std::move(counted);
  EXPECT_EQ(taken.moves, before + 1);
  auto other = Result<Counted>::make();
  const int in_place = other->moves;
  const int seen =
      std::move(other).and_then([](Counted&& value) -> Result<int> { return value.moves; }).value();
  EXPECT_EQ(seen, in_place) << "what it is handed to takes it from there";
}

TEST(Result, ValueThrowsTheErrorWithItsContext) {
  const Result<int> bad = broken().with_context("reading");
  try {
    (void)bad.value();
    FAIL() << "no exception";
  } catch (const ApiException& exception) {
    EXPECT_STREQ(exception.what(), "reading: broken");
    EXPECT_EQ(exception.error().code(), ErrorCode::Decode);
  }
  EXPECT_THROW((void)Result<int>(broken()).value(), ApiException);
  EXPECT_THROW(Result<void>(broken()).value(), ApiException);
  EXPECT_NO_THROW(Result<void>().value());
}

TEST(Result, GivesUpItsValueAndItsErrorToWhoMoves) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
  const std::unique_ptr<int> also = Result<std::unique_ptr<int>>(std::make_unique<int>(6)).value();
  EXPECT_EQ(*also, 6);
  Result<int> bad = broken();
  const Error error = std::move(bad).error();
  EXPECT_EQ(error.message(), "broken");
  Result<void> none = broken();
  EXPECT_EQ(std::move(none).error().message(), "broken");
}

TEST(Result, ValueOrGivesAFallback) {
  const Result<std::string> good = "good";
  const Result<std::string> bad = broken();
  EXPECT_EQ(good.value_or("other"), "good");
  EXPECT_EQ(bad.value_or("other"), "other");
  EXPECT_EQ(Result<std::string>("good").value_or("other"), "good");
  EXPECT_EQ(Result<std::string>(broken()).value_or("other"), "other");
}

TEST(Result, AndThenRunsOnValuesAndPassesErrorsThrough) {
  const auto half = [](int n) -> Result<int> {
    if (n % 2 != 0) return Error(ErrorCode::InvalidArgument, "odd");
    return n / 2;
  };
  const Result<int> eight = 8;
  EXPECT_EQ(*eight.and_then(half).and_then(half), 2);
  Result<int> six = 6;
  const Result<int> odd = std::move(six).and_then(half).and_then(half);
  EXPECT_EQ(odd.error().message(), "odd");
  int calls = 0;
  const Result<void> skipped = Result<int>(broken()).and_then([&](int) -> Result<void> {
    ++calls;
    return {};
  });
  EXPECT_EQ(skipped.error().message(), "broken");
  EXPECT_EQ(calls, 0);
}

TEST(Result, TransformWrapsWhatTheFunctionReturns) {
  const Result<int> one = 1;
  EXPECT_EQ(*one.transform([](int n) { return std::to_string(n); }), "1");
  EXPECT_EQ(one.transform([](int n) { return n; }).value(), 1);
  int seen = 0;
  const Result<void> done = Result<int>(4).transform([&](int n) { seen = n; });
  EXPECT_TRUE(done);
  EXPECT_EQ(seen, 4);
  const Result<std::string> bad =
      Result<int>(broken()).transform([](int) { return std::string(); });
  EXPECT_EQ(bad.error().message(), "broken");
}

TEST(Result, MembersAreFunctionsOfAValueOrOfWhatItPointsTo) {
  struct Named {
    std::string name;
    std::size_t length() const { return name.size(); }
  };
  const Result<Named> value = Named{"web"};
  EXPECT_EQ(*value.transform(&Named::name), "web");
  EXPECT_EQ(*value.transform(&Named::length), 3U);
  const Result<std::shared_ptr<const Named>> pointer = std::make_shared<const Named>(*value);
  EXPECT_EQ(*pointer.transform(&Named::name), "web");
  EXPECT_EQ(*pointer.transform(&Named::length), 3U);
  EXPECT_EQ(
      *Result<std::unique_ptr<Named>>(std::make_unique<Named>(*value)).transform(&Named::length),
      3U);
}

TEST(Result, OrElseRunsOnErrorsAndPassesValuesThrough) {
  const auto recover = [](const Error& error) -> Result<int> {
    if (error.code() == ErrorCode::Decode) return 0;
    return error;
  };
  EXPECT_EQ(*Result<int>(broken()).or_else(recover), 0);
  EXPECT_EQ(*Result<int>(7).or_else(recover), 7);
  const Result<int> unreachable = Error(ErrorCode::Unreachable, "refused");
  EXPECT_EQ(unreachable.or_else(recover).error().message(), "refused");
}

TEST(Result, ContextIsAddedToErrorsOnly) {
  EXPECT_EQ(Result<int>(broken()).with_context("reading").error().to_string(), "reading: broken");
  EXPECT_EQ(*Result<int>(1).with_context("reading"), 1);
  EXPECT_EQ(Result<void>(broken()).with_context("reading").error().to_string(), "reading: broken");
  EXPECT_TRUE(Result<void>().with_context("reading"));
}

TEST(ResultOfVoid, ChainsLikeTheOthers) {
  const Result<void> good;
  const Result<void> bad = broken();
  EXPECT_TRUE(good);
  EXPECT_FALSE(bad);
  EXPECT_EQ(*good.and_then([]() -> Result<int> { return 1; }), 1);
  EXPECT_EQ(bad.and_then([]() -> Result<int> { return 1; }).error().message(), "broken");
  EXPECT_EQ(*good.transform([] { return 2; }), 2);
  EXPECT_TRUE(good.transform([] {}));
  EXPECT_FALSE(bad.transform([] {}));
  EXPECT_TRUE(bad.or_else([](const Error&) { return Result<void>(); }));
  EXPECT_TRUE(good.or_else([](const Error& error) { return Result<void>(error); }));
}

}  // namespace
}  // namespace kube
