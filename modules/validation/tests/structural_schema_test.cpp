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

TEST(StructuralSchema, EmptiesTheObjectsThatNoSchemaIsFor) {
  const StructuralSchema schema = structural_schema_of(
      "{map: {type: object, additionalProperties: true},"
      " either: {x-kubernetes-int-or-string: true}}");
  const std::string object = "{map: {k: {a: {b: c}}, l: 1}, either: [{a: 1}, 2]}";
  EXPECT_EQ(pruned(schema, object), R"({"map":{"k":{},"l":1},"either":[{},2]})");
  EXPECT_THAT(schema.unknown_fields(yaml_value_of(object)), ElementsAre("map.k.a", "either[0].a"));
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
            "pod.kind: Invalid value: 1: must be a string");
  object = yaml_value_of("{pod: {metadata: {labels: x}}}");
  EXPECT_EQ(
      schema.normalize_embedded(object).error().message(),
      "pod.metadata: Invalid value: {\"labels\":\"x\"}: json: cannot unmarshal string into Go "
      "struct field ObjectMeta.labels of type map[string]string");
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
                    " c: {type: string, $ref: x}}}"),
      {.path = FieldPath("s")});
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].to_string(),
            "s.properties[a].type: Invalid value: \"object\": must be array if "
            "x-kubernetes-list-type is specified");
  EXPECT_EQ(errors[1].to_string(), "s.properties[c].$ref: Forbidden: $ref is not supported");
}

// As kube-apiserver 1.37.1 answers.
TEST(StructuralSchema, DefaultsAreWhatTheirSchemaAllows) {
  const auto problem = [](std::string_view property) {
    return to_string(StructuralSchema::check(
        yaml_value_of("{type: object, properties: {a: " + std::string(property) + "}}"),
        {.path = FieldPath("s")}));
  };
  const std::string object = "{type: object, required: [b], properties: {b: {type: string}}, ";
  EXPECT_EQ(problem("{type: integer, default: x}"),
            "s.properties[a].default: Invalid value: \"string\":  in body must be of type integer: "
            "\"string\"");
  EXPECT_EQ(problem(object + "default: {b: x, c: 1}}"),
            "s.properties[a].default: Invalid value: {\"b\":\"x\",\"c\":1}: must not have unknown "
            "fields");
  EXPECT_EQ(problem(object + "default: {b: 1}}"),
            "s.properties[a].default.b: Invalid value: \"integer\": b in body must be of type "
            "string: \"integer\"");
  EXPECT_EQ(problem(object + "default: {}}"), "s.properties[a].default.b: Required value");
  EXPECT_EQ(problem("{type: array, items: {type: string, maxLength: 1}, default: [xx]}"),
            "s.properties[a].default.[0]: Too long: may not be more than 1 byte");
  EXPECT_EQ(problem("{type: string, enum: [a], default: b}"),
            "s.properties[a].default: Unsupported value: \"b\": supported values: \"a\"");
  EXPECT_EQ(problem("{type: string, default: null}"), "");
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
