// SPDX-License-Identifier: Apache-2.0
#include <kube/json/reader.hpp>

#include <gtest/gtest.h>

#include <string>

#include <kube/json/value.hpp>

namespace kube::json {
namespace {

static_assert(!std::is_copy_constructible_v<Reader>);

TEST(Reader, WalksOverADocument) {
  Reader reader(R"({"a" : [1, "x\n"], "b\u0063":{ "d": true } ,"e":null})");
  ASSERT_EQ(reader.peek(), '{');
  ASSERT_TRUE(reader.begin_object());
  EXPECT_EQ(reader.key(), "a");
  EXPECT_EQ(reader.key_offset(), 1U);
  EXPECT_EQ(reader.count_elements(), 2U);
  ASSERT_TRUE(reader.begin_array());
  std::string_view number;
  ASSERT_TRUE(reader.read_number(number));
  EXPECT_EQ(number, "1");
  ASSERT_TRUE(reader.next_element());
  EXPECT_EQ(reader.offset(), 11U);
  std::string text;
  ASSERT_TRUE(reader.read_string(text));
  EXPECT_EQ(text, "x\n");
  EXPECT_FALSE(reader.next_element());
  ASSERT_TRUE(reader.next_member());
  EXPECT_EQ(reader.key(), R"(b\u0063)");
  std::string key;
  EXPECT_TRUE(reader.read_key_text(key));
  EXPECT_EQ(key, "bc");
  std::string_view skipped;
  ASSERT_TRUE(reader.skip(skipped));
  EXPECT_EQ(skipped, R"({ "d": true })");
  ASSERT_TRUE(reader.next_member());
  EXPECT_TRUE(reader.read_null());
  EXPECT_FALSE(reader.next_member());
  EXPECT_TRUE(reader.at_end());
}

TEST(Reader, FailsForGoodOnceItFailed) {
  Reader reader(R"({"a":1 "b":2})");
  ASSERT_TRUE(reader.begin_object());
  EXPECT_TRUE(reader.skip());
  EXPECT_FALSE(reader.next_member());
  EXPECT_TRUE(reader.failed());
  EXPECT_EQ(reader.peek(), '\0');
  EXPECT_FALSE(reader.skip());
  EXPECT_FALSE(reader.next_member());
  EXPECT_FALSE(reader.at_end());
}

TEST(Reader, FailsFromTheStartOnTextThatHasNoTokens) {
  for (const char* text : {"", " ", "\"open", "\"\x01\"", "\"\xff\""}) {
    Reader reader(text);
    EXPECT_TRUE(reader.failed()) << text;
    EXPECT_EQ(reader.peek(), '\0');
    EXPECT_FALSE(reader.skip());
  }
}

TEST(Reader, SkipsOnlyWhatHasTheStructureOfJson) {
  const auto skips = [](std::string_view text) {
    Reader reader(text);
    return reader.skip() && reader.at_end();
  };
  for (const char* text :
       {"1", "\"a\"", "[]", "{}", "[[],[{}],1]", R"({"a":{"b":[1,{"c":null}]},"d":[]})"}) {
    EXPECT_TRUE(skips(text)) << text;
  }
  for (const char* text : {"[}", "{]", "[1 2]", "[1,]", "[,]", "{\"a\" 1}", "{\"a\":}", "{1:2}",
                           "{\"a\":1,}", "[1", "{", "]", "[\"a\":1]", "{\"a\",1}", "[[1]"}) {
    EXPECT_FALSE(skips(text)) << text;
  }
  std::string deep(kMaxDepth, '[');
  EXPECT_TRUE(skips(deep + std::string(kMaxDepth, ']')));
  EXPECT_FALSE(skips(deep + "[]" + std::string(kMaxDepth, ']')));
}

TEST(Reader, CountsElements) {
  EXPECT_EQ(Reader("[]").count_elements(), 0U);
  EXPECT_EQ(Reader("[[1,2],{\"a\":[3,4]},5]").count_elements(), 3U);
  EXPECT_EQ(Reader("[ ]").count_elements(), 0U);
  EXPECT_EQ(Reader("[1,\"a,b\",null]").count_elements(), 3U);
  // Of what isn't an array, no more than there are values.
  EXPECT_EQ(Reader("[1,2").count_elements(), 2U);
  EXPECT_EQ(Reader("[,,,,,,]").count_elements(), 0U);
}

TEST(Reader, TwoOnOneThreadAreApart) {
  Reader outer(R"(["outer"])");
  ASSERT_TRUE(outer.begin_array());
  {
    Reader inner(R"(["inner and longer"])");
    ASSERT_TRUE(inner.begin_array());
    std::string text;
    ASSERT_TRUE(inner.read_string(text));
    EXPECT_EQ(text, "inner and longer");
  }
  std::string text;
  ASSERT_TRUE(outer.read_string(text));
  EXPECT_EQ(text, "outer");
}

TEST(Reader, ReadsOnlyValidNumbers) {
  for (const char* text : {"0", "-0", "10", "-1.5", "1e5", "1E+5", "0.1e-2"}) {
    Reader reader(text);
    std::string_view number;
    EXPECT_TRUE(reader.read_number(number)) << text;
    EXPECT_EQ(number, text);
  }
  for (const char* text : {"-", "01", "1.", ".5", "1e", "1e+", "1x", "0x1", "--1"}) {
    Reader reader(text);
    std::string_view number;
    EXPECT_FALSE(reader.read_number(number)) << text;
  }
}

TEST(Reader, SkipsOnlyWhatIsJson) {
  for (const char* value :
       {"tru", "truex", "falsy", "nul", "nope", "01", "1x", "-", "1.", "\x01", "\x01\"a\"", "'a'",
        R"("\q")", R"("\u12g4")", R"("a\")", "\"a\"b", "", ","}) {
    for (const std::string& text :
         {std::string(value), "[" + std::string(value) + "]", "[1," + std::string(value) + "]",
          R"({"a":)" + std::string(value) + "}"}) {
      if (text == "[]") continue;
      Reader reader(text);
      EXPECT_FALSE(reader.skip() && reader.at_end()) << text;
      EXPECT_FALSE(json::parse(text)) << text;
    }
  }
  for (const char* text : {R"({"\q":1})", R"({"a":{"\u00":1}})", R"([{"a":[tru]}])"}) {
    Reader reader(text);
    EXPECT_FALSE(reader.skip() && reader.at_end()) << text;
  }
  for (const char* text : {"true", "false", "null", "-1.5e3", R"("\u00e9\n\"")", R"("\ud800")",
                           R"({"\u0061":["\\",null,1e400]})"}) {
    Reader reader(text);
    EXPECT_TRUE(reader.skip() && reader.at_end()) << text;
  }
}

}  // namespace
}  // namespace kube::json
