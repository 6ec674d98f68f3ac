// SPDX-License-Identifier: Apache-2.0
#include <kube/json/raw_value.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <kube/json/text.hpp>
#include <kube/json/writer.hpp>

namespace kube::json {
namespace {

// What the check by bytes and the writer say of it.
RawValue expected_of(std::string_view text) {
  if (find_syntax_error(text)) return RawValue::None;
  std::string written;
  write_compact(text, written);
  return written == text ? RawValue::Compact : RawValue::Loose;
}

std::string nested(std::size_t depth, std::string_view open, std::string_view close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(CheckRawValue, OneValueAndNothingElse) {
  for (const char* text : {"{}", "[]", "null", "true", "-1.5e+3", R"("a\"b")", R"([{"a":[]},{}])",
                           R"({"f:a":{},"k:{\"b\":1}":{".":{}}})"}) {
    EXPECT_EQ(check_raw_value(text), RawValue::Compact) << text;
  }
  for (const char* text : {" {}", "{}\n", "[1, 2]", R"({"a" :1})", R"(["<"])", "\" \xe2\x80\xa8\""})
    EXPECT_EQ(check_raw_value(text), RawValue::Loose) << text;
  for (const char* text : {"",
                           " ",
                           R"({},"metadata":{"name":"evil"})",
                           R"({"a":{}},{"b":{}})",
                           "{}{}",
                           "[],[]",
                           "1,2",
                           "{]",
                           "[}",
                           R"({"a":{},})",
                           R"({"a":{},"b"})",
                           R"({"a":{}"b":{}})",
                           "01",
                           "tru",
                           "nullx",
                           "{{",
                           "\"",
                           R"("\)",
                           R"("\u12")",
                           "\"\n\"",
                           "\"\xc3\"",
                           "\xef\xbb\xbf{}"}) {
    EXPECT_EQ(check_raw_value(text), RawValue::None) << text;
  }
}

TEST(CheckRawValue, SaysWhatTheOtherReadersSayOfEveryShortText) {
  const std::string bytes = "{}[]\",:\\u1-. e<";
  std::vector<std::string> texts{""};
  for (std::size_t first = 0, length = 1; length <= 5; ++length) {
    const std::size_t last = texts.size();
    for (; first != last; ++first) {
      for (const char c : bytes) texts.push_back(texts[first] + c);
    }
  }
  for (const std::string& text : texts) ASSERT_EQ(check_raw_value(text), expected_of(text)) << text;
}

TEST(CheckRawValue, FindsWhatIsWrongAtEveryPlace) {
  // Longer than a block of 64 bytes, and with every sort of token.
  const std::string good =
      R"({"f:metadata":{"f:labels":{".":{},"f:app":{},"f:b<c":{}}},"f:spec":{"k:{\"name\":\"a\"}":)"
      "{\".\":{},\"\xc3\xa9\xe2\x80\xa9\":[1,-2.5e3,true,false,null,\"\\u00e9\\n\"]}, \"z\":[{}]}}";
  ASSERT_EQ(check_raw_value(good), RawValue::Loose);
  for (std::size_t at = 0; at < good.size(); ++at) {
    ASSERT_EQ(check_raw_value(good.substr(0, at)), expected_of(good.substr(0, at))) << at;
    ASSERT_EQ(check_raw_value(good.substr(at)), expected_of(good.substr(at))) << at;
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = good;
      changed[at] = static_cast<char>(byte);
      ASSERT_EQ(check_raw_value(changed), expected_of(changed)) << changed;
      changed = good;
      changed.insert(at, 1, static_cast<char>(byte));
      ASSERT_EQ(check_raw_value(changed), expected_of(changed)) << changed;
    }
  }
}

TEST(CheckRawValue, StringsMayEndAnywhereInABlock) {
  for (std::size_t length = 0; length < 200; ++length) {
    const std::string key(length, 'k');
    EXPECT_EQ(check_raw_value('"' + key + '"'), RawValue::Compact) << length;
    EXPECT_EQ(check_raw_value('"' + key), RawValue::None) << length;
    EXPECT_EQ(check_raw_value('"' + key + "\\\""), RawValue::None) << length;
    EXPECT_EQ(check_raw_value("{\"" + key + "\":{},\"" + key + "\\\"\":1}"), RawValue::Compact);
    EXPECT_EQ(check_raw_value("{\"" + key + "}"), RawValue::None) << length;
  }
}

TEST(CheckRawValue, IsNoDeeperThanOtherJson) {
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"a\":[", "]}")}) {
    const std::size_t most = kMaxDepth / (open[0] == '[' ? 1 : 2);
    EXPECT_EQ(check_raw_value(nested(most, open, close)), RawValue::Compact);
    EXPECT_EQ(check_raw_value(nested(most + 1, open, close)), RawValue::None);
    EXPECT_EQ(check_raw_value(nested(1'000'000, open, close)), RawValue::None);
  }
  // The last level as an empty object with a member behind it.
  const auto objects = [](std::size_t depth) {
    return nested(depth, "{\"a\":", "") + R"({"b":{},"c":1})" + std::string(depth, '}');
  };
  EXPECT_EQ(check_raw_value(objects(kMaxDepth - 2)), RawValue::Compact);
  EXPECT_EQ(check_raw_value(objects(kMaxDepth - 1)), RawValue::None);
}

}  // namespace
}  // namespace kube::json
