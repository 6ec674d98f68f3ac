// SPDX-License-Identifier: Apache-2.0
#include <kube/json/value_scanner.hpp>

#include <iterator>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include <kube/json/text.hpp>

namespace kube::json {
namespace {

using State = ValueScanner::State;

/// The rule, byte by byte: how many bytes of the text are the value; 0 when it does not end.
std::size_t length_by_rule(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

std::size_t length_in_pieces(std::string_view text, std::size_t piece) {
  ValueScanner scanner;
  std::size_t taken = 0;
  while (taken < text.size() && scanner.state() == State::More) {
    taken += scanner.feed(text.substr(taken, piece));
  }
  return scanner.state() == State::Done ? taken : 0;
}

TEST(ValueScanner, EndsAtTheClosingBracket) {
  ValueScanner scanner;
  EXPECT_EQ(scanner.feed(R"({"a":[1,{}]},{"b":2})"), 12U);
  EXPECT_EQ(scanner.state(), State::Done);
  scanner.reset();
  EXPECT_EQ(scanner.feed("[]"), 2U);
  EXPECT_EQ(scanner.state(), State::Done);
}

TEST(ValueScanner, TakesAllOfAChunkInWhichTheValueGoesOn) {
  ValueScanner scanner;
  EXPECT_EQ(scanner.feed(""), 0U);
  EXPECT_EQ(scanner.feed("{\"a\":\"}"), 7U);
  EXPECT_EQ(scanner.state(), State::More);
  EXPECT_EQ(scanner.feed("\"}"), 2U);
  EXPECT_EQ(scanner.state(), State::Done);
}

TEST(ValueScanner, ABackslashAtTheEndOfAChunkEscapesTheNextByte) {
  for (std::size_t padding = 0; padding < 130; ++padding) {
    const std::string text = "[\"" + std::string(padding, 'x') + R"(\"]\\"])";
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
      ValueScanner scanner;
      EXPECT_EQ(scanner.feed(text.substr(0, cut)), cut);
      ASSERT_EQ(scanner.feed(text.substr(cut)), text.size() - cut) << padding << " " << cut;
      ASSERT_EQ(scanner.state(), State::Done) << padding << " " << cut;
    }
  }
}

TEST(ValueScanner, AgreesWithTheRuleOnRandomTextInAnyPieces) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = "{";
    for (std::size_t tokens = random() % 30; tokens > 0; --tokens) {
      constexpr std::string_view kOutside = "{}[],: x";
      constexpr std::string_view kInside[] = {"\\\\", "\\\"", "{", "]", "}", "xxxxxxx", "\\n"};
      text += kOutside[random() % kOutside.size()];
      if (random() % 2 == 0) continue;
      text += '"';
      // Strings are long enough to reach over blocks.
      for (std::size_t parts = random() % 20; parts > 0; --parts) {
        text += kInside[random() % std::size(kInside)];
      }
      if (tokens != 1 || random() % 4 != 0) text += '"';
    }
    const std::size_t expected = length_by_rule(text);
    ASSERT_EQ(length_in_pieces(text, text.size()), expected) << text;
    ASSERT_EQ(length_in_pieces(text, 1 + random() % 100), expected) << text;
  }
}

TEST(ValueScanner, FailsBelowTheMaximumDepth) {
  const auto nested = [](int levels) {
    return std::string(static_cast<std::size_t>(levels), '[') +
           std::string(static_cast<std::size_t>(levels), ']');
  };
  EXPECT_EQ(length_in_pieces(nested(kMaxDepth), 7), 2U * kMaxDepth);
  ValueScanner scanner;
  EXPECT_EQ(scanner.feed(nested(kMaxDepth + 1)), static_cast<std::size_t>(kMaxDepth) + 1);
  EXPECT_EQ(scanner.state(), State::TooDeep);
}

}  // namespace
}  // namespace kube::json
