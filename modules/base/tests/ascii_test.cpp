// SPDX-License-Identifier: Apache-2.0
#include <kube/base/ascii.hpp>

#include <algorithm>

#include <gtest/gtest.h>

namespace kube::ascii {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kSmall = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool holds(std::string_view set, char c) {
  return set.find(c) != std::string_view::npos;
}

template <class Check>
void for_all_chars(Check check) {
  for (int code = 0; code < 256; ++code) {
    SCOPED_TRACE(code);
    check(static_cast<char>(static_cast<unsigned char>(code)));
  }
}

TEST(Ascii, ClassesHoldWhatTheirNamesSayAndNothingElse) {
  for_all_chars([](char c) {
    EXPECT_EQ(is_digit(c), holds(kDigits, c));
    EXPECT_EQ(is_lower(c), holds(kSmall, c));
    EXPECT_EQ(is_upper(c), holds(kCapitals, c));
    EXPECT_EQ(is_alpha(c), holds(kSmall, c) || holds(kCapitals, c));
    EXPECT_EQ(is_alnum(c), holds(kSmall, c) || holds(kCapitals, c) || holds(kDigits, c));
  });
}

TEST(Ascii, CaseChangesOfLettersOnly) {
  for_all_chars([](char c) {
    EXPECT_EQ(to_lower(c), holds(kCapitals, c) ? kSmall[kCapitals.find(c)] : c);
    EXPECT_EQ(to_upper(c), holds(kSmall, c) ? kCapitals[kSmall.find(c)] : c);
  });
}

TEST(Ascii, HexValueIsMinusOneForWhatIsNoDigit) {
  for_all_chars([](char c) {
    constexpr std::string_view kLow = "0123456789abcdef";
    constexpr std::string_view kHigh = "0123456789ABCDEF";
    const std::size_t at = std::min(kLow.find(c), kHigh.find(c));
    EXPECT_EQ(hex_value(c), at == std::string_view::npos ? -1 : static_cast<int>(at));
  });
}

TEST(Ascii, TextsKeepBytesAbove127AndZeros) {
  const std::string mixed = std::string("aZ\0\xc3\x84-\xff", 7) + "K8s";
  EXPECT_EQ(to_lower(mixed), std::string("az\0\xc3\x84-\xff", 7) + "k8s");
  EXPECT_EQ(to_upper(mixed), std::string("AZ\0\xc3\x84-\xff", 7) + "K8S");
  EXPECT_EQ(to_lower(""), "");
}

TEST(Ascii, TextsAreEqualIgnoringTheCaseOfLettersOnly) {
  EXPECT_TRUE(equal_ignoring_case("Content-Type", "content-tYPE"));
  EXPECT_TRUE(equal_ignoring_case("", ""));
  EXPECT_FALSE(equal_ignoring_case("Content-Type", "Content-Typ"));
  EXPECT_FALSE(equal_ignoring_case("[", "{"));
  EXPECT_FALSE(equal_ignoring_case("@", "`"));
  EXPECT_FALSE(equal_ignoring_case("\xc3\x84", "\xc3\xa4"));
}

TEST(Ascii, IsKnownAtCompileTime) {
  static_assert(to_lower('Q') == 'q' && to_upper('q') == 'Q' && hex_value('f') == 15);
  static_assert(equal_ignoring_case("Pod", "pOD") && !equal_ignoring_case("Pod", "Pods"));
}

TEST(Ascii, BlanksAreSpacesAndTabsOnly) {
  for_all_chars([](char c) {
    const std::string both = std::string(1, c) + "x y" + c;
    EXPECT_EQ(trim_blanks(both), holds(" \t", c) ? "x y" : both);
  });
}

TEST(Ascii, WhiteSpaceHoldsTheEndsOfLinesAndPagesToo) {
  for_all_chars([](char c) {
    const std::string both = std::string(1, c) + "x y" + c;
    EXPECT_EQ(trim_space(both), holds(" \t\n\v\f\r", c) ? "x y" : both);
  });
}

TEST(Ascii, TrimmingTakesAllOfBothEndsAndNothingBetween) {
  EXPECT_EQ(trim_blanks(" \t a \t b\t "), "a \t b");
  EXPECT_EQ(trim_blanks(" \n a \n "), "\n a \n");
  EXPECT_EQ(trim_space("\r\n\t a \n b \r\n"), "a \n b");
  for (const std::string_view nothing : {"", " ", "\t \t"}) {
    EXPECT_EQ(trim_blanks(nothing), "");
    EXPECT_EQ(trim_space(nothing), "");
  }
}

}  // namespace
}  // namespace kube::ascii
