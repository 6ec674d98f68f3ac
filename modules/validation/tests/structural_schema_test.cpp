// SPDX-License-Identifier: Apache-2.0
#include <kube/validation/structural_schema.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/json/yaml.hpp>

namespace kube::meta {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

json::Value yaml_value_of(std::string_view yaml) {
  return *yaml::parse(yaml);
}

StructuralSchema structural_schema_of(std::string_view properties) {
  return *StructuralSchema::create(
      yaml_value_of("{type: object, properties: " + std::string(properties) + "}"));
}

std::string pruned(const StructuralSchema& schema, std::string_view object) {
  json::Value value = yaml_value_of(object);
  EXPECT_TRUE(schema.prune_and_default(value));
  return json::dump(value);
}

TEST(StructuralSchema, PrunesWhatItDoesNotNameAndKeepsWhatEveryObjectHas) {
  const StructuralSchema schema =
      structural_schema_of("{spec: {type: object, properties: {a: {type: string}}}}");
  const std::string object =
      "{kind: W, apiVersion: x/v1, metadata: {name: w, odd: 1}, spec: {a: b, c: d}, e: f}";
  EXPECT_EQ(pruned(schema, object),
            R"({"kind":"W","apiVersion":"x/v1","metadata":{"name":"w","odd":1},"spec":{"a":"b"}})");
  EXPECT_THAT(schema.unknown_fields(yaml_value_of(object)), ElementsAre("spec.c", "e"));
}

TEST(StructuralSchema, FillsDefaultsInAfterNullsAreGone) {
  const StructuralSchema schema = structural_schema_of(
      "{spec: {type: object, default: {}, properties: {size: {type: integer, default: 1},"
      " note: {type: string, nullable: true, default: x}}}}");
  EXPECT_EQ(pruned(schema, "{}"), R"({"spec":{"size":1,"note":"x"}})");
  EXPECT_EQ(pruned(schema, "{spec: {size: null, note: null}}"),
            R"({"spec":{"note":null,"size":1}})");
}

TEST(StructuralSchema, PreservesWhereTheSchemaAsksForIt) {
  const StructuralSchema schema = structural_schema_of(
      "{free: {type: object, x-kubernetes-preserve-unknown-fields: true},"
      " map: {type: object, additionalProperties: {type: object, properties: {a: {type: "
      "string}}}}}");
  EXPECT_EQ(pruned(schema, "{free: {x: {z: 1}}, map: {k: {a: b, c: d}}}"),
            R"({"free":{"x":{"z":1}},"map":{"k":{"a":"b"}}})");
}

TEST(StructuralSchema, NormalizesTheMetadataOfEmbeddedResources) {
  const StructuralSchema schema = structural_schema_of(
      "{pod: {type: object, x-kubernetes-embedded-resource: true,"
      " x-kubernetes-preserve-unknown-fields: true}}");
  json::Value object = yaml_value_of("{pod: {kind: Pod, metadata: {name: w, odd: 1}}}");
  EXPECT_THAT(schema.normalize_embedded(object).value(), ElementsAre("pod.metadata.odd"));
  EXPECT_EQ(object.string_at({"pod", "metadata", "name"}), "w");
  object = yaml_value_of("{pod: {kind: 1}}");
  EXPECT_EQ(schema.normalize_embedded(object).error().message(),
            "pod.kind: expected a string, not number");
}

TEST(StructuralSchema, RefusesSchemasThatSayNotWhatAFieldIs) {
  const auto problems = [](std::string_view schema) {
    return to_string(StructuralSchema::check(yaml_value_of(schema), {.path = FieldPath("s")}));
  };
  EXPECT_THAT(problems("{type: object}"), IsEmpty());
  EXPECT_EQ(problems("{type: object, properties: {a: {minimum: 1}, b: {type: array}}}"),
            "[s.properties[a].type: Required value: must not be empty for specified object fields, "
            "s.properties[b].items: Required value: must be specified]");
}

TEST(StructuralSchema, EveryRuleThatIsBrokenIsNamed) {
  const FieldErrors errors = StructuralSchema::check(
      yaml_value_of("{type: object, properties: {a: {type: object, x-kubernetes-list-type: set},"
                    " b: {type: integer, default: x}, c: {type: string, $ref: x}}}"),
      {.path = FieldPath("s")});
  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(errors[0].to_string(),
            "s.properties[a].type: Invalid value: \"object\": must be array if "
            "x-kubernetes-list-type is specified");
  EXPECT_EQ(errors[1].to_string(),
            "s.properties[b].default: Invalid value: must be of type integer, found string");
  EXPECT_EQ(errors[2].to_string(), "s.properties[c].$ref: Forbidden: $ref is not supported");
}

TEST(StructuralSchema, MayBeAsDeepAsADocument) {
  std::string schema = "{type: string}";
  for (int i = 0; i < 150; ++i) schema = "{type: array, items: " + schema + "}";
  EXPECT_THAT(
      StructuralSchema::check(yaml_value_of("{type: object, properties: {a: " + schema + "}}")),
      IsEmpty());
}

TEST(StructuralSchema, DefaultsOfAnObjectAreBounded) {
  const std::string large(StructuralSchema::kMaxDefaultBytes, 'x');
  const json::Value schema = json::Object{
      {"type", "object"},
      {"properties", json::Object{{"a", json::Object{{"type", "string"}, {"default", large}}}}}};
  json::Value object = json::Object{};
  const auto compiled = StructuralSchema::create(schema);
  ASSERT_TRUE(compiled);
  EXPECT_FALSE(compiled->prune_and_default(object));
  const FieldErrors errors = StructuralSchema::check(schema, {.path = FieldPath("s")});
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors.front().field, "s.properties[a].default");
}

}  // namespace
}  // namespace kube::meta
