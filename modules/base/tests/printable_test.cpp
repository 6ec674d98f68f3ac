// SPDX-License-Identifier: Apache-2.0
#include <kube/base/printable.hpp>

#include <gtest/gtest.h>

namespace kube {
namespace {

TEST(Printable, LeavesTextInAnyScript) {
  for (const char* text : {"", "default/web-1", "läuft", "\u4f60\u597d", "\U0001f680", "~"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("a\nADDED evil/pod 99\x1b[2J"), R"(a\nADDED evil/pod 99\x1b[2J)");
  EXPECT_EQ(printable(std::string_view("\0\t\r\x7f", 4)), R"(\x00\t\r\x7f)");
  EXPECT_EQ(printable("\u009b[2J"), R"(\xc2\x9b[2J)") << "the one-byte form of ESC [";
}

TEST(WholeCharacters, CutNoCharacterAndLeaveBytesThatAreNone) {
  EXPECT_EQ(whole_characters("a\u20acb", 9), "a\u20acb");
  EXPECT_EQ(whole_characters("a\u20acb", 4), "a\u20ac");
  for (const std::size_t most : {1U, 2U, 3U}) EXPECT_EQ(whole_characters("a\u20acb", most), "a");
  EXPECT_EQ(whole_characters("\u20ac", 0), "");
  const std::string none(100, '\x80');
  EXPECT_EQ(whole_characters(none, 50).size(), 47U);
}

TEST(Printable, EscapesMarksThatMoveText) {
  EXPECT_EQ(printable("a\u202eb"), R"(a\xe2\x80\xaeb)");
  for (const char* mark : {"\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u2066", "\u2069"})
    EXPECT_EQ(printable(mark).front(), '\\') << mark;
  for (const char* text : {"\u200d", "\u2010", "\u2027", "\u202f", "\u2065", "\u206a"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xff"), R"(\xff)");
  EXPECT_EQ(printable("\xc0\xaf"), R"(\xc0\xaf)") << "overlong";
  EXPECT_EQ(printable("\xe0\x80\xaf"), R"(\xe0\x80\xaf)") << "overlong";
  EXPECT_EQ(printable("\xed\xa0\x80"), R"(\xed\xa0\x80)") << "a surrogate";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), R"(\xf4\x90\x80\x80)") << "beyond Unicode";
  EXPECT_EQ(printable("a\xe4\xbd"), R"(a\xe4\xbd)") << "cut off";
}

TEST(Printable, StaysTheSameWhenItIsEscapedAgain) {
  const std::string once = printable("a\n\x1b\\");
  EXPECT_EQ(once, R"(a\n\x1b\)");
  EXPECT_EQ(printable(once), once);
}

TEST(Printable, MarksCharactersForQuotes) {
  std::string out = "say=\"";
  append_printable(out, "\"hi\" \\\n", "\"\\");
  EXPECT_EQ(out, R"(say="\"hi\" \\\n)");
}

TEST(Printable, CutsWhatIsTooLongBetweenCharacters) {
  EXPECT_EQ(printable("abc", 3), "abc");
  EXPECT_EQ(printable("abcd", 3), "abc...");
  EXPECT_EQ(printable("ab\u4f60", 4), "ab...");
  EXPECT_EQ(printable("ab\u4f60c", 5), "ab\u4f60...");
  EXPECT_EQ(printable("\x80\x80\x80\x80\x80", 4), R"(\x80...)") << "not UTF-8 at all";
}

}  // namespace
}  // namespace kube
