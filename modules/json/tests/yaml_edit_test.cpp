// SPDX-License-Identifier: Apache-2.0
#include <kube/json/yaml_edit.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include <kube/json/yaml.hpp>

namespace kube::yaml {
namespace {

using json::Value;

TEST(YamlFieldLines, EachFieldHasItsLineInYamlAndInJson) {
  const FieldLines lines = field_lines(
      "# first\n---\na: 1\nlist:\n- name: x\n  deep:\n    er: 2\n- {name: y,\n   z: 1}\n");
  EXPECT_EQ(lines.at("a"), 3);
  EXPECT_EQ(lines.at("list"), 4);
  EXPECT_EQ(lines.at("list[0].name"), 5);
  EXPECT_EQ(lines.at("list[0].deep.er"), 7);
  EXPECT_EQ(lines.at("list[1].z"), 9);
  EXPECT_EQ(line_of(lines, "list[1].z.none[3].x"), 9);
  EXPECT_EQ(line_of(lines, "list[7]"), 4);
  EXPECT_EQ(line_of(lines, "none"), 1);
  EXPECT_EQ(field_lines("{\"a\":\n{\"b\":\n1}}").at("a.b"), 2);
  EXPECT_EQ(field_lines("a:\n  b:\n    c: 1\n", 2).count("a.b.c"), 0U);
  EXPECT_TRUE(field_lines("{{{").empty());
  EXPECT_TRUE(field_lines("").empty());
}

TEST(YamlFirstDocument, EndsWhereTheNextOneBeginsOrItselfEnds) {
  // The first document, and what follows it.
  const std::pair<std::string, std::string> cases[] = {
      {"", ""},
      {"a: 1\n# tail\n", ""},
      {"a: 1\n", "---\nb: 2\n---\nc: 3\n"},
      {"a: 1\n", "---"},
      {"a: 1\n", "--- # the second\nb: 2\n"},
      {"a: 1\n", "---\tb\n"},
      {"a: 1\r\n", "---\r\nb: 2\r\n"},
      {"a: 1\n", "...\n"},
      {"a: 1\n", "... # end\nb: {{{\n"},
      {"a: 1\n", "---\n{{{: [\n\"\n"},
      {"# head\n\n---\na: 1\n", "---\nb: 2\n"},
      {"---\n# nothing\n", "---\na: 1\n"},
      {"\xef\xbb\xbf---\na: 1\n", "---\nb: 2\n"},
      {"a: |\n  x\n  ---\n  ...\nb: 1\n", "---\n"},
      {"a: 1\n----\nb: 2\n", ""},
      {"a: 1\n---b\n...b\n", ""},
      {"{\"a\": {\"b\": \"}\"}}", "\n{\"c\": 1}"},
      {"{\"a\": 1}", " text\n"},
      {"---\n {\"a\":\n1}", "\n---\nb: 2\n"},
      {"{a: {b: '}'}}\n", "---\nb: 2\n"},
      {"{\"a\": [}\n", "---\nb: 2\n"},
  };
  for (const auto& [first, rest] : cases) EXPECT_EQ(first_document(first + rest), first) << rest;
}

std::string edited(std::string_view text, std::string_view wanted) {
  const Value value = parse(wanted).value();
  std::string out = edit(text, value);
  EXPECT_EQ(parse(first_document(out)).value(), value) << out;
  return out;
}

TEST(YamlEdit, WhatFollowsTheFirstDocumentStays) {
  for (const std::string rest :
       {"---\n# about b\nb: [1,   2]\n", "---\nb: 1\n---\na: 1", "...\n# tail\n",
        "... # end\ntext\n", "---\n{{{: not YAML\n\t\"", "--- # the same\na: 1\n"}) {
    EXPECT_EQ(edited("# head\na: 1 # one\n" + rest, "{a: 2}"), "# head\na: 2 # one\n" + rest);
    EXPECT_EQ(edited("---\na: 1\n" + rest, "{a: 1, b: 2}"), "---\na: 1\nb: 2\n" + rest);
    EXPECT_EQ(edited("---\n" + rest, "{a: 2}"), "---\na: 2\n" + rest) << "an empty one";
    EXPECT_EQ(edited("{a: 1}\n" + rest, "{a: 2}"), "a: 2\n" + rest) << "written anew";
    EXPECT_EQ(edited("a: 1\n" + rest, "{a: 1}"), "a: 1\n" + rest) << "without a change";
  }
  EXPECT_EQ(edited("a: 1\r\n---\r\nb: 2\r\n", "{a: 2}"), "a: 2\r\n---\r\nb: 2\r\n");
  EXPECT_EQ(edited("{\"a\": 1}{\"b\": 2}\n", "{a: 2}"), "a: 2\n---\n{\"b\": 2}\n");
  EXPECT_EQ(edited("{\"a\": 1}\n---\nb: 2\n", "{a: 2}"), "a: 2\n\n---\nb: 2\n");
  EXPECT_EQ(edited("{\"a\": 1}\n", "{a: 2}"), "a: 2\n");
}

constexpr const char* kText =
    "# head\n"
    "apiVersion: v1\n"
    "clusters:\n"
    "# about one\n"
    "- cluster:\n"
    "    server: \"https://one\"  # its server\n"
    "    # in between\n"
    "    tls-server-name: x\n"
    "  name: one\n"
    "# about two\n"
    "- name: two # here\n"
    "  cluster: {server: https://two}\n"
    "current-context: c\n"
    "# tail\n";

TEST(YamlEdit, AScalarKeepsItsCommentAndAllOtherLines) {
  EXPECT_EQ(edit(kText, parse(kText).value()), kText);
  std::string expected = kText;
  expected.replace(expected.find("\"https://one\""), 13, "https://other");
  EXPECT_EQ(edited(kText,
                   "{apiVersion: v1, current-context: c, clusters: [{name: one, cluster: "
                   "{server: 'https://other', tls-server-name: x}}, {name: two, cluster: "
                   "{server: 'https://two'}}]}"),
            expected);
}

TEST(YamlEdit, MembersAreInsertedInOrderAndRemovedWithoutTheirNeighbours) {
  EXPECT_EQ(edited("a: 1\n# about c\nc: 3 # three\n", "{a: 1, b: [x], c: 3, d: {e: f}}"),
            "a: 1\nb:\n- x\n# about c\nc: 3 # three\nd:\n  e: f\n");
  EXPECT_EQ(edited("b: 1\na: 2\n# end\n", "{a: 2, b: 1, aa: 3}"), "b: 1\na: 2\naa: 3\n# end\n");
  EXPECT_EQ(edited("a: 1\n# about b\nb:\n  # in b\n  x: 1\nc: 3\n", "{a: 1, c: 3}"),
            "a: 1\n# about b\nc: 3\n");
  EXPECT_EQ(edited("b: 1\n", "{a: 0, b: 1}"), "a: 0\nb: 1\n");
  EXPECT_EQ(edited("a: 1\nc: 1\n", "{a: 1, b: 2, bb: 2, c: 2}"), "a: 1\nb: 2\nbb: 2\nc: 2\n");
}

TEST(YamlEdit, ElementsOfListsAreTheSameByName) {
  EXPECT_EQ(edited(kText,
                   "{apiVersion: v1, current-context: c, clusters: [{name: two, cluster: "
                   "{server: 'https://two', x: 1}}, {name: zwei, cluster: {}}]}"),
            "# head\n"
            "apiVersion: v1\n"
            "clusters:\n"
            "# about one\n"
            "# about two\n"
            "- name: two # here\n"
            "  cluster:\n"
            "    server: https://two\n"
            "    x: 1\n"
            "- name: zwei\n"
            "  cluster: {}\n"
            "current-context: c\n"
            "# tail\n");
}

TEST(YamlEdit, WhatCanNotBeChangedInPlaceIsWrittenAnew) {
  EXPECT_EQ(edited("{\"a\": 1}", "{a: 2}"), "a: 2\n");
  EXPECT_EQ(edited("", "{a: 2}"), "a: 2\n");
  EXPECT_EQ(edited("# only a comment", "{a: 2}"), "# only a comment\na: 2\n");
  EXPECT_EQ(edited("x: &x {b: 1}\na: {<<: *x}\n", "{x: {b: 1}, a: {b: 2}}"),
            "x: &x {b: 1}\na:\n  b: 2\n");
  EXPECT_EQ(edited("a: |\n  # text\n  b\nc: 1\n", "{a: x, c: 1}"), "a: x\nc: 1\n");
  EXPECT_EQ(edited("- a\n- b\n", "[a, c]"), "- a\n- c\n");
  EXPECT_EQ(edited("a: 1\r\nb: 2\r\n", "{a: 1, b: 3}"), "a: 1\r\nb: 3\r\n");
  EXPECT_EQ(edited("a: 1 # x\r\nb: 2\n", "{a: 3, b: 2, c: 4}"), "a: 3 # x\r\nb: 2\nc: 4\r\n");
  EXPECT_EQ(edited("a: null\nb: # none\nc: 1", "{a: [1], b: {x: 1}, c: 1}"),
            "a:\n- 1\nb:\n  x: 1\nc: 1\n");
  EXPECT_EQ(edited("a:\n- name: x\n  b: 1\n", "{a: []}"), "a: []\n");
  EXPECT_EQ(edited("a:\n- b: 1\n  name: x\n", "{a: [{name: x}]}"), "a:\n- name: x\n");
}

TEST(YamlEdit, TextsInQuotesAndOverSeveralLinesAreReplacedWhole) {
  EXPECT_EQ(edited("a: 'it''s # no comment' # a comment\n", "{a: b}"), "a: b # a comment\n");
  EXPECT_EQ(edited("a: \"x\n  y\"\nb: 1\n", "{a: \"1\", b: 1}"), "a: \"1\"\nb: 1\n");
  EXPECT_EQ(edited("a: b\n", "{a: \"x\\ny\\n\"}"), "a: |\n  x\n  y\n");
}

}  // namespace
}  // namespace kube::yaml
