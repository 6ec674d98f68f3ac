// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <string>

#include <kube/json/text.hpp>
#include <kube/json/value.hpp>

namespace kube::json {
namespace {

using testing::HasSubstr;

Value parsed(std::string_view text) {
  auto value = parse(text);
  EXPECT_TRUE(value) << text << ": " << (value ? "" : value.error().to_string());
  return value ? *std::move(value) : Value();
}

std::string error_of(std::string_view text, const ParseOptions& options = {}) {
  auto value = parse(text, options);
  if (value) return "no error";
  EXPECT_EQ(value.error().code(), ErrorCode::Decode);
  return value.error().to_string();
}

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(Parse, ReadsEveryType) {
  EXPECT_EQ(parsed(R"({"a":null,"b":[true,false],"c":"x","d":{"e":1.5}})"),
            Value(Object{
                {"a", nullptr}, {"b", Array{true, false}}, {"c", "x"}, {"d", Object{{"e", 1.5}}}}));
  EXPECT_EQ(parsed(" \n{}\t"), Value(Object{}));
  EXPECT_EQ(parsed("[]"), Value(Array{}));
}

TEST(Parse, ReadsScalarDocuments) {
  EXPECT_EQ(parsed("null"), Value());
  EXPECT_EQ(parsed(" true "), Value(true));
  EXPECT_EQ(parsed("-12"), Value(-12));
  EXPECT_EQ(parsed("1.25"), Value(1.25));
  EXPECT_EQ(parsed("\"a\\nb\""), Value("a\nb"));
}

// The number that a document is, or the only one of a list.
template <class T>
T the_number(std::string_view text, const T* (Value::*as)() const&) {
  const Value document = parsed(text);
  const Array* list = document.if_array();
  return *((list == nullptr ? document : list->front()).*as)();
}
std::int64_t the_int(std::string_view text) {
  return the_number<std::int64_t>(text, &Value::if_int);
}
std::uint64_t the_uint(std::string_view text) {
  return the_number<std::uint64_t>(text, &Value::if_uint);
}
double the_double(std::string_view text) {
  return the_number<double>(text, &Value::if_double);
}

TEST(Parse, KeepsIntegersExact) {
  EXPECT_EQ(the_int("[9223372036854775807]"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(the_int("[-9223372036854775808]"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(the_uint("[18446744073709551615]"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(the_uint("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
}

TEST(Parse, ReadsIntegersBeyond64BitsAsDoubles) {
  EXPECT_EQ(the_double("[18446744073709551616]"), 18446744073709551616.0);
  EXPECT_EQ(the_double("[-9223372036854775809]"), -9223372036854775809.0);
  EXPECT_EQ(the_double("100000000000000000000"), 1e20);
}

TEST(Parse, ReadsFloats) {
  EXPECT_EQ(the_double("[1.0]"), 1.0);
  EXPECT_EQ(the_double("[1e3]"), 1000.0);
  EXPECT_EQ(the_double("[-0.1E-2]"), -0.001);
  EXPECT_EQ(the_double("[1e-400]"), 0.0);
}

TEST(Parse, RejectsNumbersOutOfRange) {
  EXPECT_EQ(error_of(R"({"a": 1e400})"), "json: offset 6: number out of range");
  EXPECT_EQ(error_of("-1e400"), "json: offset 0: number out of range");
}

TEST(Parse, DecodesEscapes) {
  EXPECT_EQ(parsed(R"(["\"\\\/\b\f\n\r\t","\u00e9\u20ac\ud83d\ude00"])"),
            Value(Array{"\"\\/\b\f\n\r\t", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"}));
  EXPECT_EQ(parsed(R"({"\u0061":1})"), Value(Object{{"a", 1}}));
}

TEST(Parse, ReplacesLoneSurrogates) {
  EXPECT_EQ(parsed(R"(["\ud800","\udc00x","\ud800\u0041"])"),
            Value(Array{"\xef\xbf\xbd", "\xef\xbf\xbdx",
                        "\xef\xbf\xbd"
                        "A"}));
}

TEST(Parse, KeepsTheOrderOfMembers) {
  const Value value = parsed(R"({"z":1,"a":2,"m":3})");
  std::string order;
  for (const auto& [key, member] : *value.if_object()) order += key;
  EXPECT_EQ(order, "zam");
}

TEST(Parse, NamesTheOffsetOfEachError) {
  EXPECT_EQ(error_of(""), "json: offset 0: unexpected end of JSON input");
  EXPECT_EQ(error_of("  "), "json: offset 2: unexpected end of JSON input");
  EXPECT_EQ(error_of("{\"a\":1"), "json: offset 6: unexpected end of JSON input");
  EXPECT_EQ(error_of("{\"a\" 1}"), "json: offset 5: invalid character '1' after object key");
  EXPECT_EQ(error_of("{\"a\":1 \"b\":2}"),
            "json: offset 7: invalid character '\"' after object key:value pair");
  EXPECT_EQ(error_of("{\"a\":1,}"),
            "json: offset 7: invalid character '}' looking for beginning of object key string");
  EXPECT_EQ(error_of("{a:1}"),
            "json: offset 1: invalid character 'a' looking for beginning of object key string");
  EXPECT_EQ(error_of("[1,]"),
            "json: offset 3: invalid character ']' looking for beginning of value");
  EXPECT_EQ(error_of("[,1]"),
            "json: offset 1: invalid character ',' looking for beginning of value");
  EXPECT_EQ(error_of("[1 2]"), "json: offset 3: invalid character '2' after array element");
  EXPECT_EQ(error_of("{\"a\":[1,2}"), "json: offset 9: invalid character '}' after array element");
  EXPECT_EQ(error_of("{} {}"), "json: offset 3: invalid character '{' after top-level value");
  EXPECT_EQ(error_of("[tru]"),
            "json: offset 4: invalid character ']' in literal true (expecting 'e')");
  EXPECT_EQ(error_of("[nul"), "json: offset 4: unexpected end of JSON input");
  EXPECT_EQ(error_of("[\"a"), "json: offset 3: unexpected end of JSON input");
  EXPECT_EQ(error_of("[\"\\x\"]"), "json: offset 3: invalid character 'x' in string escape code");
  EXPECT_EQ(error_of("[\"\\u12g4\"]"),
            "json: offset 6: invalid character 'g' in \\u hexadecimal character escape");
  EXPECT_EQ(error_of("[\"a\nb\"]"), "json: offset 3: invalid character '\\n' in string literal");
  EXPECT_EQ(error_of("[\"\xff\"]"), "json: offset 2: invalid UTF-8 in string literal");
  EXPECT_EQ(error_of("[01]"), "json: offset 2: invalid character '1' after array element");
  EXPECT_EQ(error_of("[1.]"),
            "json: offset 3: invalid character ']' after decimal point in numeric literal");
  EXPECT_EQ(error_of("[1e]"),
            "json: offset 3: invalid character ']' in exponent of numeric literal");
  EXPECT_EQ(error_of("[-]"), "json: offset 2: invalid character ']' in numeric literal");
  EXPECT_EQ(error_of("[+1]"),
            "json: offset 1: invalid character '+' looking for beginning of value");
  EXPECT_EQ(error_of("nulll"), "json: offset 4: invalid character 'l' after top-level value");
}

TEST(Parse, LimitsTheDepth) {
  EXPECT_TRUE(parse(repeat("[", kMaxDepth) + repeat("]", kMaxDepth)));
  EXPECT_EQ(error_of(repeat("[", kMaxDepth + 1) + repeat("]", kMaxDepth + 1)),
            "json: offset 512: exceeded max depth");
  EXPECT_THAT(error_of(repeat("{\"a\":", 100000)), HasSubstr("exceeded max depth"));
}

TEST(Parse, LastOfEqualKeysWinsInThePlaceOfTheFirst) {
  EXPECT_EQ(dump(parsed(R"({"a":1,"b":2,"a":3,"c":4,"a":5})")), R"({"a":5,"b":2,"c":4})");
}

TEST(Parse, RejectsEqualKeysWhenAsked) {
  EXPECT_EQ(error_of(R"({"x":{"a":1,"b":2,"a":3}})", {.reject_duplicate_keys = true}),
            "json: offset 18: duplicate field \"a\"");
  EXPECT_TRUE(parse(R"({"a":{"b":1},"b":{"b":1}})", {.reject_duplicate_keys = true}));
}

// The processor's time for a map that is read twice and compared.
std::clock_t cost_of_map(int members) {
  std::string text = "{";
  for (int i = 0; i < members; ++i)
    text += (i == 0 ? "\"key-" : ",\"key-") + std::to_string(i) + "\":1";
  text += ",\"key-7\":2}";
  const std::clock_t begin = std::clock();
  const Value value = parsed(text);
  const bool equal = value == parsed(text);
  const std::clock_t cost = std::clock() - begin;
  EXPECT_TRUE(equal);
  EXPECT_EQ(value.if_object()->size(), static_cast<std::size_t>(members));
  EXPECT_EQ(*value.if_object()->find("key-7"), Value(2));
  return cost;
}

TEST(Parse, LargeMapsTakeNoQuadraticTime) {
  const std::clock_t small = cost_of_map(2'000);
  const std::clock_t large = cost_of_map(200'000);
  // A hundred times as many members; comparing all pairs would take 10,000 times as long.
  EXPECT_LT(large, 1'500 * std::max<std::clock_t>(small, 1));
}

TEST(Parse, LeavesNothingBehindForTheNextDocument) {
  EXPECT_TRUE(parse(R"({"a":")" + std::string(100000, 'x') + "\"}"));
  EXPECT_EQ(error_of("{\"a\""), "json: offset 4: unexpected end of JSON input");
  EXPECT_EQ(parsed("{\"b\":1}"), Value(Object{{"b", 1}}));
}

TEST(Parse, CutAtEveryByteIsAnErrorAndNeverACrash) {
  const std::string text = R"({"a":[1,-2.5e3,"x\u00e9\n",{"b":null}],"c":true,"d":{"e":[[]]}})";
  ASSERT_TRUE(parse(text));
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(parse(text.substr(0, length))) << text.substr(0, length);
  }
}

TEST(Parse, EveryChangedByteIsReadOrRefused) {
  const std::string text = R"({"a":[1,-2.5e3,"x\u00e9\n",{"b":null}],"c":true})";
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = text;
      changed[at] = static_cast<char>(byte);
      const auto value = parse(changed);
      // The reader and the explaining scanner agree on what is JSON.
      EXPECT_EQ(value.has_value(), !find_syntax_error(changed)) << changed;
    }
  }
}

}  // namespace
}  // namespace kube::json
