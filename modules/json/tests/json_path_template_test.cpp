// SPDX-License-Identifier: Apache-2.0
#include <kube/json/json_path_template.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kube::json {
namespace {

using ::testing::HasSubstr;

// Returns the text of the template for the document, or the error after the offset.
std::string text_of(std::string_view text, const Value& root, const JsonPathOptions& options = {}) {
  const auto parsed = JsonPathTemplate::parse(text);
  if (!parsed) {
    const std::string message = parsed.error().message();
    EXPECT_EQ(parsed.error().code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(message, HasSubstr("JSON path " + std::string(text) + ", offset "));
    return "parse: " + message.substr(message.find(", offset ") + 9);
  }
  const auto out = parsed->to_text(root, options);
  return out ? *out : "error: " + out.error().message();
}
std::string printed(std::string_view text, std::string_view document,
                    const JsonPathOptions& options = {}) {
  return text_of(text, parse(document).value(), options);
}

constexpr std::string_view kNodes = R"({"kind":"List","items":[
  {"kind":"None","metadata":{"name":"127.0.0.1","labels":{"kubernetes.io/hostname":"127.0.0.1"}},
   "status":{"capacity":{"cpu":"4"},"ready":true}},
  {"kind":"None","metadata":{"name":"127.0.0.2","labels":{"kubernetes.io/hostname":"127.0.0.2"}},
   "status":{"capacity":{"cpu":"8"},"ready":false}}],
  "users":[{"name":"myself","user":{}},{"name":"e2e","user":{"password":"secret"}}]})";

TEST(JsonPathTemplate, JP_01_PrintsResultsWithABlankBetweenThem) {
  EXPECT_EQ(printed("hello jsonpath", "{}"), "hello jsonpath");
  EXPECT_EQ(printed("{[0:2]}", R"(["Monday","Tudesday"])"), "Monday Tudesday");
  EXPECT_EQ(printed("{..}", "[1,2,3]"), "[1,2,3]");
  EXPECT_EQ(printed("{[?(@<5)]}", "[2,6,3,7]"), "2 3");
  EXPECT_EQ(printed(R"({"{"})", "{}"), "{");
  EXPECT_EQ(printed("{[1,3,4]}", "[0,1,2,3,4]"), "1 3 4");
  EXPECT_EQ(printed("{ .bools }", R"({"bools":[true,false,true,false]})"),
            "[true,false,true,false]");
  EXPECT_EQ(printed("{ .floats }", R"({"floats":[1.0,2.2,3.3,4.0]})"), "[1,2.2,3.3,4]");
  EXPECT_EQ(printed("{ .maps[::2] }", R"({"maps":[{"b":1,"a":2},{},{"c":[]},{}]})"),
            R"({"a":2,"b":1} {"c":[]})");
  EXPECT_EQ(printed("{[-1]['x']}", R"([{},{"x":null}])"), "null");
  EXPECT_EQ(printed("{[?(@.z)].id}", R"([{"id":"i1","z":1},{"id":"i2"},{"id":"i3","z":0}])"),
            "i1 i3");
  EXPECT_EQ(printed("{range .items[*]}{.metadata.name}, {end}{.kind}", kNodes),
            "127.0.0.1, 127.0.0.2, List");
  EXPECT_EQ(printed("{.items[*]['metadata.name', 'status.capacity']}", kNodes),
            R"(127.0.0.1 127.0.0.2 {"cpu":"4"} {"cpu":"8"})");
  EXPECT_EQ(printed(R"({.items[0].metadata.labels.kubernetes\.io/hostname})", kNodes), "127.0.0.1");
  EXPECT_EQ(printed(R"({.users[?(@.name=="e2e")].user.password})", kNodes), "secret");
  EXPECT_EQ(printed("{.items[?(@..ready==true)].metadata.name}", kNodes), "127.0.0.1");

  EXPECT_EQ(printed("{.a[*]}", R"({"a":["s",1,2.5,true,null,{"b":"<"},[]]})"),
            R"(s 1 2.5 true null {"b":"\u003c"} [])");
  EXPECT_EQ(printed("{[*]}", "[1e-5,0.0001,1e20,1e21,1.0]"),
            "1e-05 0.0001 100000000000000000000 1e+21 1")
      << "as Go prints them";
  EXPECT_EQ(printed("{true} {3} {-1.50} {\"q\\\"x\\n\\x41\\u00e9\\101\"}", "{}"),
            "true 3 -1.5 q\"x\nA\xc3\xa9"
            "A");
  EXPECT_EQ(printed("{[0,0]}", "[1,2]"), "1 1");
  EXPECT_EQ(printed("{@}{$}{.}", R"({"b":1,"a":2})"), R"({"a":2,"b":1}{"a":2,"b":1}{"a":2,"b":1})");
}

TEST(JsonPathTemplate, JP_02_SlicesCountFromBothEnds) {
  const auto slice = [](const std::string& text) {
    return printed("{[" + text + "]}", "[1,2,3,4]");
  };
  EXPECT_EQ(slice("-1"), "4");
  EXPECT_EQ(slice("0:-1"), "1 2 3");
  EXPECT_EQ(slice("-3:-1"), "2 3");
  EXPECT_EQ(slice("2:"), "3 4");
  EXPECT_EQ(slice(":2"), "1 2");
  EXPECT_EQ(slice(":"), "1 2 3 4");
  for (const char* nothing : {"0:0", "5:5", "-5:-5"}) EXPECT_EQ(slice(nothing), "") << nothing;
  EXPECT_EQ(slice("-1:0"), "error: starting index 3 is greater than ending index 0");
  EXPECT_EQ(slice("3:1"), "error: starting index 3 is greater than ending index 1");
  EXPECT_EQ(slice("-1:-2"), "error: starting index 3 is greater than ending index 2");
  EXPECT_EQ(slice("-5"), "error: array index out of bounds: index -1, length 4");
  EXPECT_EQ(slice("4"), "error: array index out of bounds: index 4, length 4");
  EXPECT_EQ(slice("0:9"), "error: array index out of bounds: index 8, length 4");
  EXPECT_EQ(slice("9223372036854775807"),
            "error: array index out of bounds: index 9223372036854775807, length 4");
}

TEST(JsonPathTemplate, JP_03_StepsArePositive) {
  const auto slice = [](const std::string& text) {
    return printed("{[" + text + "]}", "[0,1,2,3,4,5]");
  };
  EXPECT_EQ(slice("1:4:2"), "1 3");
  EXPECT_EQ(slice("1:4:7"), "1");
  EXPECT_EQ(slice("1:4:9223372036854775807"), "1");
  EXPECT_EQ(slice("1:4:"), "1 2 3");
  EXPECT_EQ(slice("1:4:0"), "error: step must be > 0");
  EXPECT_EQ(slice("1:4:-1"), "error: step must be > 0");
}

TEST(JsonPathTemplate, JP_04_MissingKeysAreAnErrorUnlessAllowed) {
  EXPECT_EQ(printed("{.a.b}", R"({"a":{}})"), "error: b is not found");
  EXPECT_EQ(printed("{.a.b}", R"({"a":1})"), "error: b is not found");
  EXPECT_EQ(printed("{[*].b}", R"([{},{"b":1}])"), "1") << "one of them has it";
  EXPECT_EQ(printed("{.a.b}x{.c[0]}", R"({"a":{}})", {.allow_missing_keys = true}), "x");
  EXPECT_EQ(printed("{[3]}", "[]", {.allow_missing_keys = true}),
            "error: array index out of bounds: index 3, length 0");
}

TEST(JsonPathTemplate, JP_05_FiltersCompareValuesOfOneType) {
  EXPECT_EQ(printed("{[?(@>=2)]}", "[1,2.0,2.5,3]"), "2 2.5 3");
  EXPECT_EQ(printed("{[?(@==2)]}", "[1,2.0,2.5,3]"), "2");
  EXPECT_EQ(printed("{[?(@!=2.5)]}", "[2.5,3]"), "3");
  EXPECT_EQ(printed("{[?(@<9223372036854775807)]}",
                    "[9223372036854775806,9223372036854775807,18446744073709551615]"),
            "9223372036854775806");
  EXPECT_EQ(printed(R"({[?(@<="b")]})", R"(["a","b","ba"])"), "a b");
  EXPECT_EQ(printed(R"({[?("b" < @)]})", R"(["a","b","ba"])"), "ba");
  EXPECT_EQ(printed("{[?(@.x==@.y)].n}", R"([{"n":1,"x":2,"y":2},{"n":2,"x":2,"y":3}])"), "1");
  EXPECT_EQ(printed("{[?(@==true)]}", "[true,false]"), "true");
  EXPECT_EQ(printed("{[?(@!=true)]}", "[true,false]"), "false");
  EXPECT_THAT(printed("{[?(@<true)]}", "[true]"), HasSubstr("error: invalid type for comparison"));
  EXPECT_THAT(printed("{[?(@==1)]}", R"(["a"])"),
              HasSubstr("error: incompatible types for comparison: found string and number"));
  const char* const kLacking = R"([{"n":1,"x":2},{"n":2}])";
  EXPECT_EQ(printed("{[?(@.x==2)].n}", kLacking), "error: x is not found");
  EXPECT_EQ(printed("{[?(@.x==2)].n}", kLacking, {.allow_missing_keys = true}), "1");
  EXPECT_EQ(printed("{[?(@.x)].n}", kLacking), "1") << "existence";
  EXPECT_EQ(printed("{[?(@[*]==1)]}", "[[1,2]]"), "error: can only compare one element at a time");
}

TEST(JsonPathTemplate, JP_06_RangesNest) {
  const char* const kRows =
      R"({"k":"K","r":[{"n":"a","v":[1,2]},{"n":"b","v":[]},{"n":"c","v":[3]}]})";
  EXPECT_EQ(printed("{range .r[*]}{.n}:{range .v[*]}<{@}>{end};{end}{.k}", kRows),
            "a:<1><2>;b:;c:<3>;K");
  EXPECT_EQ(printed("{range .r[*]}{range .v[*]}{@}{end}-{range .v[*]}{@}{end},{end}", kRows),
            "12-12,-,3-3,")
      << "twice at one level";
  EXPECT_EQ(printed("a{range .r[1].v[*]}x{.q}{end}b{range .r[*]}{end}c", kRows), "abc");
  EXPECT_EQ(printed("{range .r[*]}{$.n}{\"\\n\"}", kRows), "a\nb\nc\n")
      << "a range without an end ends with the template";
}

TEST(JsonPathTemplate, JP_07_ParseErrorsNameTheOffset) {
  const auto error = [](std::string_view text) { return printed(text, "{}"); };
  EXPECT_EQ(error("x{.a"), "parse: 4: unclosed action");
  EXPECT_EQ(error("{.a\n}"), "parse: 3: unclosed action");
  EXPECT_EQ(error("{*}"), "parse: 1: unrecognized character in action: U+002A '*'");
  EXPECT_EQ(error("{{.a}}"), "parse: 1: unrecognized character in action: U+007B '{'");
  EXPECT_EQ(error("{\x01}"), "parse: 1: unrecognized character in action: U+0001");
  EXPECT_EQ(error("{+12.3.0}"), "parse: 1: cannot parse number +12.3.0");
  EXPECT_EQ(error("{.a[1"), "parse: 4: unterminated array");
  EXPECT_EQ(error("{.a[?(@.b"), "parse: 9: unterminated filter");
  EXPECT_EQ(error("{.a[?(@.b}"), "parse: 9: unterminated filter");
  EXPECT_EQ(error("{....a}"), "parse: 3: invalid multiple recursive descent");
  EXPECT_EQ(error("{.a[x]}"), "parse: 4: invalid array index x");
  EXPECT_EQ(error("{[1:2:3:4]}"), "parse: 2: invalid array index 1:2:3:4");
  EXPECT_EQ(error("{[-]}"), "parse: 2: array index - is not a number");
  EXPECT_EQ(error("{[99999999999999999999]}"),
            "parse: 2: array index 99999999999999999999 is not a number");
  EXPECT_EQ(error("{\"a}"), "parse: 1: unterminated quoted string");
  EXPECT_EQ(error(R"({"\q"})"), "parse: 2: invalid escape in a quoted string");
  EXPECT_EQ(error(R"({"\ud800"})"), "parse: 2: invalid escape in a quoted string");
  EXPECT_EQ(error("{[?(@.a)x}"), "parse: 8: unclosed array expect ]");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "[?(@";
  EXPECT_THAT(error("{" + deep), HasSubstr("nested too deep"));
}

TEST(JsonPathTemplate, JP_08_ErrorsOfExpressionsSayWhatWasFound) {
  const char* const kDocument = R"({"a":{"b":1},"s":"x","l":[1]})";
  EXPECT_EQ(printed("{hello}", kDocument), "parse: 1: unrecognized identifier hello");
  EXPECT_EQ(printed("{.a[0]}", kDocument), "error: object is not array or slice");
  EXPECT_EQ(printed("{.s[*]}", kDocument), "error: string is not array or slice");
  EXPECT_EQ(printed("{.s[?(@.x)]}", kDocument),
            "error: string is not array or slice and cannot be filtered");
  EXPECT_EQ(printed("{.l[?(@<>1)]}", kDocument), "parse: 7: unrecognized filter operator <>");
  EXPECT_EQ(printed("{range .l[*]}{@}{end}{end}", kDocument),
            "parse: 21: not in range, nothing to end");
}

TEST(JsonPathTemplate, JP_09_QuotesHideBracketsOfAllSorts) {
  const char* const kTexts = R"(["a)]}","b\"c","d'e","(["])";
  EXPECT_EQ(printed(R"({[?(@=="a)]}")]})", kTexts), "a)]}");
  EXPECT_EQ(printed(R"({[?(@=='a)]}')]})", kTexts), "a)]}");
  EXPECT_EQ(printed(R"({[?(@=="([")]})", kTexts), "([");
  EXPECT_EQ(printed(R"({[?(@=="b\"c")]})", kTexts), "b\"c");
  EXPECT_EQ(printed(R"({[?(@=='d\'e')]})", kTexts), "d'e");
  EXPECT_EQ(printed(R"({"\"}"}{'\'}'})", kTexts), "\"}'}");
  EXPECT_EQ(printed(R"({["x]"]})", R"({"x]":1})"), "1");
}

TEST(JsonPathTemplate, JP_10_ThreeDotsActLikeTwo) {
  const char* const kTree = R"({"x":1,"a":{"x":2,"l":[{"x":3}]}})";
  EXPECT_EQ(printed("{..x}", kTree), "1 2 3");
  EXPECT_EQ(printed("{...x}", kTree), "1 2 3");
  EXPECT_EQ(printed("{.a..x}", kTree), "2 3");
  EXPECT_EQ(printed("{....x}", kTree), "parse: 3: invalid multiple recursive descent");
  EXPECT_EQ(printed("{.....x}", kTree), "parse: 3: invalid multiple recursive descent");
}

TEST(JsonPathTemplate, JP_11_MembersComeInTheOrderOfTheDocument) {
  EXPECT_EQ(printed("{.*}", R"({"b":1,"a":2})"), "1 2");
  EXPECT_EQ(printed("{..}", R"({"b":["z"],"a":{"c":[1]}})"),
            R"({"a":{"c":[1]},"b":["z"]} ["z"] z {"c":[1]} [1])");
  EXPECT_EQ(printed("{['*']}", R"({"b":1,"a":2})"), "1 2");
  EXPECT_EQ(printed(R"({['\*']})", R"({"b":1,"*":2})"), "2");
}

TEST(JsonPathTemplate, JP_12_SlashesAndDashesNeedNoEscape) {
  const char* const kKeys = R"({"dict":{"key/with-slash":1,"a-b":2,"u_v":3,"d.e":4}})";
  EXPECT_EQ(printed("{.dict.key/with-slash}", kKeys), "1");
  EXPECT_EQ(printed("{.dict.a-b}{.dict.u_v}", kKeys), "23");
  EXPECT_EQ(printed(R"({.dict.d\.e}{.dict['d\.e']})", kKeys), "44");
}

TEST(JsonPathTemplate, JP_13_FindReturnsTheResultListOfEachExpression) {
  const Value root = *parse(R"({"a":[1,{"b":null}],"e":[]})");
  const auto parsed = JsonPathTemplate::parse("x{.a[*]}{.e}{.none}");
  ASSERT_TRUE(parsed);
  const auto found = parsed->find(root, {.allow_missing_keys = true});
  ASSERT_TRUE(found);
  std::string lists;  // each as one JSON array
  for (const auto& each : *found) {
    Array list;
    for (const Value* value : each) list.push_back(*value);
    lists += dump(Value(list));
  }
  EXPECT_EQ(lists, R"(["x"][1,{"b":null}][[]][])");
}

TEST(JsonPathTemplate, VisitsABoundedNumberOfValues) {
  const Value root = Array(100, Array(100, Value(1)));
  EXPECT_EQ(text_of("{[*][*]}", root, {.max_values = 1000}),
            "error: the JSON path leads to too many values");
  EXPECT_EQ(text_of("{[*][0]}", root, {.max_values = 200}).size(), 199U);
  EXPECT_EQ(text_of("{..}", root, {.max_values = 50}),
            "error: the JSON path leads to too many values");
  EXPECT_EQ(text_of("{[?(@[0]==1)][0]}", root, {.max_values = 150}),
            "error: the JSON path leads to too many values");
  EXPECT_EQ(text_of("{[0][0,1,2]}", root, {.max_values = 3}),
            "error: the JSON path leads to too many values");
}

TEST(RelaxedJsonPath, AcceptsPathsWithoutBracesAndDot) {
  for (const char* text :
       {"metadata.name", ".metadata.name", "{metadata.name}", "{.metadata.name}"})
    EXPECT_EQ(relaxed_json_path(text).value(), "{.metadata.name}") << text;
  for (const char* text : {"", ".", "{}", "{.}", "{{.a}}", "a}", "{.a"})
    EXPECT_THAT(relaxed_json_path(text).error().message(),
                HasSubstr("unexpected path string, expected a 'name1.name2' or '.name1.name2'"))
        << text;
}

}  // namespace
}  // namespace kube::json
