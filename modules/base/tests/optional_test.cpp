// SPDX-License-Identifier: Apache-2.0
#include <kube/base/optional.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace kube {
namespace {

// The point of it: an unset message costs a pointer, and a type can contain itself.
static_assert(sizeof(Optional<std::array<char, 1000>>) == sizeof(void*));
static_assert(std::is_nothrow_default_constructible_v<Optional<std::string>>);
static_assert(std::is_nothrow_move_constructible_v<Optional<std::string>>);
static_assert(std::is_nothrow_move_assignable_v<Optional<std::string>>);
static_assert(std::is_nothrow_swappable_v<Optional<std::string>>);
static_assert(std::is_copy_constructible_v<Optional<std::string>>);
static_assert(std::is_copy_assignable_v<Optional<std::string>>);
static_assert(std::equality_comparable<Optional<std::string>>);
static_assert(std::is_convertible_v<std::string, Optional<std::string>>);
static_assert(!std::is_convertible_v<Optional<std::string>, bool>);

struct Tree {
  int value = 0;
  Optional<Tree> child{};
  std::vector<Tree> more{};
  bool operator==(const Tree&) const = default;
};

TEST(Optional, IsEmptyAtFirst) {
  const Optional<std::string> empty;
  EXPECT_FALSE(empty);
  EXPECT_FALSE(empty.has_value());
  EXPECT_EQ(empty, std::nullopt);
  const Optional<std::string> also = std::nullopt;
  EXPECT_EQ(empty, also);
}

TEST(Optional, HoldsAValue) {
  Optional<std::string> text = std::string("hello");
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "hello");
  EXPECT_EQ(text->size(), 5U);
  text->push_back('!');
  EXPECT_EQ(text.value(), "hello!");
  const Optional<std::string> in_place(std::in_place, 3U, 'x');
  EXPECT_EQ(*in_place, "xxx");
  EXPECT_EQ(in_place->size(), 3U);
}

TEST(Optional, ValueThrowsWhenThereIsNone) {
  Optional<int> empty;
  const Optional<int> const_empty;
  EXPECT_THROW((void)empty.value(), std::bad_optional_access);
  EXPECT_THROW((void)const_empty.value(), std::bad_optional_access);
  EXPECT_THROW((void)Optional<int>().value(), std::bad_optional_access);
}

TEST(Optional, CopiesAreDeepAndIndependent) {
  Optional<std::string> one = std::string("one");
  Optional<std::string> two = one;
  *two = "two";
  EXPECT_EQ(*one, "one");
  one = two;
  EXPECT_EQ(*one, "two");
  const Optional<std::string> empty;
  one = empty;
  EXPECT_FALSE(one);
  one = two;
  EXPECT_EQ(one, two);
  const Optional<std::string>& self = one;
  one = self;
  EXPECT_EQ(*one, "two");
}

TEST(Optional, MovesLeaveNothingBehind) {
  Optional<std::string> one = std::string("one");
  Optional<std::string> two = std::move(one);
  EXPECT_EQ(*two, "one");
  EXPECT_FALSE(one);  // NOLINT(bugprone-use-after-move): this is what is promised
  one = std::move(two);
  EXPECT_EQ(*one, "one");
  Optional<std::unique_ptr<int>> movable = std::make_unique<int>(1);
  const std::unique_ptr<int> taken = *std::move(movable);
  EXPECT_EQ(*taken, 1);
  EXPECT_EQ(Optional<std::string>(std::string("x")).value(), "x");
}

TEST(Optional, ResetEmplaceEnsureAndAssignChangeIt) {
  Optional<std::string> text;
  EXPECT_EQ(text.emplace(2U, 'a'), "aa");
  EXPECT_EQ(text.ensure(), "aa") << "the value that is there";
  text.reset();
  EXPECT_FALSE(text);
  text.ensure() += "made";
  EXPECT_EQ(text, "made");
  text = std::nullopt;
  EXPECT_FALSE(text);
  text = std::string("again");
  EXPECT_EQ(text, "again");
}

TEST(Optional, ComparesValuesNotAddresses) {
  const Optional<int> one = 1;
  const Optional<int> also_one = 1;
  const Optional<int> two = 2;
  const Optional<int> empty;
  EXPECT_EQ(one, also_one);
  EXPECT_NE(one, two);
  EXPECT_NE(one, empty);
  EXPECT_NE(empty, one);
  EXPECT_EQ(one, 1);
  EXPECT_NE(one, 2);
  EXPECT_NE(empty, 0);
}

TEST(Optional, SwapExchangesWithoutCopies) {
  Optional<std::string> one = std::string("one");
  const std::string* address = &*one;
  Optional<std::string> empty;
  swap(one, empty);
  EXPECT_FALSE(one);
  EXPECT_EQ(&*empty, address);
}

TEST(Optional, ValueOrGivesAFallback) {
  const Optional<std::string> empty;
  EXPECT_EQ(empty.value_or("fallback"), "fallback");
  EXPECT_EQ(Optional<std::string>(std::string("x")).value_or("fallback"), "x");
  const Optional<std::string> text = std::string("y");
  EXPECT_EQ(text.value_or("fallback"), "y");
}

TEST(Optional, MonadicFunctionsChain) {
  const auto half = [](int n) -> Optional<int> {
    if (n % 2 != 0) return std::nullopt;
    return n / 2;
  };
  const Optional<int> eight = 8;
  const Optional<int> empty;
  EXPECT_EQ(eight.and_then(half).and_then(half), 2);
  EXPECT_EQ(Optional<int>(6).and_then(half).and_then(half), std::nullopt);
  EXPECT_EQ(empty.and_then(half), std::nullopt);
  EXPECT_EQ(eight.transform([](int n) { return std::to_string(n); }), "8");
  EXPECT_EQ(empty.transform([](int n) { return n; }), std::nullopt);
  EXPECT_EQ(Optional<int>(1).transform([](int&& n) { return n + 1; }), 2);
  EXPECT_EQ(empty.or_else([] { return Optional<int>(7); }), 7);
  EXPECT_EQ(eight.or_else([] { return Optional<int>(7); }), 8);
  EXPECT_EQ(Optional<int>().or_else([] { return Optional<int>(7); }), 7);
}

TEST(Optional, TypesMayContainThemselves) {
  Tree tree{.value = 1};
  tree.child.ensure().value = 2;
  tree.child->child.ensure().value = 3;
  Tree copy = tree;
  EXPECT_EQ(copy, tree);
  copy.child->child->value = 4;
  EXPECT_NE(copy, tree);
}

}  // namespace
}  // namespace kube
