// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <kube/json/yaml.hpp>
#include <kube/schema/documents.hpp>

namespace kube::schema {
namespace {

using ::testing::ElementsAre;

Result<Package> read(const std::string& text) {
  return read_openapi(yaml::parse(text).value(), "doc.json", [](const std::string& reference) {
    return reference.starts_with("core.v1.") || reference.starts_with("meta.v1.");
  });
}

constexpr std::string_view kHead = "openapi: 3.0.0\ncomponents:\n  schemas:\n";
constexpr std::string_view kWidget =
    "    io.acme.v1.Widget:\n"
    "      type: object\n"
    "      x-kubernetes-group-version-kind: [{group: acme.io, version: v1, kind: Widget}]\n"
    "      properties:\n"
    "        kind: {type: string}\n"
    "        metadata: {default: {}, allOf: [{$ref: "
    "'#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'}]}\n";

std::string document(const std::string& fields, const std::string& more = {}) {
  return std::string(kHead) + std::string(kWidget) + fields + more;
}

TEST(ReadOpenApi, ReferencesLeadToBuiltInTypesAndToTypesOfTheDocument) {
  const auto package = read(
      document("        pod: {allOf: [{$ref: '#/components/schemas/io.k8s.api.core.v1.PodSpec'}]}\n"
               "        tree: {$ref: '#/components/schemas/io.acme.v1.Tree'}\n"
               "        port: {$ref: "
               "'#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString'}\n"
               "        color: {$ref: '#/components/schemas/io.acme.v1.Color'}\n"
               "        any: {type: object}\n",
               "    io.acme.v1.Tree: {type: object, properties: {more: {type: array, items: {$ref: "
               "'#/components/schemas/io.acme.v1.Tree'}}}}\n"
               "    io.acme.v1.Color: {type: string, enum: [Red]}\n"));
  ASSERT_TRUE(package) << package.error().to_string();
  EXPECT_EQ(package->name(), "acme.io.v1");
  const Type* widget = package->find("Widget");
  ASSERT_NE(widget, nullptr);
  ASSERT_EQ(widget->fields.size(), 6U);
  EXPECT_EQ(widget->fields[0].object, "meta.v1.ObjectMeta");
  EXPECT_EQ(widget->fields[1].object, "core.v1.PodSpec");
  EXPECT_TRUE(widget->fields[1].external);
  EXPECT_EQ(widget->fields[2].object, "Tree");
  EXPECT_EQ(widget->fields[3].type, ValueType::IntOrString);
  EXPECT_EQ(widget->fields[4].enum_name, "Color");
  EXPECT_EQ(widget->fields[5].type, ValueType::Any);
  const Type* tree = package->find("Tree");
  ASSERT_NE(tree, nullptr);
  EXPECT_EQ(tree->fields.front().object, "Tree");
}

TEST(ReadOpenApi, ListKindsKnowTheirItem) {
  const auto package = read(document(
      "",
      "    io.acme.v1.WidgetList:\n"
      "      type: object\n      required: [items]\n"
      "      x-kubernetes-group-version-kind: [{group: acme.io, version: v1, kind: WidgetList}]\n"
      "      properties:\n"
      "        metadata: {$ref: "
      "'#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta'}\n"
      "        items: {type: array, items: {$ref: '#/components/schemas/io.acme.v1.Widget'}}\n"));
  ASSERT_TRUE(package) << package.error().to_string();
  EXPECT_EQ(package->find("WidgetList")->item, "Widget");
}

TEST(ReadOpenApi, PathsMakeTheResources) {
  const auto package = read(document(
      "",
      "paths:\n"
      "  /apis/acme.io/v1/: {}\n"
      "  /apis/acme.io/v1/widgets: {get: {x-kubernetes-group-version-kind: {group: acme.io, "
      "version: v1, kind: Widget}}}\n"
      "  '/apis/acme.io/v1/namespaces/{namespace}/widgets/{name}': {}\n"
      "  '/apis/acme.io/v1/namespaces/{namespace}/widgets/{name}/status': {}\n"
      "  /apis/acme.io/v1/watch/widgets: {}\n"));
  ASSERT_TRUE(package) << package.error().to_string();
  ASSERT_EQ(package->resources.size(), 1U);
  EXPECT_EQ(package->resources[0].plural, "widgets");
  EXPECT_EQ(package->resources[0].singular, "widget");
  EXPECT_TRUE(package->resources[0].namespaced);
  EXPECT_THAT(package->resources[0].subresources, ElementsAre("status"));
}

TEST(ReadOpenApi, NamesOfNamesEndSomewhere) {
  std::string more;
  for (int i = 0; i < 20'000; ++i)
    more += "    n" + std::to_string(i) + ": {$ref: '#/components/schemas/n" +
            std::to_string(i + 1) + "'}\n";
  const auto package = read(document("        a: {$ref: '#/components/schemas/n0'}\n", more));
  ASSERT_FALSE(package);
  EXPECT_EQ(package.error().to_string(),
            "doc.json: components.schemas[n99].$ref: refers to n100 through more than 100 "
            "references");
}

TEST(ReadOpenApi, ErrorsNameTheComponent) {
  const auto error_of = [](const std::string& text) {
    const auto package = read(text);
    return package ? std::string("no error") : package.error().to_string();
  };
  EXPECT_EQ(error_of("swagger: '2.0'"),
            "doc.json: components.schemas: Required value: expected an OpenAPI v3 document");
  EXPECT_EQ(error_of(document("        a: {$ref: '#/components/schemas/io.acme.v1.Gone'}\n")),
            "doc.json: components.schemas[io.acme.v1.Widget].properties[a].$ref: refers to "
            "io.acme.v1.Gone, which isn't in the document");
  EXPECT_EQ(
      error_of(document("        a: {type: 7}\n")),
      "doc.json: components.schemas[io.acme.v1.Widget].properties[a].type: expected a string, "
      "found number");
  EXPECT_EQ(
      error_of(
          document("",
                   "    io.acme.v2.Widget: {x-kubernetes-group-version-kind: [{group: acme.io, "
                   "version: v2, kind: Widget}]}\n")),
      "doc.json: components.schemas[io.acme.v2.Widget].x-kubernetes-group-version-kind[0]: is "
      "of acme.io/v2, other kinds of the document of acme.io/v1; expected one group and "
      "version, as /openapi/v3/apis/GROUP/VERSION has");
  EXPECT_EQ(error_of(std::string(kHead) + "    a: {type: object}\n"),
            "doc.json: components.schemas: expected a kind (x-kubernetes-group-version-kind) that "
            "isn't built in");
}

}  // namespace
}  // namespace kube::schema
