// SPDX-License-Identifier: Apache-2.0
#include <kube/json/writer.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace kube::json {
namespace {

std::string quoted(std::string_view text) {
  std::string out;
  write_string(text, out);
  return out;
}
std::string shown(double value) {
  std::string out;
  write_double(value, out);
  return out;
}

TEST(WriteString, EscapesAsGoDoes) {
  EXPECT_EQ(quoted("plain text"), R"("plain text")");
  EXPECT_EQ(quoted(""), R"("")");
  EXPECT_EQ(quoted("\"\\/"), R"("\"\\/")");
  EXPECT_EQ(quoted("a<b>&c"), R"("a\u003cb\u003e\u0026c")");
  EXPECT_EQ(quoted("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(quoted(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(quoted("\xe2\x80\xa8\xe2\x80\xa9"), R"("\u2028\u2029")");
  EXPECT_EQ(quoted("é€😀"), "\"é€😀\"");
}

TEST(WriteString, ReplacesInvalidUtf8) {
  EXPECT_EQ(quoted("a\xff"
                   "b"),
            R"("a\ufffdb")");
  EXPECT_EQ(quoted("\xc0\x80"), R"("\ufffd\ufffd")");            // overlong
  EXPECT_EQ(quoted("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");  // a surrogate
  EXPECT_EQ(quoted("\xe2\x80"), R"("\ufffd\ufffd")");            // cut
  EXPECT_EQ(quoted("\xf4\x90\x80\x80"), R"("\ufffd\ufffd\ufffd\ufffd")");
}

TEST(WriteDouble, WritesTheShortestFormAsGoDoes) {
  EXPECT_EQ(shown(0), "0");
  EXPECT_EQ(shown(-0.0), "-0");
  EXPECT_EQ(shown(1), "1");
  EXPECT_EQ(shown(-1.5), "-1.5");
  EXPECT_EQ(shown(0.1), "0.1");
  EXPECT_EQ(shown(123456.789), "123456.789");
  EXPECT_EQ(shown(1e20), "100000000000000000000");
  EXPECT_EQ(shown(123456789012345680000.0), "123456789012345680000");
  EXPECT_EQ(shown(1e21), "1e+21");
  EXPECT_EQ(shown(1.5e300), "1.5e+300");
  EXPECT_EQ(shown(1e-6), "0.000001");
  EXPECT_EQ(shown(1e-7), "1e-7");
  EXPECT_EQ(shown(-1.25e-9), "-1.25e-9");
  EXPECT_EQ(shown(1e-10), "1e-10");
  EXPECT_EQ(shown(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(shown(std::numeric_limits<double>::denorm_min()), "5e-324");
}

TEST(WriteDouble, WritesNullForWhatJsonCannotHold) {
  EXPECT_EQ(shown(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(shown(std::numeric_limits<double>::quiet_NaN()), "null");
}

TEST(WriteInt, WritesTheWholeRange) {
  std::string out;
  write_int(std::numeric_limits<std::int64_t>::min(), out);
  out += ' ';
  write_uint(std::numeric_limits<std::uint64_t>::max(), out);
  EXPECT_EQ(out, "-9223372036854775808 18446744073709551615");
}

TEST(WriteCompact, DropsWhiteSpaceAndEscapesAsGoDoes) {
  const auto compact = [](std::string_view text) {
    std::string out;
    write_compact(text, out);
    return out;
  };
  EXPECT_EQ(compact("{ \"a b\" :\t[1, 2 ],\r\n \"c\\\" d\" : \"<x>&\" }"),
            R"({"a b":[1,2],"c\" d":"\u003cx\u003e\u0026"})");
  EXPECT_EQ(compact("\"\xe2\x80\xa8 \xe2\x82\xac\""), "\"\\u2028 \xe2\x82\xac\"");
  EXPECT_EQ(compact(R"({"a":"\\","b":1})"), R"({"a":"\\","b":1})");
  EXPECT_EQ(compact("  1  "), "1");
  EXPECT_EQ(compact("{{"), "{{");
  EXPECT_EQ(compact("\\"), "\\");
  EXPECT_EQ(compact(""), "");
}

}  // namespace
}  // namespace kube::json
