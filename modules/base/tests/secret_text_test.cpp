// SPDX-License-Identifier: Apache-2.0
#include <kube/base/secret_text.hpp>

#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/ascii.hpp>

namespace kube {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::PrintToString;

TEST(SecretText, IsMadeOfTextAndRevealsIt) {
  SecretText secret = "literal";
  EXPECT_EQ(secret.reveal(), "literal");
  secret = std::string("string");
  EXPECT_EQ(secret.reveal(), "string");
  secret = std::string_view("view");
  EXPECT_EQ(secret.reveal(), "view");
  EXPECT_EQ(SecretText(std::string("a\0b", 3)).reveal(), std::string("a\0b", 3));
  const std::map<std::string, SecretText> settings{{"id-token", "t"}};
  EXPECT_EQ(settings.at("id-token").reveal(), "t");
}

TEST(SecretText, IsEmptyWithoutText) {
  SecretText secret;
  EXPECT_TRUE(secret.empty());
  EXPECT_EQ(secret.reveal(), "");
  secret = "a";
  EXPECT_FALSE(secret.empty());
  secret = "";
  EXPECT_TRUE(secret.empty());
  secret = "a";
  secret = {};
  EXPECT_TRUE(secret.empty());
}

TEST(SecretText, IsEmptyWithoutAVariableAndNotMadeOfZero) {
  const char* const unset = nullptr;
  EXPECT_TRUE(SecretText(unset).empty());
  SecretText secret = "a";
  secret = unset;
  EXPECT_TRUE(secret.empty());
  static_assert(!std::is_constructible_v<SecretText, std::nullptr_t>);
  static_assert(!std::is_constructible_v<SecretText, int>);
}

TEST(SecretText, ComparesByContent) {
  const SecretText secret = "a";
  EXPECT_TRUE(secret == SecretText("a"));
  EXPECT_TRUE(secret == "a");
  EXPECT_FALSE(secret == "b");
  EXPECT_FALSE(secret == SecretText());
  EXPECT_TRUE(SecretText() == "");
}

TEST(SecretText, KeepsItsTextWhenACopyChanges) {
  const SecretText secret = "a";
  SecretText copy = secret;
  copy = "b";
  EXPECT_EQ(secret.reveal(), "a");
}

template <class T>
concept Streamed = requires(std::ostream& out, const T& value) {
  out << value;
};

TEST(SecretText, HasNoOtherWayToText) {
  static_assert(!std::is_convertible_v<SecretText, std::string>);
  static_assert(!std::is_constructible_v<std::string, SecretText>);
  static_assert(!std::is_constructible_v<std::string_view, SecretText>);
  static_assert(!std::is_constructible_v<const char*, SecretText>);
  static_assert(!std::is_constructible_v<bool, SecretText>);
  static_assert(!Streamed<SecretText>);
  static_assert(Streamed<std::string>);
}

// Small enough for the buffer inside of a std::string, whose bytes are those of the object.
constexpr std::string_view kShort = "s3cr3t";

// What GoogleTest prints: the text itself, or bytes as "73-33 63-72", as digits alone.
template <class T>
std::string printed(const T& value) {
  std::string text = ascii::to_lower(PrintToString(value));
  std::erase_if(text, [](char c) { return c == '-' || c == ' '; });
  return text;
}

std::string digits_of(std::string_view text) {
  std::string digits;
  for (const char c : text) ascii::append_hex(c, digits);
  return digits;
}

struct Holder {
  SecretText secret;
};
struct Inline {
  std::string text;
};

// A failed EXPECT_EQ prints its arguments.
TEST(SecretText, IsNotPrintedByGoogleTestNorInTheBytesOfWhatHoldsIt) {
  const std::string text(kShort);
  const auto hidden = Not(AnyOf(HasSubstr(text), HasSubstr(digits_of(text))));
  EXPECT_THAT(printed(SecretText(text)), hidden);
  EXPECT_THAT(printed(Holder{text}), hidden);
  EXPECT_THAT(printed(std::map<std::string, SecretText>{{"token", text}}), hidden);
  // The search finds what GoogleTest prints.
  EXPECT_THAT(printed(text), HasSubstr(text));
  EXPECT_THAT(printed(Inline{text}), HasSubstr(digits_of(text)));
}

}  // namespace
}  // namespace kube
