// SPDX-License-Identifier: Apache-2.0
#include <kube/json/plain_text.hpp>

#include <gtest/gtest.h>

#include <string>

namespace kube::json {
namespace {

TEST(PlainText, HasNoByteThatIsWrittenOtherwise) {
  // Every byte at each place of texts up to three blocks long.
  for (std::size_t length = 0; length <= 48; ++length) {
    std::string text(length, 'a');
    EXPECT_TRUE(is_plain(text)) << length;
    EXPECT_TRUE(is_compact(text)) << length;
    for (char& place : text) {
      for (int byte = 0; byte < 256; ++byte) {
        place = static_cast<char>(byte);
        const bool escaped = byte == '<' || byte == '>' || byte == '&';
        ASSERT_EQ(is_plain(text),
                  byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\' && !escaped)
            << text;
        ASSERT_EQ(is_compact(text), byte > 0x20 && byte < 0x80 && !escaped) << text;
      }
      place = 'a';
    }
  }
}

}  // namespace
}  // namespace kube::json
