// SPDX-License-Identifier: Apache-2.0
#include <kube/base/utf8.hpp>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube {
namespace {

using ::testing::ElementsAre;

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> all;
  for (std::size_t at = 0; at < text.size();) all.push_back(next_code_point(text, &at));
  return all;
}

TEST(Utf8, EveryCodePointIsReadAsItWasWritten) {
  for (char32_t code = 0; code <= 0x10ffff; code += code < 0x900 ? 1 : 0x3d) {
    if (code >= 0xd800 && code < 0xe000) continue;
    std::string text;
    append_utf8(code, text);
    EXPECT_EQ(utf8_length(text, 0), text.size()) << std::hex << static_cast<unsigned>(code);
    EXPECT_THAT(code_points(text), ElementsAre(code));
  }
}

TEST(Utf8, WhatIsNotASequenceHasNoLengthAndIsReadByteByByte) {
  for (const std::string_view text : {"\xc3", "\x80", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(utf8_length(text, 0), 0U) << text;
    EXPECT_EQ(code_points(text), std::vector<char32_t>(text.size(), 0xfffd)) << text;
  }
  EXPECT_EQ(utf8_length("", 0), 0U);
  EXPECT_THAT(code_points("a\xff\xc3\xa4"), ElementsAre(U'a', 0xfffd, 0xe4));
}

}  // namespace
}  // namespace kube
