// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <kube/schema/documents.hpp>

#include "crd_text.hpp"

namespace kube::schema {
namespace {

using test::crd_with;
using test::crd_with_spec;
using ::testing::ElementsAre;

Package read_one(const std::string& text) {
  std::vector<Package> packages;
  const auto read = read_crds(text, "w.yaml", packages);
  EXPECT_TRUE(read) << (read ? "" : read.error().to_string());
  return packages.empty() ? Package() : packages.front();
}
std::string error_of(const std::string& text) {
  std::vector<Package> packages;
  const auto read = read_crds(text, "w.yaml", packages);
  EXPECT_TRUE(packages.empty()) << "what was read before the error stays";
  return read ? "no error" : read.error().to_string();
}
// The field `spec` stands for.
Field spec_of(const std::string& schema) {
  const Package package = read_one(crd_with_spec(schema));
  const Type* widget = package.find("Widget");
  EXPECT_TRUE(widget != nullptr && widget->fields.size() == 2);
  return widget == nullptr || widget->fields.size() < 2 ? Field() : widget->fields[1];
}
std::vector<std::string> names_of(const Package& package) {
  std::vector<std::string> names;
  for (const Type& type : package.types) names.push_back(type.name);
  return names;
}

TEST(ReadCrds, EveryScalarHasItsType) {
  const auto type_of = [](const std::string& schema) { return spec_of(schema).type; };
  EXPECT_EQ(type_of("{type: boolean}"), ValueType::Bool);
  EXPECT_EQ(type_of("{type: integer, format: int32}"), ValueType::Int32);
  EXPECT_EQ(type_of("{type: integer}"), ValueType::Int64);
  EXPECT_EQ(type_of("{type: number, format: float}"), ValueType::Double);
  EXPECT_EQ(type_of("{type: string}"), ValueType::String);
  EXPECT_EQ(type_of("{type: string, format: byte}"), ValueType::Bytes);
  EXPECT_EQ(type_of("{type: string, format: date-time}"), ValueType::Time);
  EXPECT_EQ(type_of("{type: string, format: duration}"), ValueType::String);
  EXPECT_EQ(type_of("{x-kubernetes-int-or-string: true}"), ValueType::IntOrString);
  EXPECT_EQ(type_of("{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}"),
            ValueType::IntOrString);
  EXPECT_EQ(type_of("{x-kubernetes-preserve-unknown-fields: true}"), ValueType::Any);
  EXPECT_EQ(type_of("{type: object, x-kubernetes-preserve-unknown-fields: true}"), ValueType::Any);
  EXPECT_EQ(type_of("{type: object, x-kubernetes-embedded-resource: true, "
                    "x-kubernetes-preserve-unknown-fields: true}"),
            ValueType::Any);
}

// The definition of VolumeSnapshots has it for status.restoreSize.
TEST(ReadCrds, ATypeBesideIntOrStringIsNothing) {
  const Field plain = spec_of("{type: string, x-kubernetes-int-or-string: true, default: 1}");
  EXPECT_EQ(plain.type, ValueType::IntOrString);
  const Field quantity = spec_of(
      R"x({type: string, x-kubernetes-int-or-string: true, pattern: '^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$'})x");
  EXPECT_EQ(quantity.type, ValueType::Quantity);
}

TEST(ReadCrds, ThePatternOfQuantitiesMakesAQuantity) {
  EXPECT_EQ(
      spec_of(
          R"x({x-kubernetes-int-or-string: true, pattern: '^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$'})x")
          .type,
      ValueType::Quantity);
}

TEST(ReadCrds, ObjectsAreCalledAfterTheirPath) {
  const Package package = read_one(crd_with_spec(
      "{type: object, properties: {"
      "parts: {type: array, items: {type: object, properties: {bolt-size: {type: object}}}}, "
      "byName: {type: object, additionalProperties: {type: object, properties: {n: {type: "
      "integer}}}}}}"));
  EXPECT_THAT(names_of(package),
              ElementsAre("WidgetSpecPartsBoltSize", "WidgetSpecParts", "WidgetSpecByName",
                          "WidgetSpec", "Widget", "WidgetList"));
}

TEST(ReadCrds, OfTwoPathsWithOneNameTheLaterGetsANumber) {
  const Package package = read_one(crd_with(
      "{type: object, properties: {specA: {type: object}, spec: {type: object, properties: {a: "
      "{type: object}}}}}"));
  EXPECT_THAT(names_of(package),
              ElementsAre("WidgetSpecA", "WidgetSpecA2", "WidgetSpec", "Widget", "WidgetList"));
  EXPECT_EQ(package.find("WidgetSpec")->fields.front().object, "WidgetSpecA2");
}

TEST(ReadCrds, ListsInListsAndMapsAreWrapped) {
  const Package package = read_one(crd_with(
      "{type: object, properties: {m: {type: array, items: {type: array, items: {type: integer}}}, "
      "o: {type: object, additionalProperties: {type: object, additionalProperties: true}}}}"));
  const Type* row = package.find("WidgetMItem");
  ASSERT_NE(row, nullptr);
  EXPECT_TRUE(row->wraps);
  EXPECT_EQ(row->fields.front().holder, Holder::List);
  const Type* inner = package.find("WidgetOItem");
  ASSERT_NE(inner, nullptr);
  EXPECT_TRUE(inner->wraps);
  EXPECT_EQ(inner->fields.front().holder, Holder::Map);
  EXPECT_EQ(inner->fields.front().type, ValueType::Any);
}

TEST(ReadCrds, ObjectsInListsInListsAreCalledAfterBoth) {
  const Package package =
      read_one(crd_with("{type: object, properties: {m: {type: array, items: {type: array, items: "
                        "{type: object}}}}}"));
  EXPECT_THAT(names_of(package),
              ElementsAre("WidgetMItemItem", "WidgetMItem", "Widget", "WidgetList"));
}

TEST(ReadCrds, AnEmbeddedResourceHasWhatEveryObjectHas) {
  const Package package = read_one(crd_with_spec(
      "{type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object}, "
      "data: {type: string}}}"));
  const Type* type = package.find("WidgetSpec");
  ASSERT_NE(type, nullptr);
  std::vector<std::string> keys;
  for (const Field& field : type->fields) keys.push_back(field.key);
  EXPECT_THAT(keys, ElementsAre("kind", "apiVersion", "metadata", "data"));
  EXPECT_EQ(type->fields[2].object, "meta.v1.ObjectMeta");
}

TEST(ReadCrds, FactsOfFieldsAreKept) {
  const Package package = read_one(crd_with(
      "{type: object, required: [color], properties: {"
      "color: {type: string, nullable: true, enum: [red, \"\"], default: red}, "
      "parts: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], items: "
      "{type: object, required: [id], properties: {id: {type: integer}}}}}}"));
  const Type* widget = package.find("Widget");
  ASSERT_NE(widget, nullptr);
  const Field& color = widget->fields[1];
  EXPECT_TRUE(color.required);
  EXPECT_TRUE(color.nullable);
  EXPECT_EQ(color.enum_name, "WidgetColor");
  EXPECT_THAT(color.values, ElementsAre("\"red\"", "\"\""));
  EXPECT_EQ(color.default_value, "\"red\"");
  EXPECT_EQ(widget->fields[2].list_type, "map");
  EXPECT_THAT(widget->fields[2].list_map_keys, ElementsAre("id"));
}

TEST(ReadCrds, OnlyTextsAreKnownValuesOfAText) {
  EXPECT_EQ(spec_of("{type: string, enum: [On, Off]}").enum_name, "") << "booleans in YAML";
  EXPECT_EQ(spec_of("{type: string, enum: [1, auto]}").enum_name, "WidgetSpec");
}

TEST(ReadCrds, AnObjectWithOtherPropertiesThanItsOwnKeepsThem) {
  const auto keeps_unknown = [](const std::string& more) {
    const Package package =
        read_one(crd_with_spec("{type: object, properties: {a: {type: string}}" + more + "}"));
    return package.find("WidgetSpec")->keeps_unknown;
  };
  EXPECT_FALSE(keeps_unknown(""));
  EXPECT_TRUE(keeps_unknown(", x-kubernetes-preserve-unknown-fields: true"));
  EXPECT_TRUE(keeps_unknown(", additionalProperties: true"));
}

TEST(ReadCrds, TheResourceIsKnown) {
  const Package package = read_one(
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
      "metadata: {name: widgets.acme.io}\nspec: {group: acme.io, scope: Cluster, names: {plural: "
      "widgets, kind: Widget, listKind: Widgets, shortNames: [wd], categories: [all]}, versions: "
      "[{name: v1, served: false, storage: true, subresources: {status: {}}, selectableFields: "
      "[{jsonPath: .spec.a}], additionalPrinterColumns: [{name: A, type: string, jsonPath: "
      ".spec.a, priority: 1}], schema: {openAPIV3Schema: {type: object}}}]}\n");
  ASSERT_EQ(package.resources.size(), 1U);
  const Resource& resource = package.resources.front();
  EXPECT_EQ(resource.singular, "widget");
  EXPECT_EQ(resource.list_kind, "Widgets");
  EXPECT_FALSE(resource.namespaced);
  EXPECT_FALSE(resource.served);
  EXPECT_THAT(resource.short_names, ElementsAre("wd"));
  EXPECT_THAT(resource.categories, ElementsAre("all"));
  EXPECT_THAT(resource.subresources, ElementsAre("status"));
  EXPECT_THAT(resource.selectable_fields, ElementsAre(".spec.a"));
  ASSERT_EQ(resource.columns.size(), 1U);
  EXPECT_EQ(resource.columns.front().priority, 1);
  EXPECT_EQ(package.name(), "acme.io.v1");
}

TEST(ReadCrds, ErrorsNameFileDocumentAndDefinition) {
  EXPECT_EQ(error_of("a: ["), "w.yaml: yaml: line 1: found unexpected end of stream");
  EXPECT_EQ(error_of(""), "w.yaml: expected a CustomResourceDefinition, found nothing");
  EXPECT_EQ(error_of("kind: Pod"),
            "w.yaml: document 1: kind: expected \"CustomResourceDefinition\", found \"Pod\"");
  EXPECT_EQ(error_of(crd_with("7")),
            "w.yaml: document 1: CRD widgets.acme.io: spec.versions[0].schema.openAPIV3Schema: "
            "expected an object, found number");
  const std::string good = crd_with("{type: object}");
  std::string beta = good;
  beta.replace(beta.find("io/v1"), 5, "io/v1beta1");
  EXPECT_EQ(error_of(beta),
            "w.yaml: document 1: CRD widgets.acme.io: apiVersion: expected "
            "\"apiextensions.k8s.io/v1\", found \"apiextensions.k8s.io/v1beta1\"");
  std::string scope = good;
  scope.replace(scope.find("Namespaced"), 10, "Global");
  EXPECT_EQ(error_of(scope),
            "w.yaml: document 1: CRD widgets.acme.io: spec.scope: Unsupported value: \"Global\": "
            "supported values: \"Cluster\", \"Namespaced\"");
  std::string name = good;
  name.replace(name.find("widgets.acme"), 12, "gadgets.acme");
  EXPECT_EQ(error_of(name),
            "w.yaml: document 1: CRD gadgets.acme.io: metadata.name: must be "
            "spec.names.plural+\".\"+spec.group, which is \"widgets.acme.io\"");
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  text.replace(text.find(what), what.size(), with);
  return text;
}
// As an item of a list: flow style, without kind and apiVersion.
std::string item(const std::string& plural, const std::string& scope) {
  return "{metadata: {name: " + plural + ".acme.io}, spec: {group: acme.io, scope: " + scope +
         ", names: {plural: " + plural + ", kind: " + static_cast<char>(plural.front() - 32) +
         plural.substr(1) +
         "}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: "
         "object}}}]}}";
}
std::string whole_item(const std::string& plural, const std::string& scope) {
  return "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, " +
         item(plural, scope).substr(1);
}

TEST(ReadCrds, ADefinitionWithoutVersionsIsAnError) {
  const std::string head =
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
      "metadata: {name: widgets.acme.io}\n"
      "spec:\n  group: acme.io\n  scope: Cluster\n  names: {plural: widgets, kind: Widget}\n";
  for (const std::string versions : {"", "  versions: []\n", "  versions: null\n"}) {
    EXPECT_EQ(error_of(head + versions),
              "w.yaml: document 1: CRD widgets.acme.io: spec.versions: Required value: must have "
              "exactly one version marked as storage version");
  }
  EXPECT_EQ(error_of(head + "  versions: {}\n"),
            "w.yaml: document 1: CRD widgets.acme.io: spec.versions: expected an array, found "
            "object");
}

TEST(ReadCrds, NamesAreThoseThatTheServerTakes) {
  const std::string good = crd_with("{type: object}");
  const std::string label =
      ": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
      "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
      "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
  for (const std::string name : {"1x", "V1", "v1-", "-v1", "v.1", "v 1", "v_1"}) {
    EXPECT_EQ(error_of(replaced(good, "name: v1", "name: \"" + name + "\"")),
              "w.yaml: document 1: CRD widgets.acme.io: spec.versions[0].name: Invalid value: \"" +
                  name + "\"" + label);
  }
  EXPECT_EQ(error_of(replaced(good, "name: v1", "name: v" + std::string(63, '1'))),
            "w.yaml: document 1: CRD widgets.acme.io: spec.versions[0].name: Invalid value: \"v" +
                std::string(63, '1') + "\": must be no more than 63 characters");
  // Of a name that is wrong in both ways its form is told.
  EXPECT_EQ(error_of(replaced(good, "name: v1", "name: V" + std::string(63, '1'))),
            "w.yaml: document 1: CRD widgets.acme.io: spec.versions[0].name: Invalid value: \"V" +
                std::string(63, '1') + "\"" + label);
  EXPECT_EQ(error_of(replaced(good, "plural: widgets", "plural: \"wid\\ngets\"")),
            "w.yaml: document 1: CRD widgets.acme.io: spec.names.plural: Invalid value: "
            "\"wid\ngets\"" +
                label);
  EXPECT_THAT(error_of(replaced(good, "group: acme.io", "group: acme..io")),
              ::testing::StartsWith("w.yaml: document 1: CRD widgets.acme.io: spec.group: Invalid "
                                    "value: \"acme..io\": a lowercase RFC 1123 subdomain must"));
  EXPECT_EQ(read_one(replaced(good, "name: v1", "name: a-1b")).version, "a-1b");
}

TEST(ReadCrds, ItemsOfListsAreReadLikeDocuments) {
  for (const std::string& text :
       {"apiVersion: v1\nkind: List\nitems: [" + whole_item("widgets", "Cluster") + ", " +
            whole_item("gadgets", "Cluster") + "]\n",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitionList\nitems: [" +
            item("widgets", "Cluster") + ", " + whole_item("gadgets", "Cluster") + "]\n"}) {
    const Package package = read_one(text);
    EXPECT_THAT(names_of(package), ElementsAre("Widgets", "WidgetsList", "Gadgets", "GadgetsList"));
  }
}

TEST(ReadCrds, ErrorsInListsNameTheItem) {
  const std::string list = "apiVersion: v1\nkind: List\nitems: ";
  const std::string definitions =
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitionList\nitems: ";
  for (const std::string& text : {list + "[" + whole_item("widgets", "Global") + "]\n",
                                  definitions + "[" + item("widgets", "Global") + "]\n"}) {
    EXPECT_EQ(error_of(text),
              "w.yaml: document 1: items[0]: CRD widgets.acme.io: spec.scope: Unsupported value: "
              "\"Global\": supported values: \"Cluster\", \"Namespaced\"");
  }
  EXPECT_EQ(error_of(list + "[" + item("widgets", "Cluster") + "]\n"),
            "w.yaml: document 1: items[0]: kind: expected \"CustomResourceDefinition\", found "
            "\"\"");
  EXPECT_EQ(error_of(definitions + "[{apiVersion: v1, kind: Pod}]\n"),
            "w.yaml: document 1: items[0]: kind: expected \"CustomResourceDefinition\", found "
            "\"Pod\"");
  EXPECT_EQ(error_of(list + "[7]\n"),
            "w.yaml: document 1: items[0]: expected an object, found number");
  EXPECT_EQ(error_of(list + "{}\n"), "w.yaml: document 1: items: expected an array, found object");
  EXPECT_EQ(error_of(list + "[]\n"), "w.yaml: expected a CustomResourceDefinition, found nothing");
  EXPECT_EQ(error_of(replaced(definitions, "io/v1", "io/v1beta1") + "[]\n"),
            "w.yaml: document 1: apiVersion: expected \"apiextensions.k8s.io/v1\", found "
            "\"apiextensions.k8s.io/v1beta1\"");
}

TEST(ReadCrds, ObjectsOfOtherGroupsArePassedOverBesideADefinition) {
  const std::string good = crd_with("{type: object}");
  const std::string deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n";
  EXPECT_THAT(names_of(read_one(deployment + "---\n" + good)), ElementsAre("Widget", "WidgetList"));
  EXPECT_THAT(names_of(read_one("apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: "
                                "Namespace}, " +
                                whole_item("widgets", "Cluster") + "]\n")),
              ElementsAre("Widgets", "WidgetsList"));
  // Nothing but others is a mistake, and so is what only looks like another's.
  EXPECT_EQ(error_of(deployment + "---\n" + deployment),
            "w.yaml: document 1: kind: expected \"CustomResourceDefinition\", found "
            "\"Deployment\"");
  EXPECT_EQ(
      error_of(replaced(good, "ResourceDefinition", "ResourceDefinitoin") + "---\n" + deployment),
      "w.yaml: document 1: kind: expected \"CustomResourceDefinition\", found "
      "\"CustomResourceDefinitoin\"");
  EXPECT_EQ(error_of("metadata: {name: a}\n---\n" + good),
            "w.yaml: document 1: kind: expected \"CustomResourceDefinition\", found \"\"");
}

TEST(ReadCrds, TwoKindsOfOneNameAreAnError) {
  std::vector<Package> packages;
  const std::string good = crd_with("{type: object}");
  const auto read = read_crds(good + "---\n" + good, "w.yaml", packages);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().to_string(),
            "w.yaml: document 2: CRD widgets.acme.io: spec.names.kind: there are two kinds Widget "
            "of acme.io/v1: the other one is in w.yaml: document 1: CRD widgets.acme.io: "
            "spec.versions[0].schema.openAPIV3Schema");
  EXPECT_TRUE(packages.empty()) << "of several documents, all count or none";
  EXPECT_EQ(error_of(replaced(good, "kind: Widget}", "kind: Widget, listKind: Widget}")),
            "w.yaml: document 1: CRD widgets.acme.io: spec.names.listKind: there are two kinds "
            "Widget of acme.io/v1");
}

// widgets.acme.io beside another definition of the group.
std::string crd_of_kind(const std::string& kind) {
  return replaced(replaced(replaced(crd_with("{type: object}"), "name: widgets", "name: others"),
                           "plural: widgets", "plural: others"),
                  "kind: Widget}", "kind: " + kind + "}");
}

TEST(ReadCrds, APartGivesItsNameToAKind) {
  const std::string widgets = crd_with(
      "{type: object, properties: {spec: {type: array, items: {type: object, properties: "
      "{part: {type: object}}}}, mode: {type: string, enum: [on, a]}}}");
  for (const std::string& text : {widgets + "---\n" + crd_of_kind("WidgetSpec"),
                                  crd_of_kind("WidgetSpec") + "---\n" + widgets}) {
    const Package package = read_one(text);
    ASSERT_NE(package.find("WidgetSpec"), nullptr);
    EXPECT_TRUE(package.find("WidgetSpec")->kind);
    const Type* widget = package.find("Widget");
    ASSERT_NE(widget, nullptr);
    EXPECT_EQ(widget->fields[1].object, "WidgetSpec2");
    const Type* spec = package.find("WidgetSpec2");
    ASSERT_NE(spec, nullptr);
    EXPECT_FALSE(spec->kind);
    ASSERT_EQ(spec->fields.size(), 1U);
    EXPECT_NE(package.find(spec->fields.front().object), nullptr);
  }
  // Headers are named after types, in small letters.
  const auto package = read_one(widgets + "---\n" + crd_of_kind("WidgetMODE"));
  EXPECT_EQ(package.find("Widget")->fields[2].enum_name, "WidgetMode2");
}

TEST(ReadCrds, EachTypeKnowsItsPlace) {
  const std::string text =
      crd_with(
          "{type: object, properties: {spec: {type: object, properties: {rows: {type: array, "
          "items: {type: array, items: {type: object}}}}}}}") +
      "---\n" + crd_of_kind("Other");
  const Package package = read_one(text);
  const auto place = [&](const std::string& type) { return package.find(type)->where; };
  const std::string schema =
      "w.yaml: document 1: CRD widgets.acme.io: spec.versions[0].schema.openAPIV3Schema";
  EXPECT_EQ(place("Widget"), schema);
  EXPECT_EQ(place("WidgetSpec"), schema + ".properties[spec]");
  EXPECT_EQ(place("WidgetSpecRowsItem"), schema + ".properties[spec].properties[rows].items");
  EXPECT_EQ(place("WidgetSpecRowsItemItem"),
            schema + ".properties[spec].properties[rows].items.items");
  EXPECT_EQ(place("OtherList"), "w.yaml: document 2: CRD others.acme.io: spec.names");
}

}  // namespace
}  // namespace kube::schema
