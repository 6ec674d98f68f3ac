// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/go_problems.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace kube::go {
namespace {

// All texts are what Go 1.26 prints.

TEST(GoProblems, OfJson) {
  struct Case {
    std::string_view text;
    std::string_view want;
  };
  const Case cases[] = {
      {"", "unexpected end of JSON input"},
      {"{", "unexpected end of JSON input"},
      {R"({"a)", "unexpected end of JSON input"},
      {"x", "invalid character 'x' looking for beginning of value"},
      {R"({"a":1} x)", "invalid character 'x' after top-level value"},
      {R"({"a":1,})", "invalid character '}' looking for beginning of object key string"},
      {"{'a':1}", R"(invalid character '\'' looking for beginning of object key string)"},
      {R"({"a" 1})", "invalid character '1' after object key"},
      {R"({"a":1 "b")", R"(invalid character '"' after object key:value pair)"},
      {"[1 2]", "invalid character '2' after array element"},
      {"[1,]", "invalid character ']' looking for beginning of value"},
      {"trux", "invalid character 'x' in literal true (expecting 'e')"},
      {"[-]", "invalid character ']' in numeric literal"},
      {"[1.]", "invalid character ']' after decimal point in numeric literal"},
      {"[1e]", "invalid character ']' in exponent of numeric literal"},
      {"\"\n\"", R"(invalid character '\n' in string literal)"},
      {R"("\x")", "invalid character 'x' in string escape code"},
      {R"("\u12g")", R"(invalid character 'g' in \u hexadecimal character escape)"},
      {R"({"a":[1,2.5e3,"\n",null,true]})", ""},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(json_problem(text), want) << text;
}

TEST(GoProblems, OfTimes) {
  struct Case {
    std::string_view text;
    std::string_view want;
  };
  const std::string_view layout = R"( as "2006-01-02T15:04:05Z07:00": )";
  const Case cases[] = {
      {"", R"(cannot parse "" as "2006")"},
      {"2020", R"(cannot parse "" as "-")"},
      {"2020-1-02", R"(cannot parse "1-02" as "01")"},
      {"2020-01-02 03:04:05Z", R"(cannot parse " 03:04:05Z" as "T")"},
      {"2020-01-02T03:04:05", R"(cannot parse "" as "Z07:00")"},
      {"2020-01-02T03:04:05+0200", R"(cannot parse "+0200" as "Z07:00")"},
  };
  for (const auto& [text, want] : cases) {
    EXPECT_EQ(time_problem(text, false), "parsing time \"" + std::string(text) + "\"" +
                                             std::string(layout) + std::string(want));
  }
  EXPECT_EQ(time_problem("2020-13-02T03:04:05Z", false),
            R"(parsing time "2020-13-02T03:04:05Z": month out of range)");
  EXPECT_EQ(time_problem("2021-02-29T03:04:05Z", false),
            R"(parsing time "2021-02-29T03:04:05Z": day out of range)");
  EXPECT_EQ(time_problem("2021-02-28T03:04:05Z1", false),
            R"(parsing time "2021-02-28T03:04:05Z1": extra text: "1")");
  EXPECT_EQ(time_problem("2021-02-28T03:04:05Z", true),
            R"(parsing time "2021-02-28T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": )"
            R"(cannot parse "Z" as ".000000")");
}

TEST(GoProblems, OfDurations) {
  EXPECT_EQ(duration_problem("x"), R"(time: invalid duration "x")");
  EXPECT_EQ(duration_problem("5"), R"(time: missing unit in duration "5")");
  EXPECT_EQ(duration_problem("5x"), R"(time: unknown unit "x" in duration "5x")");
  EXPECT_EQ(duration_problem(""), R"(time: invalid duration "")");
}

TEST(GoProblems, OfBase64) {
  EXPECT_EQ(base64_problem("x"), "illegal base64 data at input byte 0");
  EXPECT_EQ(base64_problem("YWJj*"), "illegal base64 data at input byte 4");
  EXPECT_EQ(base64_problem("YWI"), "illegal base64 data at input byte 0");
  EXPECT_EQ(base64_problem("YWI=x"), "illegal base64 data at input byte 4");
  EXPECT_EQ(base64_problem("YQ=="
                           "YQ=="),
            "illegal base64 data at input byte 4");
  EXPECT_EQ(base64_problem("YQ="), "illegal base64 data at input byte 3");
}

}  // namespace
}  // namespace kube::go
