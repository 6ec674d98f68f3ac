// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <kube/schema/documents.hpp>

#include "crd_text.hpp"

namespace kube::schema {
namespace {

constexpr std::string_view kRoot =
    "w.yaml: document 1: CRD widgets.acme.io: spec.versions[0].schema.openAPIV3Schema";

// What is wrong behind the root's path; "" for nothing.
std::string wrong_with(const std::string& text) {
  std::vector<Package> packages;
  const auto read = read_crds(text, "w.yaml", packages);
  if (read) return {};
  const std::string error = read.error().to_string();
  EXPECT_TRUE(error.starts_with(kRoot)) << error;
  return error.substr(std::min(kRoot.size(), error.size()));
}
std::string wrong_with_root(const std::string& schema) {
  return wrong_with(test::crd_with(schema));
}
std::string wrong_with_spec(const std::string& schema) {
  return wrong_with(test::crd_with_spec(schema));
}

TEST(Structural, EveryFieldAndItemNeedsAType) {
  EXPECT_EQ(wrong_with_root("{properties: {}}"),
            ".type: Required value: must not be empty at the root");
  EXPECT_EQ(wrong_with_root("{type: string}"),
            ".type: Invalid value: \"string\": must be object at the root");
  EXPECT_EQ(wrong_with_root("{x-kubernetes-preserve-unknown-fields: true}"), "");
  EXPECT_EQ(
      wrong_with_spec("{minimum: 1}"),
      ".properties[spec].type: Required value: must not be empty for specified object fields");
  EXPECT_EQ(wrong_with_spec("{type: array, items: {}}"),
            ".properties[spec].items.type: Required value: must not be empty for specified array "
            "items");
  EXPECT_EQ(wrong_with_spec("{type: array}"),
            ".properties[spec].items: Required value: must be specified");
  EXPECT_EQ(wrong_with_spec("{type: text}"),
            ".properties[spec].type: Unsupported value: \"text\": supported values: \"array\", "
            "\"boolean\", \"integer\", \"number\", \"object\", \"string\"");
}

TEST(Structural, WhatWouldHideFieldsIsForbidden) {
  EXPECT_EQ(wrong_with_spec("{type: object, $ref: x}"),
            ".properties[spec].$ref: Forbidden: $ref is not supported");
  EXPECT_EQ(wrong_with_spec("{type: object, patternProperties: {a: {type: string}}}"),
            ".properties[spec].patternProperties: Forbidden: patternProperties is not supported");
  EXPECT_EQ(wrong_with_spec("{type: object, patternProperties: {}, definitions: {}, id: \"\"}"),
            "");
  EXPECT_EQ(wrong_with_spec("{type: object, additionalProperties: false}"), "");
  EXPECT_EQ(
      wrong_with_spec("{type: object, properties: {a: {type: string}}, additionalProperties: "
                      "{type: string}}"),
      ".properties[spec].additionalProperties: Forbidden: additionalProperties and properties are "
      "mutual exclusive");
  EXPECT_EQ(wrong_with_spec(
                "{type: object, properties: {a: {type: string}}, additionalProperties: true}"),
            "");
  EXPECT_EQ(wrong_with_root("{type: object, additionalProperties: true}"),
            ".additionalProperties: Forbidden: must not be used at the root");
  EXPECT_EQ(wrong_with_spec("{type: array, uniqueItems: true, items: {type: string}}"),
            ".properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the "
            "runtime complexity becomes quadratic");
}

TEST(Structural, LogicalPartsOnlyConstrainWhatIsSpecifiedOutside) {
  EXPECT_EQ(wrong_with_spec("{type: string, anyOf: [{pattern: a}, {pattern: b}]}"), "");
  EXPECT_EQ(wrong_with_spec("{type: object, anyOf: [{properties: {a: {minimum: 1}}}]}"),
            ".properties[spec].properties[a]: Required value: because it is defined in "
            "spec.versions[0].schema.openAPIV3Schema.properties[spec].anyOf[0].properties[a]");
  EXPECT_EQ(wrong_with_spec("{type: string, oneOf: [{type: string}]}"),
            ".properties[spec].oneOf[0].type: Forbidden: must be empty to be structural");
  EXPECT_EQ(wrong_with_spec("{type: string, not: {default: a}}"),
            ".properties[spec].not.default: Forbidden: must be undefined to be structural");
  EXPECT_EQ(wrong_with_spec("{type: string, allOf: [{nullable: true}]}"),
            ".properties[spec].allOf[0].nullable: Forbidden: must be false to be structural");
}

TEST(Structural, ExtensionsHaveTheTypeThatTheyNeed) {
  EXPECT_EQ(wrong_with_spec("{x-kubernetes-preserve-unknown-fields: true, "
                            "x-kubernetes-int-or-string: true}"),
            ".properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be "
            "false if x-kubernetes-int-or-string is true");
  EXPECT_EQ(wrong_with_spec("{type: object, x-kubernetes-preserve-unknown-fields: false}"),
            ".properties[spec].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be "
            "true or undefined");
  EXPECT_EQ(wrong_with_spec("{type: object, x-kubernetes-embedded-resource: true}"),
            ".properties[spec].properties: Required value: must not be empty if "
            "x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields");
  EXPECT_EQ(wrong_with_spec("{type: object, x-kubernetes-list-type: set}"),
            ".properties[spec].type: Invalid value: \"object\": must be array if "
            "x-kubernetes-list-type is specified");
  EXPECT_EQ(wrong_with_spec("{type: array, items: {type: object, properties: {a: {type: string}}}, "
                            "x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a]}"),
            ".properties[spec].items.properties[a].default: Required value: this property is in "
            "x-kubernetes-list-map-keys, so it must have a default or be a required property");
  EXPECT_EQ(
      wrong_with_spec("{type: array, items: {type: object}, x-kubernetes-list-type: map, "
                      "x-kubernetes-list-map-keys: [a]}"),
      ".properties[spec].x-kubernetes-list-map-keys: Invalid value: [\"a\"]: entries must all "
      "be names of item properties");
}

TEST(Structural, DefaultsAreOfTheirType) {
  EXPECT_EQ(wrong_with_spec("{type: integer, default: a}"),
            ".properties[spec].default: Invalid value: must be of type integer, found string");
  EXPECT_EQ(wrong_with_spec("{type: number, default: 1}"), "");
}

TEST(Structural, MetadataOnlyRestrictsNames) {
  EXPECT_EQ(wrong_with_root("{type: object, properties: {metadata: {type: object, properties: "
                            "{labels: {type: object}}}}}"),
            ".properties[metadata]: Forbidden: must not specify anything other than name and "
            "generateName, but metadata is implicitly specified");
  EXPECT_EQ(wrong_with_root("{type: object, properties: {metadata: {type: object, properties: "
                            "{name: {type: string, maxLength: 5}}}}}"),
            "");
  EXPECT_EQ(wrong_with_root("{type: object, properties: {metadata: {type: object, properties: "
                            "{name: {type: string, default: a}}}}}"),
            ".properties[metadata].properties[name].default: Forbidden: must not be set in "
            "top-level metadata");
}

// In these tests is what kube-apiserver 1.37.1 answers.

TEST(Structural, TheFieldsOfEveryObjectHaveTheirType) {
  const auto with = [](const std::string& property) {
    return wrong_with_root("{type: object, properties: {" + property + "}}");
  };
  EXPECT_EQ(with("kind: {type: integer}"),
            ".properties[kind].type: Invalid value: \"integer\": must be string");
  EXPECT_EQ(with("apiVersion: {type: object}"),
            ".properties[apiVersion].type: Invalid value: \"object\": must be string");
  EXPECT_EQ(with("metadata: {type: string}"),
            ".properties[metadata].type: Invalid value: \"string\": must be object");
  EXPECT_EQ(with("kind: {type: string, default: x}"),
            ".properties[kind].default: Forbidden: must not be set in top-level kind");
  EXPECT_EQ(with("kind: {type: string}"), "");
}

TEST(Structural, RulesSayWhatTheyMean) {
  const auto rule = [](const std::string& content) {
    return wrong_with_spec("{type: string, x-kubernetes-validations: [{" + content + "}]}");
  };
  const std::string at = ".properties[spec].x-kubernetes-validations[0].";
  EXPECT_EQ(rule("rule: ''"), at + "rule: Required value: rule is not specified");
  EXPECT_EQ(rule("rule: self.x, message: ' '"),
            at + "message: Invalid value: \" \": must be non-empty if specified");
  EXPECT_EQ(rule("rule: \"self ==\\n'a'\""),
            at + "message: Required value: message must be specified if rule contains line breaks");
  EXPECT_EQ(rule("rule: self == 'a', reason: x"),
            at + "reason: Unsupported value: \"x\": supported values: \"FieldValueDuplicate\", "
                 "\"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\"");
}

TEST(Structural, RulesUseWhatTheyName) {
  const auto rule = [](const std::string& content) {
    return wrong_with_spec(
        "{type: object, properties: {a: {type: object, additionalProperties: {type: string}}}, "
        "x-kubernetes-validations: [{" +
        content + "}]}");
  };
  const std::string at = ".properties[spec].x-kubernetes-validations[0].";
  EXPECT_EQ(rule("rule: self.a, fieldPath: .b"),
            at + "fieldPath: Invalid value: \".b\": must be a valid path");
  EXPECT_EQ(rule("rule: self.a, fieldPath: \".a['b']\""), "");
  EXPECT_EQ(rule("rule: self.oldSelf_ == 1, optionalOldSelf: false"),
            at + "optionalOldSelf: Invalid value: false: may not be set if oldSelf is not used in "
                 "rule");
  EXPECT_EQ(rule("rule: oldSelf.hasValue(), optionalOldSelf: true"), "");
}

TEST(Structural, EmptyTypesOfListsAndMapsAreNone) {
  EXPECT_EQ(wrong_with_spec("{type: object, x-kubernetes-map-type: ''}"),
            ".properties[spec].x-kubernetes-map-type: Unsupported value: \"\": supported values: "
            "\"atomic\", \"granular\"");
  EXPECT_EQ(wrong_with_spec("{type: array, items: {type: string}, x-kubernetes-list-type: ''}"),
            ".properties[spec].x-kubernetes-list-type: Unsupported value: \"\": supported values: "
            "\"atomic\", \"set\", \"map\"");
}

TEST(Structural, SchemasDoNotNameTheirLanguage) {
  EXPECT_THAT(
      wrong_with_spec("{type: array, items: {type: string, $schema: x}}"),
      ::testing::HasSubstr("Invalid value: \"\": OpenAPIV3Schema 'schema' is not supported"));
}

TEST(Structural, PathsLeadToFields) {
  const json::Value schema = *yaml::parse("{properties: {a: {properties: {b: {type: string}}}}}");
  const auto problem = [&](std::string_view path) {
    return find_field(schema, path, FieldPaths::Plain).problem;
  };
  EXPECT_EQ(find_field(schema, ".a.b", FieldPaths::Plain).schema->string_at({"type"}), "string");
  EXPECT_EQ(problem(".a.c"), "does not refer to a valid field");
  EXPECT_EQ(problem("a.b"), "expected [ or . but got: a");
}

TEST(Structural, DeepSchemasEndWithAnError) {
  std::string schema = "{type: string}";
  for (int i = 0; i < 150; ++i) schema = "{type: array, items: " + schema + "}";
  EXPECT_NE(wrong_with_spec(schema).find("nested more than 100 levels deep"), std::string::npos);
}

}  // namespace
}  // namespace kube::schema
