// SPDX-License-Identifier: Apache-2.0
#include <kube/json/yaml.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/json/text.hpp>

namespace kube::yaml {
namespace {

using testing::HasSubstr;

// Documents as compact JSON, one a line; or the error.
std::string read(std::string_view text, const json::ParseOptions& options = {}) {
  const auto documents = parse_all(text, options);
  if (!documents) {
    EXPECT_EQ(documents.error().code(), ErrorCode::Decode);
    return documents.error().to_string();
  }
  std::string out;
  for (const auto& document : *documents) out += (out.empty() ? "" : "\n") + json::dump(document);
  return out;
}

TEST(Yaml, ReadsAManifest) {
  EXPECT_EQ(read("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels: {x: z}\nspec:\n  "
                 "containers:\n  - name: c\n"
                 "    args: [a, 'b', \"c\\n\"]\n"),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"x":"z"}},)"
            R"("spec":{"containers":[{"name":"c","args":["a","b","c\n"]}]}})");
}

TEST(Yaml, PlainScalarsReadAsKubectlReadsThem) {
  EXPECT_EQ(read("[1, -2, +3, 010, 0o10, 0x1F, 0b101, 1_000, 1.5, .5, 1e3, 5e-1, 08, "
                 "9223372036854775807]"),
            "[1,-2,3,8,8,31,5,1000,1.5,0.5,1000,0.5,8,9223372036854775807]");
  EXPECT_EQ(read("[18446744073709551615, 18446744073709551616, -9223372036854775808]"),
            "[18446744073709551615,18446744073709552000,-9223372036854775808]");
  EXPECT_EQ(read("[true, True, yes, on, y, Y, false, No, OFF, n]"),
            "[true,true,true,true,true,true,false,false,false,false]");
  EXPECT_EQ(read("[null, ~, Null, ]"), "[null,null,null]");
  EXPECT_EQ(
      read("[yesno, 1a, 1.2.3, -, '1', \"true\", 2024-01-02, 12:30, 0x, 1e, nUll, tRue]"),
      R"(["yesno","1a","1.2.3","-","1","true","2024-01-02","12:30","0x","1e","nUll","tRue"])");
  EXPECT_TRUE(parse("1").value().is_int());
  EXPECT_TRUE(parse("1.5").value().is_double());
}

TEST(Yaml, AFloatThatJsonWritesAsAnIntegerIsOne) {
  // As octal it would be, but for the 8.
  EXPECT_EQ(*parse("015075396640536841178"), json::Value(std::uint64_t{15075396640536840000U}));
  EXPECT_EQ(*parse("1e3"), json::Value(1000));
  EXPECT_EQ(*parse("-0.0"), json::Value(0));
  EXPECT_EQ(*parse("1e21"), json::Value(1e21));
}

// What kubectl (sigs.k8s.io/yaml on go.yaml.in/yaml/v2) makes of every spelling.
TEST(Yaml, WordsAreBooleansWhereverTheyStandPlain) {
  for (const std::string word :
       {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}) {
    EXPECT_EQ(read("a: " + word), R"({"a":true})");
    EXPECT_EQ(read(word + ": a"), R"({"true":"a"})");
    EXPECT_EQ(read("[" + word + ", {k: " + word + "}]"), R"([true,{"k":true}])");
    EXPECT_EQ(read("- " + word + "\n- !!bool '" + word + "'\n"), "[true,true]");
    EXPECT_EQ(read("- '" + word + "'\n- \"" + word + "\"\n- !!str " + word + "\n- |-\n  " + word),
              "[\"" + word + "\",\"" + word + "\",\"" + word + "\",\"" + word + "\"]");
    EXPECT_EQ(read("'" + word + "': a"), "{\"" + word + "\":\"a\"}");
  }
  for (const std::string word :
       {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}) {
    EXPECT_EQ(read("a: " + word), R"({"a":false})");
    EXPECT_EQ(read(word + ": a"), R"({"false":"a"})");
    EXPECT_EQ(read("'" + word + "': '" + word + "'"), "{\"" + word + "\":\"" + word + "\"}");
  }
  for (const std::string word :
       {"yES", "nO", "tRue", "fALSE", "oN", "oFF", "yep", "ja", "t", "f", "o", "yy", "y.", "non"}) {
    EXPECT_EQ(read("a: " + word), "{\"a\":\"" + word + "\"}");
    EXPECT_EQ(read(word + ": a"), "{\"" + word + "\":\"a\"}");
  }
}

TEST(Yaml, TagsDecideTheType) {
  EXPECT_EQ(
      read("[!!str 1, !!int '2', !!float 3, !!bool 'yes', !!null '', !!binary aGk=, !mine 5]"),
      R"(["1",2,3,true,null,"hi","5"])");
  EXPECT_THAT(read("a: 1\nb: !!int x\n"), HasSubstr("yaml: line 2: cannot read the value as a "));
  EXPECT_THAT(read("!!int 1.0"), HasSubstr("cannot read the value as a "));
  EXPECT_EQ(read("[!!int 0x_1, !!int -1_0]"), "[1,-10]");
  EXPECT_THAT(read("a: .nan"), HasSubstr("yaml: line 1: cannot read `.nan` as a JSON value"));
}

TEST(Yaml, BlockScalarsStayText) {
  EXPECT_EQ(read("a: |\n  1\n  2\nb: >-\n  x\n  y\n"), R"({"a":"1\n2\n","b":"x y"})");
}

TEST(Yaml, KeysBecomeStrings) {
  EXPECT_EQ(read("1: a\ntrue: b\n1.5: c\nyes: d\n'no': e\n"),
            R"({"1":"a","true":"d","1.5":"c","no":"e"})");
  EXPECT_EQ(read("+.INF: a\n.NaN: b\n-.Inf: c\n"), R"({".inf":"a",".nan":"b","-.inf":"c"})");
  EXPECT_THAT(read("[a]: 1"), HasSubstr("a map key must be a scalar"));
  EXPECT_THAT(read("~: 1"), HasSubstr("a map key must be a string, number or boolean, not null"));
}

TEST(Yaml, ResolvesAnchorsAndMergeKeys) {
  EXPECT_EQ(read("a: &x {p: 1, q: 2}\nb: *x\nc:\n  q: 3\n  <<: *x\nd:\n  <<: [{p: 9}, *x]\n"),
            R"({"a":{"p":1,"q":2},"b":{"p":1,"q":2},"c":{"q":2,"p":1},"d":{"p":9,"q":2}})");
  EXPECT_EQ(read("a: &x {q: 2}\nb:\n  <<: *x\n  q: 3\n"), R"({"a":{"q":2},"b":{"q":3}})");
  EXPECT_EQ(read("? &k a\n: 1\nb: *k\n"), R"({"a":1,"b":"a"})");
  EXPECT_THAT(read("a: 1\n<<: 2\n"), HasSubstr("map merge requires map"));
  EXPECT_EQ(read("'<<': 2\n"), R"({"\u003c\u003c":2})");
}

TEST(Yaml, BoundsTheExpansionOfAliases) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string previous = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + previous;
    for (int k = 0; k < 9; ++k) bomb += "," + previous;
    bomb += "]\n";
  }
  EXPECT_THAT(read(bomb), HasSubstr("document contains excessive aliasing"));
  EXPECT_THAT(read("a: &a [*a]"), HasSubstr("anchor value contains itself"));
  EXPECT_THAT(read("a: *b"), HasSubstr("line 1"));
}

TEST(Yaml, LimitsTheDepthAlsoThroughAliases) {
  EXPECT_THAT(read("a:\n  " + std::string(9999, '[') + std::string(9999, ']')),
              HasSubstr("yaml: line 2: exceeded max depth: lists and maps are nested too deeply"));
  std::string block;
  for (std::size_t level = 0; level < 2000; ++level) block += std::string(level, ' ') + "a:\n";
  EXPECT_THAT(read(block), HasSubstr("nested too deeply"));
  std::string nested;
  for (int level = 0; level < 4; ++level) {
    nested += "- &a" + std::to_string(level) + " " + std::string(200, '[');
    nested += level == 0 ? "x" : "*a" + std::to_string(level - 1);
    nested += std::string(200, ']') + "\n";
  }
  EXPECT_THAT(read(nested), HasSubstr("exceeded max depth"));
}

TEST(Yaml, YAML_01_SeparatorsStandAloneOnALine) {
  EXPECT_EQ(read("a: 1\n---\nb: 2\n--- # comment\nc: 3\n---  \nd: 4"),
            "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n{\"d\":4}");
  EXPECT_EQ(read("a: 1\r\n---\r\nb: 2\r\n"), "{\"a\":1}\n{\"b\":2}");
  EXPECT_EQ(read("a: 1\n---foo\nb: 2\n"),
            "yaml: line 2: invalid Yaml document separator: expected nothing after ---");
  EXPECT_EQ(read("a: 1\n--- {b: 2}\n"),
            "yaml: line 2: invalid Yaml document separator: expected nothing after ---");
  EXPECT_EQ(read("a: |\n  ---\n  x\n"), R"({"a":"---\nx\n"})");
}

TEST(Yaml, YAML_02_EmptyDocumentsAreSkipped) {
  EXPECT_EQ(read("---\n---\na: 1\n---\n\n# nothing\n---\n  \n---\nb: 2\n---\n"),
            "{\"a\":1}\n{\"b\":2}");
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read(" \n\t\n"), "");
}

TEST(Yaml, YAML_03_JsonStartsWithABrace) {
  EXPECT_EQ(read("\n  {\"a\":\"\\ud83d\\ude00\"}"), "{\"a\":\"😀\"}");
  EXPECT_EQ(read("{a: b}"), R"({"a":"b"})");
  EXPECT_EQ(read("[1,2]"), "[1,2]");
}

TEST(Yaml, YAML_04_YAML_05_MixesJsonAndYamlAsKubectlDoes) {
  EXPECT_EQ(read(" {\"1\":2}{\"3\":4}"), "{\"1\":2}\n{\"3\":4}");
  EXPECT_EQ(read("{\"a\":1}\n{\"b\":2}\n\n{\"c\":3}"), "{\"a\":1}\n{\"b\":2}\n{\"c\":3}");
  EXPECT_EQ(read("{a: 1}\n---\nb: 2\n"), "{\"a\":1}\n{\"b\":2}");
  EXPECT_EQ(read("{\"a\":1}\n---\nb: 2\n"), "{\"a\":1}\n{\"b\":2}");
  EXPECT_EQ(read("{\"a\":1}\n---\n{\"b\":2}\n---\n{\"c\":3}\n"), "{\"a\":1}\n{\"b\":2}\n{\"c\":3}");
  EXPECT_EQ(read("a: 1\n---\n{\"b\":2}\n"), "{\"a\":1}\n{\"b\":2}");
  // Once YAML, always YAML: a document holds one object, also when it is JSON.
  EXPECT_EQ(read("a: 1\n---\n{\"b\":2}\n---\n{\"c\":3}\n---\nd: 4\n"),
            "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n{\"d\":4}");
  EXPECT_EQ(read("a: 1\n---\n{\"b\":2}{\"c\":3}\n"),
            "json: offset 16: invalid character '{' after top-level value");
  EXPECT_EQ(read("{\"a\":1}{\"b\":2}\n---\nc: 3\n"),
            "json: offset 16: invalid character '-' in numeric literal");
}

TEST(Yaml, YAML_06_ErrorsNameThePlace) {
  EXPECT_EQ(read("{\"a\":1 \"b\":2}"),
            "json: offset 7: invalid character '\"' after object key:value pair");
  EXPECT_EQ(read("a: 1\n---\n{\"a\":1 \"b\":2}"),
            "json: offset 16: invalid character '\"' after object key:value pair");
  EXPECT_THAT(read("a: 1\nb: [1\nc: 2\n"), HasSubstr("yaml: line 3:"));
  EXPECT_THAT(read("a: 1\n---\nb: 2\n---\nc: 3\n d: 4\n"), HasSubstr("yaml: line 6:"));
  EXPECT_THAT(read("a:\n\tb: 1\n"), HasSubstr("yaml: line 2:"));
}

// yaml-cpp's own texts quote the text, which may be a secret, and differ between its versions.
TEST(Yaml, YAML_06_ErrorsSayWhatIsWrongInGosWords) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"a: *hunter2\n", "line 1: unknown anchor referenced"},
      {"a: &b 1\n---\na: *b\n", "line 3: unknown anchor referenced"},
      {"a: \"\\hunter2\"\n", "line 1: found unknown escape character"},
      {"a: b: c\n", "line 1: mapping values are not allowed in this context"},
      {"a: ? b\n", "line 1: mapping keys are not allowed in this context"},
      {"a: - b\n", "line 1: block sequence entries are not allowed in this context"},
      {"a: @b\n", "line 1: found character that cannot start any token"},
      {"a: 'b\n...\n'\n", "line 2: found unexpected document indicator"},
      {"a: 'b' c\n", "line 1: did not find expected key"},
      {"a: &b c\n'd' *b\n", "line 2: did not find expected key"},
      {"- 'a' b\n", "line 1: found unexpected content"},
      {"- \"\\xzz\"\n", "line 1: found unexpected content"},
      {"['a'\n 'b']\n", "line 2: did not find expected ',' or ']'"},
      {"a: {b: 'c'\nd: e\n", "line 2: did not find expected ',' or '}'"},
      {"a: [b\n", "line 2: found unexpected end of stream"},
  };
  for (const auto& [text, fault] : faults) EXPECT_EQ(read(text), "yaml: " + fault) << text;
}

TEST(Yaml, ALineMayHaveAnyLength) {
  const std::string text(3000000, 'x');
  const auto value = parse("a: " + text);
  EXPECT_EQ(value->string_at({"a"}), text);
}

TEST(Yaml, YAML_08_StrictFormRejectsDuplicateKeys) {
  EXPECT_EQ(read("a: 1\nb: 2\na: 3\n"), R"({"a":3,"b":2})");
  EXPECT_EQ(read("x: 0\n---\na: 1\nb: 2\na: 3\n", {.reject_duplicate_keys = true}),
            "yaml: line 5: key \"a\" already set in map");
  EXPECT_EQ(read("{\"a\":1,\"a\":2}", {.reject_duplicate_keys = true}),
            "json: offset 7: duplicate field \"a\"");
}

TEST(Yaml, CODEC_16_RepeatedKeysAreReportedInGosWords) {
  const auto repeated = [](std::string_view text) {
    std::vector<std::string> keys{"stale"};
    const auto documents = parse_all(text, keys);
    EXPECT_TRUE(documents) << text;
    std::string out;
    for (const std::string& key : keys) out += (out.empty() ? "" : "; ") + key;
    return out;
  };
  EXPECT_EQ(repeated("a: 1\nb: 2\n"), "");
  EXPECT_EQ(repeated("a: 1\nb: {c: 1, c: 2}\na: 2\na: 3\n"),
            R"(line 2: key "c" already set in map; line 3: key "a" already set in map; )"
            R"(line 4: key "a" already set in map)");
  // The line is that of the value.
  EXPECT_EQ(repeated("a: 1\na:\n\n  x: 1\n"), R"(line 4: key "a" already set in map)");
  EXPECT_EQ(repeated("a: 1\na:\n- x\n"), R"(line 3: key "a" already set in map)");
  EXPECT_EQ(repeated("a: 1\na: 2\n  "), R"(line 2: key "a" already set in map)");
  EXPECT_EQ(repeated("a: 1\na:\nb: 1\n"), R"(line 2: key "a" already set in map)");
  EXPECT_EQ(repeated("a: 1\na: |\n  foo\n"), R"(line 2: key "a" already set in map)");
  // Keys are what they are before they become strings.
  EXPECT_EQ(repeated("9: a\n9: b\n1.5: 1\n1.5: 2\ntrue: 1\nyes: 2\n'9': c\n"),
            "line 2: key 9 already set in map; line 4: key 1.5 already set in map; "
            "line 6: key true already set in map");
  EXPECT_EQ(repeated("\"a\\t\\\"\": 1\n\"a\\t\\\"\": 1\n"),
            R"(line 2: key "a\t\"" already set in map)");
  // What is merged comes in its place.
  EXPECT_EQ(repeated("x: &x\n  p: 1\n  q: 2\nc:\n  q: 3\n  <<: *x\n"),
            R"(line 3: key "q" already set in map)");
  EXPECT_EQ(repeated("x: &x {q: 2}\nc:\n  <<: *x\n  q: 3\n"),
            R"(line 4: key "q" already set in map)");
  // JSON too, once there is something to say of it.
  EXPECT_EQ(repeated("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2},\n \"a\": 2}\n"),
            R"(line 2: key "c" already set in map; line 3: key "a" already set in map)");
  EXPECT_EQ(repeated("---\n{\"a\": 1, \"a\": 2}\n---\n- b: 1\n  b: 2\n"),
            R"(line 2: key "a" already set in map; line 5: key "b" already set in map)");
  std::vector<std::string> keys;
  EXPECT_EQ(json::dump(*parse("a: 1\na: 2\n", keys)), R"({"a":2})");
  EXPECT_EQ(parse("{\"a\":1,\"a\":}", keys).error().to_string(),
            "json: offset 11: invalid character '}' looking for beginning of value");
}

TEST(Yaml, WhatJsonCannotHoldIsAnErrorAlsoWhenRepeatedKeysAreReported) {
  std::vector<std::string> keys;
  for (const std::string_view text : {R"({"a":1e999})", R"({"a":1,"a":1e999})"}) {
    EXPECT_FALSE(parse_all(text)) << text;
    EXPECT_FALSE(parse_all(text, keys)) << text;
  }
}

TEST(Yaml, JsonWithRepeatedKeysHasTheBlanksAndEscapesOfJson) {
  std::vector<std::string> repeated;
  const auto value = parse("\t{\n\t\"a\":1,\r\"b\": \"\\/\",\r\n\t\"a\": 2}", repeated);
  ASSERT_TRUE(value) << value.error().to_string();
  EXPECT_EQ(json::dump(*value), R"({"a":2,"b":"/"})");
  EXPECT_THAT(repeated, testing::ElementsAre("line 3: key \"a\" already set in map"));
}

TEST(Yaml, CommentsMayStandBehindJson) {
  const std::string both = "{\"a\":1}\n{\"b\":1}";
  EXPECT_EQ(read("a: 1\n---\n{\"b\": 1} # c\n"), both);
  EXPECT_EQ(read("a: 1\n---\n{\"b\": 1}\n\n  # c\n---\nd: 1\n"), both + "\n{\"d\":1}");
  EXPECT_EQ(read("a: 1\n---\n{\"b\": 1}\n...\n# c\n"), both);
  EXPECT_EQ(read("a: 1\n---\n{\"b\": 1}\n..."), both);
  EXPECT_EQ(read("a: 1\n---\n{\"b\": 1}\nc\n"),
            "json: offset 18: invalid character 'c' after top-level value");
  EXPECT_THAT(read("a: 1\n---\n{\"b\": 1}...\n"), testing::StartsWith("json: offset 17: "));
  EXPECT_EQ(read("a: 1\n---\n{\"b\": 1 # c\n"),
            "json: offset 17: invalid character '#' after object key:value pair");
}

TEST(Yaml, DirectivesHaveNoPlace) {
  EXPECT_EQ(read("%x: 1\n"), "yaml: line 1: did not find expected <document start>");
  EXPECT_EQ(read("# c\n\n%YAML 1.1\n---\na: 1\n"),
            "yaml: line 3: did not find expected <document start>");
  EXPECT_EQ(read("{\"a\":1}\n%x: 2\n"), "yaml: line 2: did not find expected <document start>");
  EXPECT_EQ(read("a: |\n  x\n  %y\n"), R"({"a":"x\n%y\n"})");
  EXPECT_EQ(read("# %x"), "");
}

TEST(Yaml, ParseWantsExactlyOneDocument) {
  EXPECT_TRUE(parse("---\na: 1\n---\n"));
  EXPECT_EQ(parse("a: 1\n---\nb: 2").error().to_string(), "yaml: expected one document, found 2");
  EXPECT_EQ(parse("").error().to_string(), "yaml: expected one document, found 0");
}

TEST(Yaml, AStrayTokenIsAnErrorAndNoEndlessRowOfDocuments) {
  EXPECT_EQ(read(", *x]\n  p: 0\n"), "yaml: line 1: did not find expected node content");
  EXPECT_THAT(read("{\"a\": 9}, *x]\n  p: 0\n? complex\n:1}{\"b\"\n---\n"),
              testing::StartsWith("yaml: line 1: "));
  EXPECT_THAT(read("a: 1\n...\n]\n"), testing::StartsWith("yaml: line 3: "));
  EXPECT_EQ(read("a: 1\n...\nb: 2\n"), "{\"a\":1}\n{\"b\":2}");
}

TEST(Yaml, BehindADocumentThereIsNothingWithoutASeparator) {
  EXPECT_EQ(read("\"a\"\n\"b\"\n"), "yaml: line 2: did not find expected <document start>");
  EXPECT_EQ(read("{a: b} c\n"), "yaml: line 1: did not find expected <document start>");
  EXPECT_EQ(read("- a\n...x\n"), "yaml: line 2: did not find expected <document start>");
  EXPECT_EQ(read("a: 1\n... # end\n# nothing\n"), R"({"a":1})");
  EXPECT_EQ(read("a: 1\r\n...\r\nb: 1\r\n"), "{\"a\":1}\n{\"b\":1}");
  EXPECT_THAT(read("\"a\r... b\"\n\"c\"\n"), testing::StartsWith("yaml: line "));
}

TEST(Yaml, RefusesWhatIsNoUtf8) {
  EXPECT_EQ(read("a: 1\nb: \x8f\n"), "yaml: line 2: invalid leading UTF-8 octet");
  EXPECT_EQ(read("a: \"\xed\xa0\x80\""), "yaml: line 1: invalid leading UTF-8 octet");
  EXPECT_EQ(read("a: \xc3\xa9\n"), "{\"a\":\"\xc3\xa9\"}");
}

TEST(Yaml, EscapedCharactersAreUtf8) {
  EXPECT_EQ(read(R"("a\Nb\_c\Ld\Pe\u00e9\N\x85\U0001f600\_")"),
            "\"a\xc2\x85"
            "b\xc2\xa0"
            "c\\u2028d\\u2029e\xc3\xa9\xc2\x85\xc2\x85\xf0\x9f\x98\x80\xc2\xa0\"");
  EXPECT_EQ(read(R"("\N": !!str "\_")"), "{\"\xc2\x85\":\"\xc2\xa0\"}");
}

TEST(Yaml, AQuoteThatIsNeverClosedIsAnError) {
  EXPECT_EQ(read("\"a"), "yaml: line 1: found unexpected end of stream");
  EXPECT_EQ(read("\"a\n"), "yaml: line 2: found unexpected end of stream");
  EXPECT_EQ(read("a: 'x\nb: c\n"), "yaml: line 3: found unexpected end of stream");
  EXPECT_EQ(read("a: 'x\n \t"), "yaml: line 2: found unexpected end of stream");
  EXPECT_EQ(read("a: [\"x\n\n\n"), "yaml: line 4: found unexpected end of stream");
  EXPECT_THAT(read("a: 'x\n...\n'\n"), testing::StartsWith("yaml: line 2: "));
  EXPECT_THAT(read("a: 'x\n---\nb: 'y'\n"), testing::StartsWith("yaml: line 2: "));
}

TEST(Yaml, AQuoteAtTheVeryEndBeginsNoText) {
  for (const char* text : {"\"", "'", "a: \"", "a: '", "- \"", "- b\n- '", "{a: \"", "a: &x \""})
    EXPECT_THAT(read(text), testing::EndsWith("found unexpected end of stream")) << text;
  EXPECT_EQ(read("a: \"\""), R"({"a":""})");
  EXPECT_EQ(read("a: ''"), R"({"a":""})");
  EXPECT_EQ(read("a: |\n  \""), R"({"a":"\""})");
  EXPECT_EQ(read("a: it's'"), R"({"a":"it's'"})");
}

TEST(Yaml, AKeyAtTheEndOfADocumentNeedsItsColon) {
  EXPECT_EQ(read("a: b\nfoo\n"), "yaml: line 3: could not find expected ':'");
  EXPECT_EQ(read("kind: Pod\nm"), "yaml: line 3: could not find expected ':'");
  EXPECT_EQ(read("a: b\nfoo\n\n...\n"), "yaml: line 4: could not find expected ':'");
  EXPECT_EQ(read("a: b\nc\n---\nd: e\n"), "yaml: line 3: could not find expected ':'");
  EXPECT_EQ(read("a: b\n---\nc: d\ne"), "yaml: line 5: could not find expected ':'");
  for (const char* text : {"- a: b\n  foo\n", "a: b\n!!str foo\n", "a: b\n&y foo\n", "a: b\n<<\n",
                           "a:\n- b\nfoo\n", "? a\n: b\nfoo\n", "a: b\nfoo\n...\nc: d\n"})
    EXPECT_THAT(read(text), HasSubstr("could not find expected ':'")) << text;
  for (const char* text : {"a: b\n~\n", "a: b\n\"foo\"\n", "a: b\n'foo'", "a: &x b\n*x\n",
                           "a: &x b\n*x", "a: b\nfoo # c\n", "a: b\n[c]", "a: b\n{}\n"})
    EXPECT_THAT(read(text), testing::StartsWith("yaml: line ")) << text;
  EXPECT_EQ(read("? a\n"), R"({"a":null})");
  EXPECT_EQ(read("? a\n? b\n"), R"({"a":null,"b":null})");
  EXPECT_EQ(read("? &x a"), R"({"a":null})");
  EXPECT_EQ(read("{a, b: c}"), R"({"a":null,"b":"c"})");
  EXPECT_EQ(read("[{a}, ? b]\n"), R"([{"a":null},{"b":null}])");
  EXPECT_EQ(read("a: b\nfoo:"), R"({"a":"b","foo":null})");
  EXPECT_EQ(read("a: b\nfoo: &x\n"), R"({"a":"b","foo":null})");
}

TEST(Yaml, AValueStandsFurtherInThanItsKey) {
  EXPECT_EQ(read("a:\n\"b\"\nc: d\n"), "yaml: line 3: could not find expected ':'");
  for (const char* text : {"a:\n[1]\nc: d\n", "a:\n{}\nc: d\n", "- a:\n  'b'\n- c\n",
                           "x: &x 1\na:\n*x\nc: d\n", "&y a:\n\"b\"\n"})
    EXPECT_THAT(read(text), HasSubstr("could not find expected ':'")) << text;
  EXPECT_EQ(read("a:\n \"b\"\nc: d\n"), R"({"a":"b","c":"d"})");
  EXPECT_EQ(read("a: &x\n  b:\n   [1]\n"), R"({"a":{"b":[1]}})");
  EXPECT_EQ(read("&x a:\n 'b'\n"), R"({"a":"b"})");
  EXPECT_EQ(read("? a\n:\n 'b'\n"), R"({"a":"b"})");
  EXPECT_EQ(read("a:\n- b\nc:\n|\n d\n"), R"({"a":["b"],"c":"d\n"})");
}

TEST(Yaml, AListHasNoEmptyPlaces) {
  EXPECT_EQ(read("a: [b,, c]\n"), "yaml: line 1: did not find expected node content");
  EXPECT_EQ(read("[ , b]"), "yaml: line 1: did not find expected node content");
  EXPECT_EQ(read("[a, null , ~, &x , ! , {b}, ]\n"), R"(["a",null,null,null,"",{"b":null}])");
}

TEST(Yaml, TagsAndAnchorsEndInABlank) {
  for (const char* text :
       {"a: !|\n b\n", "a: {!}\n", "[!a]", "a: !b\\ c\n", "!\xe6\x97\xa5 a", "a: {x: !!str, b: c}"})
    EXPECT_EQ(read(text), "yaml: line 1: did not find expected whitespace or line break") << text;
  EXPECT_EQ(read("a: !b!c d"), "yaml: line 1: found undefined tag handle");
  for (const char* text : {"&a: b", "a: &|\n b\n", "a: &\"b\"\n", "a: &\xe6\x97\xa5 b\n"})
    EXPECT_EQ(read(text), "yaml: line 1: did not find expected alphabetic or numeric character")
        << text;
  EXPECT_EQ(read("a: [&x !!str 1, ! 2, !a/b.c d, !<tag:yaml.org,2002:str> 3]\nb: !\n  &y-_ 4\n"),
            R"({"a":["1","2","d","3"],"b":"4"})");
}

TEST(Yaml, TabsDoNotIndent) {
  for (const char* text : {"\ta", "a:\n\tb\n", "a:\n  \t[b]\n", "-\ta\n", "- - \ta\n", "?\ta\n"})
    EXPECT_THAT(read(text), HasSubstr("found character that cannot start any token")) << text;
  EXPECT_EQ(read("- |\n  \tx\n"),
            "yaml: line 2: found a tab character where an indentation space "
            "is expected");
  EXPECT_EQ(read("a: |\n\n \n  \tx\n"),
            "yaml: line 4: found a tab character where an indentation "
            "space is expected");
  EXPECT_EQ(read("a:\tb\nc: [\n\td,\te]\nf: |2\n  \tg\nh: | # 2\n i\n \tj\n"),
            R"({"a":"b","c":["d","e"],"f":"\tg\n","h":"i\n\tj\n"})");
}

TEST(Yaml, ADirectiveBehindTheTextIsNotSkipped) {
  EXPECT_THAT(read("a: b\n%c: d\n"), testing::StartsWith("yaml: line 2: "));
  EXPECT_EQ(read("a: \"b\n%c\"\nd: |\n %e\n"), R"({"a":"b %c","d":"%e\n"})");
}

TEST(Yaml, LineBreaksAreThoseOfYaml11) {
  EXPECT_EQ(read("a: |\r\n  b\r\n  c\r\nd: 'e\r\n\r\n  f'\r\n"), R"({"a":"b\nc\n","d":"e\nf"})");
  EXPECT_EQ(read("a: b\rc:\r"), R"({"a":"b","c":null})");
  EXPECT_EQ(read("a: b\xc2\x85"
                 "c: \"d\xc2\x85 e\""),
            R"({"a":"b","c":"d e"})");
}

TEST(Yaml, LineBreaksAtTheEndOfAQuotedTextStay) {
  EXPECT_EQ(read("a: 'b\n\n\n  '\n"), R"({"a":"b\n\n"})");
  EXPECT_EQ(read("a: \"it\n\n \n\n\"\nc: '\n\n'\n"), R"({"a":"it\n\n\n","c":"\n"})");
  EXPECT_EQ(read("a: 'it''s\n\n\n'\nb: \"\\n\\n\"\nc: '\n'\n"),
            R"({"a":"it's\n\n","b":"\n\n","c":" "})");
}

TEST(Yaml, TheEndOfABlockTextIsAsWritten) {
  EXPECT_EQ(read("a: |\n  b"), R"({"a":"b"})");
  EXPECT_EQ(read("a: |\n  b\n"), R"({"a":"b\n"})");
  EXPECT_EQ(read("a: |\n  b\n  "), R"({"a":"b\n"})");
  EXPECT_EQ(read("a: |\n  b\n   "), R"({"a":"b\n "})");
  EXPECT_EQ(read("a: |+\n  b\n\n"), R"({"a":"b\n\n"})");
  EXPECT_EQ(read("a: |+\n  b\n\n...\n"), R"({"a":"b\n\n"})");
}

TEST(Yaml, BinaryThatIsNoUtf8IsReplacedAsInGo) {
  EXPECT_EQ(read("a: !!binary Gak="), "{\"a\":\"\\u0019\xef\xbf\xbd\"}");
}

TEST(Yaml, RefusesControlCharacters) {
  using namespace std::string_literals;
  EXPECT_EQ(read("a: 1\nb\0: 2\n"s), "yaml: line 2: control characters are not allowed");
  EXPECT_EQ(read("a: \"\x14\""), "yaml: line 1: control characters are not allowed");
  EXPECT_EQ(read("a: '\x7f'"), "yaml: line 1: control characters are not allowed");
  EXPECT_EQ(read("a: \xc2\x80"), "yaml: line 1: control characters are not allowed");
  EXPECT_EQ(read("a: \xef\xbf\xbf"), "yaml: line 1: control characters are not allowed");
  EXPECT_EQ(read("a: \"\\0\tb\"\r\n"), "{\"a\":\"\\u0000\\tb\"}");
}

TEST(Yaml, SkipsAByteOrderMark) {
  EXPECT_EQ(read("\xef\xbb\xbf{\"a\":1}"), R"({"a":1})");
  EXPECT_EQ(read("a: 1\n---\n\xef\xbb\xbf"
                 "b: 1\n...\nc: 1\n"),
            "{\"a\":1}\n{\"b\":1}\n{\"c\":1}");
}

TEST(YamlDump, WritesBlockStyleAsKubectlDoes) {
  const auto value = json::parse(
      R"({"kind":"Pod","metadata":{"labels":{},"name":"a"},"spec":{"args":[],"containers":[{"name":"c","ports":[80,443]},)"
      R"({"name":"d"}],"on":true,"x":null,"n":1.5},"lists":[["a","b"],[["c"]],[]]})");
  EXPECT_EQ(yaml::dump(*value), R"(kind: Pod
metadata:
  labels: {}
  name: a
spec:
  args: []
  containers:
  - name: c
    ports:
    - 80
    - 443
  - name: d
  "on": true
  x: null
  "n": 1.5
lists:
- - a
  - b
- - - c
- []
)");
}

TEST(YamlDump, QuotesOnlyWhereNeeded) {
  const auto line = [](std::string_view text) { return yaml::dump(json::Value(text)); };
  EXPECT_EQ(line("plain text"), "plain text\n");
  EXPECT_EQ(line("a:b"), "a:b\n");
  EXPECT_EQ(line("true"), "\"true\"\n");
  EXPECT_EQ(line("yes"), "\"yes\"\n");
  EXPECT_EQ(line("123"), "\"123\"\n");
  EXPECT_EQ(line("1e3"), "\"1e3\"\n");
  EXPECT_EQ(line("12:30:45"), "\"12:30:45\"\n");
  EXPECT_EQ(line("2024-01-02T03:04:05Z"), "\"2024-01-02T03:04:05Z\"\n");
  EXPECT_EQ(line(""), "\"\"\n");
  EXPECT_EQ(line("null"), "\"null\"\n");
  EXPECT_EQ(line("*star"), "'*star'\n");
  EXPECT_EQ(line("- dash"), "'- dash'\n");
  EXPECT_EQ(line("-dash"), "-dash\n");
  EXPECT_EQ(line("a: b"), "'a: b'\n");
  EXPECT_EQ(line("a #b"), "'a #b'\n");
  EXPECT_EQ(line("it's: x"), "'it''s: x'\n");
  EXPECT_EQ(line(" lead"), "' lead'\n");
  EXPECT_EQ(line("tab\there"), "\"tab\\there\"\n");
  EXPECT_EQ(line("\x01"), "\"\\x01\"\n");
  EXPECT_EQ(line("two\nlines"), "|-\n  two\n  lines\n");
  EXPECT_EQ(line("end\n"), "|\n  end\n");
  EXPECT_EQ(line("more\n\n"), "|+\n  more\n\n");
  EXPECT_EQ(line("\nlead"), "\"\\nlead\"\n");
  EXPECT_EQ(line("\techo hi\n"), "\"\\techo hi\\n\"\n") << "not as a block, as kubectl reads none";
  EXPECT_EQ(line("a\n\tb\n"), "\"a\\n\\tb\\n\"\n");
  EXPECT_EQ(line("é"), "é\n");
}

TEST(YamlDump, ReadsBackAsTheSameValue) {
  const json::Array texts{"",
                          " ",
                          "a",
                          "a b",
                          "a\nb",
                          "a\n",
                          "a\n\n",
                          "\n",
                          "a \nb",
                          "\ta",
                          "a\t",
                          "- a",
                          "? a",
                          ": a",
                          "a:",
                          "#a",
                          "a # b",
                          "{a",
                          "a]",
                          "'",
                          "\"",
                          "\\",
                          "!t",
                          "&a",
                          "*a",
                          "%a",
                          "@a",
                          "`a",
                          "|",
                          ">",
                          "---",
                          "--- a",
                          "...",
                          "null",
                          "~",
                          "yes",
                          "n",
                          "0x10",
                          "1_0",
                          "-",
                          "-1",
                          "+1",
                          ".5",
                          "1:30",
                          "<<",
                          "=",
                          "\x7f",
                          "\xc2\x85",
                          "\xe2\x80\xa8",
                          "\xef\xbb\xbf",
                          "a\r\nb",
                          "  a\nb",
                          "a\n  b\n",
                          "a\n\nb",
                          "1e400",
                          "key: |\n  x\n"};
  json::Object object;
  for (const auto& text : texts) {
    object.set(*text.if_string(), text);
    EXPECT_EQ(*parse("a: " + yaml::dump(text)), json::Value(json::Object{{"a", text}}))
        << yaml::dump(text);
  }
  const json::Value all =
      json::Object{{"list", texts}, {"map", object}, {"nested", json::Array{texts, object}}};
  const auto back = parse(yaml::dump(all));
  ASSERT_TRUE(back) << back.error().to_string() << yaml::dump(all);
  EXPECT_EQ(*back, all) << yaml::dump(all);
}

TEST(Yaml, CutOrChangedInputIsReadOrRefusedButNeverCrashes) {
  const std::string text =
      "a: &x {p: [1, 'two'], q: |\n  three}\nb: *x\n<<: *x\n---\n? k\n: \"v\\n\"\n";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    read(text.substr(0, at));
    for (const char c : {'\0', '\t', '\n', ' ', '{', ']', '&', '*', '-', '"', '\x80', ':', '!'}) {
      std::string changed = text;
      if (at < text.size()) changed[at] = c;
      read(changed);
    }
  }
}

TEST(Yaml, DocumentsComeWithTheirLines) {
  const auto lines = [](const std::string& manifest) {
    std::vector<int> found;
    const auto documents = read_documents(manifest);
    EXPECT_TRUE(documents) << documents.error().to_string();
    for (const Document& each : documents.value_or(std::vector<Document>()))
      found.push_back(each.line);
    return found;
  };
  EXPECT_EQ(lines("\n# c\n\na: 1\n---\n---\n# d\nb: 2\n...\n\nc: 3\n"),
            (std::vector<int>{4, 8, 11}));
  EXPECT_EQ(lines("{\"a\": 1}\n\n {\"a\": 2} {\"a\":\n3}\n{\"a\": 4, \"a\": 5}"),
            (std::vector<int>{1, 3, 3, 5}));
  EXPECT_EQ(lines("\xef\xbb\xbf---\r\na: 1\r\n---\r\n{\"b\": 2}\r\n---\r\n{c: \"\n\"}\n"),
            (std::vector<int>{2, 4, 6}));
  EXPECT_EQ(lines("a: \"x\n\n\"\n---\nb: |\n  text\n\n---\nc: 'd'"), (std::vector<int>{1, 5, 9}));
}

TEST(Yaml, DocumentsOfJsonComeWithTheirText) {
  const std::string_view manifest = "{\"a\": 1, \"a\": 2}\n---\nb: 1\nb: 2\n---\n {\"c\":3}\n";
  const auto documents = read_documents(manifest);
  ASSERT_TRUE(documents) << documents.error().to_string();
  ASSERT_EQ(documents->size(), 3U);
  EXPECT_EQ((*documents)[0].json, "{\"a\": 1, \"a\": 2}");
  EXPECT_EQ((*documents)[0].value.int_at({"a"}), 2);
  EXPECT_EQ((*documents)[1].json, "");
  EXPECT_EQ((*documents)[2].json, "{\"c\":3}");
  EXPECT_EQ((*documents)[0].line, 1);
  EXPECT_EQ((*documents)[1].line, 3);
  EXPECT_EQ((*documents)[2].line, 6);
  EXPECT_FALSE(read_documents("{\"a\": nope}"));
}

TEST(Yaml, DocumentsComeWithTheirRepeatedKeys) {
  const std::string_view manifest =
      "{\"a\": 1, \"a\": 2}\n---\nb: 1\nb: 2\nb: 3\n...\nc: 1\n---\nd: {e: 1, e: 2}\n---\n# none\n";
  const auto documents = read_documents(manifest);
  ASSERT_TRUE(documents) << documents.error().to_string();
  ASSERT_EQ(documents->size(), 4U);
  using Keys = std::vector<std::string>;
  EXPECT_EQ((*documents)[0].repeated_keys, Keys()) << "its text has them";
  EXPECT_EQ((*documents)[1].repeated_keys,
            (Keys{"line 4: key \"b\" already set in map", "line 5: key \"b\" already set in map"}));
  EXPECT_EQ((*documents)[2].repeated_keys, Keys());
  EXPECT_EQ((*documents)[3].repeated_keys, Keys{"line 9: key \"e\" already set in map"});
}

}  // namespace
}  // namespace kube::yaml
