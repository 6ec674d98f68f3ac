// SPDX-License-Identifier: Apache-2.0
#include <kube/json/text.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace kube::json {
namespace {

TEST(EndOfValue, StopsBehindTheFirstValue) {
  EXPECT_EQ(*end_of_value(R"( {"a":"}"}{"b":2})"), 10U);
  EXPECT_EQ(*end_of_value("12,13"), 2U);
  EXPECT_EQ(*end_of_value("[1]]"), 3U);
  EXPECT_FALSE(end_of_value("[1"));
  EXPECT_FALSE(end_of_value(""));
}

TEST(FindSyntaxError, FindsWhatIsWrongAnywhereInALongString) {
  const std::string plain(70, 'x');
  for (const std::string& before : {plain, "\\n" + plain, "\xc3\xa9" + plain}) {
    for (std::size_t at = 0; at <= plain.size(); ++at) {
      const auto with = [&](std::string_view what) {
        return "\"" + before.substr(0, before.size() - at) + std::string(what) + plain + "\"";
      };
      const std::size_t offset = 1 + before.size() - at;
      EXPECT_FALSE(find_syntax_error(with("\xc3\xa9\\u00e9")));
      EXPECT_EQ(*end_of_value(with("\"")), offset + 1);
      for (const auto& [wrong, message] :
           {std::pair("\x01", "invalid character '\\x01' in string literal"),
            std::pair("\x80", "invalid UTF-8 in string literal"),
            std::pair("\\q", "invalid character 'q' in string escape code")}) {
        const auto error = find_syntax_error(with(wrong));
        ASSERT_TRUE(error) << at;
        EXPECT_EQ(error->offset, offset + (*wrong == '\\' ? 1 : 0));
        EXPECT_EQ(error->message, message);
      }
    }
  }
}

}  // namespace
}  // namespace kube::json
