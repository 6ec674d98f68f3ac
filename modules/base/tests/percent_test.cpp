// SPDX-License-Identifier: Apache-2.0
#include <kube/base/percent.hpp>

#include <gtest/gtest.h>

#include <kube/base/ascii.hpp>

namespace kube {
namespace {

TEST(Percent, EveryByteIsEncodedUnlessItStays) {
  const std::string text("a/\0\xc3\xa9 +%", 8);
  EXPECT_EQ(percent_encoded(text, ascii::is_alnum), "a%2F%00%C3%A9%20%2B%25");
  EXPECT_EQ(percent_encoded(text, [](char) { return true; }), text);
}

TEST(Percent, DecodesWhatWasEncoded) {
  for (int code = 0; code < 256; ++code) {
    const std::string byte(1, static_cast<char>(static_cast<unsigned char>(code)));
    const std::string escape = percent_encoded(byte, [](char) { return false; });
    ASSERT_EQ(escape.size(), 3U);
    EXPECT_EQ(percent_decoded(escape), byte);
    EXPECT_EQ(percent_decoded(ascii::to_lower(escape)), byte) << "digits of either case";
  }
}

TEST(Percent, APlusIsASpaceInQueriesOnly) {
  EXPECT_EQ(percent_decoded("a+b%2Bc"), "a+b+c");
  EXPECT_EQ(percent_decoded("a+b%2Bc", Plus::IsSpace), "a b+c");
}

TEST(Percent, WhatIsNoEscapeIsNotDecoded) {
  for (const char* text : {"%", "%4", "a%4", "%4g", "%g4", "%%41", "%-1", "%+1", "% 1", "%0x"})
    EXPECT_EQ(percent_decoded(text), std::nullopt) << text;
  EXPECT_EQ(percent_decoded(""), "");
}

}  // namespace
}  // namespace kube
