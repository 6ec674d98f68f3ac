// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <kube/codec/field_view.hpp>
#include <kube/codec/json_check.hpp>
#include <kube/json/yaml.hpp>
#include <kube/validation/runtime_schema.hpp>

#include <kube/meta/object_meta.hpp>

namespace kube::meta {
namespace {

constexpr std::string_view kWidgets = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.acme.io}
spec:
  group: acme.io
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, format: int32, default: 3}
              color: {type: string, enum: [Red]}
              port: {x-kubernetes-int-or-string: true}
              rows: {type: array, items: {type: array, items: {type: integer}}}
              labels: {type: object, additionalProperties: {type: string}}
              byName: {type: object, additionalProperties: {type: object, properties: {num: {type: integer}}}}
              any: {x-kubernetes-preserve-unknown-fields: true}
              open: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: integer}}}
)";

const RuntimeSchema& widgets() {
  static const RuntimeSchema schema = RuntimeSchema::from_crds(kWidgets).value();
  return schema;
}
const TypeDescriptor& widget() {
  return *widgets().find({"acme.io", "v1", "Widget"});
}
std::string problem_of(std::string_view text, bool strict = false) {
  const auto checked = check_json(text, widget(), {.strict = strict});
  return checked ? "" : checked.error().to_string();
}

TEST(RuntimeSchema, DefinitionsInAListAreValidatedToo) {
  json::Object list{{"apiVersion", "v1"}, {"kind", "List"}};
  list.append("items", json::Array{yaml::parse(kWidgets).value()});
  const RuntimeSchema schema = RuntimeSchema::from_crds(json::dump(json::Value(list))).value();
  const TypeDescriptor* kind = schema.find({"acme.io", "v1", "Widget"});
  ASSERT_NE(kind, nullptr);
  const json::Value wrong = json::parse(R"({"spec":{"color":"Blue"}})").value();
  EXPECT_EQ(schema.validate(*kind, wrong).size(), 1U);
}

TEST(RuntimeSchema, KindsAndTheirResourcesAreKnown) {
  EXPECT_EQ(widget().plural, "widgets");
  EXPECT_TRUE(widget().namespaced);
  EXPECT_EQ(widget().size, 0U);
  EXPECT_EQ(widgets().kinds().size(), 2U);
  EXPECT_EQ(widgets().find({"acme.io", "v2", "Widget"}), nullptr);
}

TEST(RuntimeSchema, GoodObjectsPass) {
  EXPECT_EQ(problem_of(R"({"apiVersion":"acme.io/v1","kind":"Widget","metadata":{"name":"a",
    "labels":{"x":"y"}},"spec":{"size":3,"color":"Red","port":"http","rows":[[1,2],[]],
    "labels":{"a":"b"},"byName":{"q":{"num":1}},"any":{"x":[1]},"open":{"known":1,"other":"x"}}})",
                       true),
            "");
}

TEST(RuntimeSchema, KindAndApiVersionOfAnotherTypeThanStringAreRefused) {
  EXPECT_EQ(problem_of(R"({"apiVersion":7,"kind":"Widget"})"),
            "read Widget: apiVersion: expected a string, found a number at offset 14");
  EXPECT_EQ(problem_of(R"({"kind":["Widget"]})"),
            "read Widget: kind: expected a string, found an array at offset 8");
  EXPECT_EQ(problem_of(R"({"apiVersion":null,"kind":null})"), "");
  // Those of the items of a list, too.
  const TypeDescriptor& list = *widgets().find({"acme.io", "v1", "WidgetList"});
  EXPECT_EQ(check_json(R"({"items":[{"kind":true}]})", list).error().to_string(),
            "read WidgetList: items[0].kind: expected a string, found a boolean at offset 18");
}

TEST(RuntimeSchema, WrongTypesAreRefusedAsTypedReadingDoes) {
  EXPECT_EQ(problem_of(R"({"spec":{"size":"3"}})"),
            "read Widget: spec.size: expected a 32-bit integer, found a string at offset 16");
  EXPECT_EQ(problem_of(R"({"spec":{"rows":[[1],["x"]]}})"),
            "read Widget: spec.rows[1][0]: expected a 64-bit integer, found a string at offset "
            "22");
  EXPECT_EQ(problem_of(R"({"spec":{"byName":{"q":{"num":true}}}})"),
            "read Widget: spec.byName[q].num: expected a 64-bit integer, found a boolean at "
            "offset 30");
  EXPECT_EQ(problem_of(R"({"spec":{"open":{"known":"x"}}})"),
            "read Widget: spec.open.known: expected a 64-bit integer, found a string at offset "
            "25");
  EXPECT_EQ(problem_of(R"({"kind":"Gadget"})"),
            "read Widget: kind: expected \"Widget\", found \"Gadget\" at offset 8");
  EXPECT_NE(problem_of(R"({"spec":{"size":3)"), "");
}

TEST(RuntimeSchema, UnknownAndDuplicateFieldsAreWordedAsTheServerDoes) {
  EXPECT_EQ(problem_of(R"({"spec":{"foo":1,"size":1,"size":2,"byName":{"q":{"m":1}}},
                           "metadata":{"nam":"x"},"status":1})",
                       true),
            "strict decoding error: unknown field \"spec.foo\", duplicate field \"spec.size\", "
            "unknown field \"spec.byName.q.m\", unknown field \"metadata.nam\", unknown field "
            "\"status\"");
  EXPECT_EQ(problem_of(R"({"spec":{"foo":1}})"), "");
}

TEST(RuntimeSchema, TheSameTextIsRefusedForTypedAndRuntimeTypes) {
  for (const std::string_view text :
       {R"({"name":7})", R"({"labels":["a"]})", R"({"labels":{"a":1}})", R"([])", R"({"name")",
        R"({"creationTimestamp":"x"})", R"({"generation":1.5})", R"({"name":"a","nope":1})"}) {
    ObjectMeta read;
    const auto typed = read_json(text, ObjectMeta::descriptor(), &read, {.strict = true});
    const auto checked = check_json(text, ObjectMeta::descriptor(), {.strict = true});
    ASSERT_FALSE(typed) << text;
    ASSERT_FALSE(checked) << text;
    EXPECT_EQ(typed.error().to_string(), checked.error().to_string());
  }
}

TEST(RuntimeSchema, ValuesAreCheckedAgainstTheSchema) {
  const auto checked = [](std::string_view text) {
    const auto fits = widgets().check(text, widget(), {.strict = true});
    return fits ? "" : fits.error().to_string();
  };
  EXPECT_EQ(checked(R"({"spec":{"color":"Red","size":1}})"), "");
  EXPECT_EQ(checked(R"({"spec":{"color":"Blue"}})"),
            "spec.color: Unsupported value: \"Blue\": supported values: \"Red\"");
  EXPECT_EQ(checked(R"({"spec":{"colour":"Red"}})"),
            "strict decoding error: unknown field \"spec.colour\"");
  EXPECT_EQ(checked(R"({"spec":{"rows":[[1],[null]]}})"),
            "spec.rows[1][0]: Invalid value: \"null\": spec.rows[1][0] in body must be of type "
            "integer: \"null\"");
  EXPECT_TRUE(widgets().unchecked(widget()).empty());
  EXPECT_TRUE(widgets().validate(ObjectMeta::descriptor(), json::Object{}).empty());
}

TEST(RuntimeSchema, RepeatedFieldsAreFoundInPartsThatMayHoldAnything) {
  const auto checked = [](std::string_view text, const ReadOptions& options) {
    const auto fits = widgets().check(text, widget(), options);
    return fits ? "" : fits.error().to_string();
  };
  const std::string_view text =
      R"({"spec":{"size":1,"size":2,"any":{"zz":1,"zz":2},"open":{"x":[{"y":1,"y":2}],"x":1},)"
      R"("labels":{"l":"a","l":"b"}}})";
  EXPECT_EQ(checked(text, {.strict = true}),
            "strict decoding error: duplicate field \"spec.size\", duplicate field "
            "\"spec.labels.l\", duplicate field \"spec.any.zz\", duplicate field "
            "\"spec.open.x[0].y\", duplicate field \"spec.open.x\"");
  std::vector<std::string> problems;
  EXPECT_EQ(checked(text, {.problems = &problems}), "");
  EXPECT_EQ(problems.size(), 5U);
  EXPECT_EQ(checked(text, {}), "");
}

TEST(RuntimeSchema, IntegersMayHaveAPointOrAnExponent) {
  for (const char* text :
       {R"({"spec":{"size":1.0}})", R"({"spec":{"size":1e2,"port":5.0}})",
        R"({"spec":{"rows":[[1.0,-2e3]],"byName":{"q":{"num":10.0}},"open":{"known":1e0}}})"}) {
    EXPECT_TRUE(widgets().check(text, widget(), {.strict = true})) << text;
  }
  EXPECT_EQ(problem_of(R"({"spec":{"size":1.5}})"),
            "read Widget: spec.size: expected a 32-bit integer, found 1.5 at offset 16");
  EXPECT_NE(problem_of(R"({"spec":{"size":3e9}})"), "");
  for (const char* number : {"1e19", "9223372036854775808", "-9223372036854775809", "1e400"})
    EXPECT_NE(problem_of(R"({"spec":{"rows":[[)" + std::string(number) + "]]}}"), "") << number;
  // Types with a struct read integers alone.
  EXPECT_NE(problem_of(R"({"metadata":{"generation":1.0}})"), "");
}

TEST(RuntimeSchema, FieldsAreReadByPath) {
  const std::string text =
      R"({"metadata":{"name":"a"},"spec":{"size":5,"color":"Red","rows":[[1,2],[3]],"labels":{"a/b":"c"}}})";
  const auto view = [&](std::string_view path) {
    const auto compiled = FieldLocator::compile(widget(), path);
    EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().to_string());
    return compiled->find(text).value();
  };
  const auto text_at = [&](std::string_view path) {
    const FieldView found = view(path);
    std::string scratch;
    return std::string(found.text(scratch).value());
  };
  EXPECT_EQ(text_at("spec.color"), "Red");
  EXPECT_EQ(text_at("spec.labels['a/b']"), "c");
  EXPECT_EQ(text_at("metadata.name"), "a");
  EXPECT_EQ(view("spec.size").read<std::int32_t>().value(), 5);
  const auto none = FieldLocator::compile(widget(), "spec.colour");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().to_string(),
            "path \"spec.colour\" of Widget: acme.io.v1.WidgetSpec has no field \"colour\"");
}

TEST(RuntimeSchema, FactsOfFieldsAreThere) {
  const TypeDescriptor& spec = *widget().fields[1].message;
  const FieldFacts* size = find_facts(widgets().field_facts(spec), "size");
  ASSERT_NE(size, nullptr);
  EXPECT_EQ(size->default_json, "3");
  EXPECT_EQ(find_facts(widgets().field_facts(spec), "color")->values[0], "\"Red\"");
  EXPECT_TRUE(widgets().field_facts(ObjectMeta::descriptor()).empty());
}

TEST(RuntimeSchema, DescriptorsStayWhereTheyAreWhenTheSchemaMoves) {
  RuntimeSchema schema = RuntimeSchema::from_crd(yaml::parse(kWidgets).value()).value();
  const TypeDescriptor* type = schema.find({"acme.io", "v1", "Widget"});
  const RuntimeSchema moved = std::move(schema);
  EXPECT_EQ(moved.find({"acme.io", "v1", "Widget"}), type);
  EXPECT_TRUE(check_json("{}", *type));
}

TEST(RuntimeSchema, AnOpenApiDocumentGivesTheSame) {
  const auto document = yaml::parse(R"(
openapi: 3.0.0
components:
  schemas:
    io.acme.v1.Tree:
      type: object
      x-kubernetes-group-version-kind: [{group: acme.io, version: v1, kind: Tree}]
      properties:
        metadata: {allOf: [{$ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'}]}
        branch: {$ref: '#/components/schemas/io.acme.v1.Branch'}
    io.acme.v1.Branch:
      type: object
      properties: {branches: {type: array, items: {$ref: '#/components/schemas/io.acme.v1.Branch'}}}
)");
  ASSERT_TRUE(document);
  const auto schema = RuntimeSchema::from_openapi(*document);
  ASSERT_TRUE(schema) << schema.error().to_string();
  const TypeDescriptor& tree = *schema->find({"acme.io", "v1", "Tree"});
  const auto wrong = check_json(R"({"branch":{"branches":[{"branches":[7]}]}})", tree);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().to_string(),
            "read Tree: branch.branches[0].branches[0]: expected an object, found a number at "
            "offset 36");
}

TEST(RuntimeSchema, WrongDefinitionsSayWhere) {
  const auto wrong = RuntimeSchema::from_crd(json::Value(json::Object{{"kind", "Pod"}}));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().to_string(),
            "definition: kind: expected \"CustomResourceDefinition\", found \"Pod\"");
}

TEST(RuntimeSchema, EveryOneOfThousandsOfFieldsIsFound) {
  std::string properties = "aadaaaabCWTqfZRT: {type: integer}, pTXoCLnxsXxrELkx: {type: boolean}";
  for (int i = 0; i < 10'000; ++i)
    properties += ", field" + std::to_string(i) + "Name: {type: string}";
  std::string text(kWidgets);
  text.resize(text.find("        properties:"));
  text += "        properties: {" + properties + "}\n";
  const auto schema = RuntimeSchema::from_crds(text);
  ASSERT_TRUE(schema) << schema.error().to_string();
  const TypeDescriptor& kind = *schema->find({"acme.io", "v1", "Widget"});
  const auto problem_in = [&](const std::string& member) {
    const auto checked = check_json("{" + member + "}", kind, {.strict = true});
    return checked ? std::string() : checked.error().to_string();
  };
  for (int i = 0; i < 10'000; ++i) {
    const std::string key = "field" + std::to_string(i) + "Name";
    ASSERT_EQ(problem_in("\"" + key + "\":\"\""), "");
    ASSERT_NE(problem_in("\"" + key + "\":7"), "");
    ASSERT_NE(problem_in("\"x" + key + "\":\"\""), "");
  }
  EXPECT_EQ(problem_in(R"("aadaaaabCWTqfZRT":7,"pTXoCLnxsXxrELkx":true)"), "");
  EXPECT_NE(problem_in(R"("pTXoCLnxsXxrELkx":7)"), "");
}

}  // namespace
}  // namespace kube::meta
