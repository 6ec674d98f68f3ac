// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/raw_content.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace kube::meta {
namespace {

TEST(RawContent, RAW_02_IsGuessedFromTheFirstBytes) {
  EXPECT_EQ(guess_content("\xd9\xd9\xf7\xa0"), RawContent::Cbor);
  for (const std::string_view text : {" {}", "\t1", "\r\n[]", "\n\"a\"", "{}", "[]", "\"a\"", "-1",
                                      "0", "9", "null", "true", "false"}) {
    EXPECT_EQ(guess_content(text), RawContent::Json) << text;
    EXPECT_TRUE(to_value(RawExtension{std::string(text)})) << text;
  }
  for (const std::string_view text : {"", "k8s", "x", "+1", "\xd9\xd9", "N", "Null"})
    EXPECT_EQ(guess_content(text), RawContent::Unknown) << text;
  EXPECT_TRUE(to_value(RawExtension{}).value().is_null());
  EXPECT_EQ(to_value(RawExtension{"kind: Pod"}).error().message(),
            "cannot convert RawExtension with unrecognized content type to unstructured");
  EXPECT_EQ(to_value(RawExtension{"\xd9\xd9\xf7\xa0"}).error().message(),
            "cannot convert RawExtension in CBOR to unstructured");
  EXPECT_EQ(
      to_value(RawExtension{"{"}).error().to_string(),
      "failed to parse RawExtension bytes as JSON: json: offset 1: unexpected end of JSON input");
}

}  // namespace
}  // namespace kube::meta
