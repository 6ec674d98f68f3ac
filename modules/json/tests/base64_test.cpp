// SPDX-License-Identifier: Apache-2.0
#include <kube/json/base64.hpp>

#include <gtest/gtest.h>

#include <string>

namespace kube::json {
namespace {

TEST(Base64, RoundTrips) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    std::string text;
    write_base64(bytes, text);
    EXPECT_EQ(text.size() % 4, 0U);
    EXPECT_EQ(read_base64(text), bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64, ReadsKnownTexts) {
  EXPECT_EQ(read_base64("aGVsbG8="), "hello");
  EXPECT_EQ(read_base64("aGVs\nbG8=\r\n"), "hello");
  EXPECT_EQ(read_base64(""), "");
}

TEST(Base64, RefusesMalformedText) {
  for (const char* text :
       {"a", "aGVsbG8", "aGVsbG8==", "aGVsbG8=x", "====", "a===", "aGV*", "aGVs=", "aG_-"}) {
    EXPECT_FALSE(read_base64(text)) << text;
  }
}

}  // namespace
}  // namespace kube::json
