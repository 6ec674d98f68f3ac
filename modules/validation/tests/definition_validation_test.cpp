// SPDX-License-Identifier: Apache-2.0
#include <kube/validation/definition_validation.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include <kube/json/yaml.hpp>

namespace kube::meta {
namespace {

json::Value definition() {
  return *yaml::parse(R"(
metadata: {name: widgets.acme.io}
spec:
  group: acme.io
  scope: Namespaced
  conversion: {strategy: None}
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
)");
}

TEST(DefinitionValidation, AWholeDefinitionHasNoErrors) {
  EXPECT_EQ(to_string(validate_definition(definition())), "");
}

TEST(DefinitionValidation, ErrorsNameTheFieldAndTheRule) {
  json::Value wrong = definition();
  wrong.ensure_path({"spec", "names", "plural"}) = "Widgets";
  wrong.ensure_path({"spec", "scope"}) = "Everywhere";
  const std::string errors = to_string(validate_definition(wrong));
  EXPECT_NE(errors.find("metadata.name: Invalid value: \"widgets.acme.io\": must be "
                        "spec.names.plural+\".\"+spec.group"),
            std::string::npos)
      << errors;
  EXPECT_NE(errors.find("spec.scope: Unsupported value: \"Everywhere\""), std::string::npos);
  EXPECT_NE(errors.find("spec.names.plural: Invalid value: \"Widgets\""), std::string::npos);
}

TEST(DefinitionValidation, WhatObjectsAreStoredByMayNotChange) {
  json::Value before = definition();
  before.ensure_path({"status", "storedVersions"}) = json::Array{"v0", "v1"};
  json::Value after = definition();
  after.ensure_path({"spec", "scope"}) = "Cluster";
  const std::string errors = to_string(validate_definition(after, &before));
  EXPECT_NE(errors.find("spec.scope: Invalid value: \"Cluster\": field is immutable"),
            std::string::npos)
      << errors;
  EXPECT_NE(errors.find("status.storedVersions[0]: Invalid value: \"v0\""), std::string::npos);
}

// In these tests is what kube-apiserver 1.37.1 answers.

std::string problems_with(std::string_view version, std::string_view spec = "{}") {
  json::Value wrong = definition();
  json::Value& first = (*wrong.ensure_path({"spec", "versions"}).if_array())[0];
  const json::Value of_version = *yaml::parse(version);
  for (const auto& [name, value] : *of_version.if_object()) first.if_object()->set(name, value);
  const json::Value of_spec = *yaml::parse(spec);
  for (const auto& [name, value] : *of_spec.if_object())
    wrong.ensure_path({"spec"}).if_object()->set(name, value);
  return to_string(validate_definition(wrong));
}

TEST(DefinitionValidation, ColumnsHaveAKnownTypeAndAPathFromTheRoot) {
  const auto column = [](const std::string& content) {
    return problems_with("{additionalPrinterColumns: [{" + content + "}]}");
  };
  const std::string at = "spec.additionalPrinterColumns[0].";
  EXPECT_EQ(column("name: A, type: foo, jsonPath: .a"),
            at + "type: Invalid value: \"foo\": must be one of boolean,date,integer,number,string");
  EXPECT_EQ(column("name: A, jsonPath: .a"),
            at + "type: Required value: must be one of boolean,date,integer,number,string");
  EXPECT_EQ(column("name: A, type: string, jsonPath: a"),
            at + "JSONPath: Invalid value: \"a\": must be a simple json path starting with .");
  EXPECT_EQ(column("name: A, type: string, jsonPath: '{.a}'"),
            at + "JSONPath: Invalid value: \"{.a}\": must be a simple json path starting with .");
  EXPECT_EQ(column("name: A, type: string"), at + "JSONPath: Required value");
  EXPECT_EQ(column("type: string, jsonPath: .a"), at + "name: Required value");
  EXPECT_EQ(column("name: A, type: string, format: x, jsonPath: .a"),
            at + "format: Invalid value: \"x\": must be one of "
                 "byte,date,date-time,double,float,int32,int64,password");
  EXPECT_EQ(column("name: A, type: string, jsonPath: '.a['"), "");
}

TEST(DefinitionValidation, ErrorsNameTheVersionsOnlyWhereTheyDiffer) {
  const std::string why = ".type: Invalid value: \"string\": must be object at the root";
  const std::string wrong = "{schema: {openAPIV3Schema: {type: string}}}";
  EXPECT_EQ(problems_with(wrong), "spec.validation.openAPIV3Schema" + why);
  EXPECT_EQ(problems_with("{}",
                          "{versions: ["
                          "{name: v1, storage: true, schema: {openAPIV3Schema: {type: string}}}, "
                          "{name: v2, schema: {openAPIV3Schema: {type: object}}}]}"),
            "spec.versions[0].schema.openAPIV3Schema" + why);
}

TEST(DefinitionValidation, ErrorsShowVersionsAsTheyWereSent) {
  const std::string why = ": must have exactly one version marked as storage version";
  json::Value wrong = definition();
  wrong.ensure_path({"spec", "versions"}) = nullptr;
  EXPECT_NE(to_string(validate_definition(wrong)).find("spec.versions: Invalid value: null" + why),
            std::string::npos);
  const std::vector<std::string> emptied = {"spec.versions"};
  EXPECT_NE(to_string(validate_definition(wrong, nullptr, emptied))
                .find("spec.versions: Invalid value: []" + why),
            std::string::npos);
}

TEST(DefinitionValidation, EmptyDependenciesAreDependencies) {
  const json::Value sent = *yaml::parse(R"(
metadata: {name: widgets.acme.io}
spec:
  group: acme.io
  scope: Namespaced
  conversion: {strategy: None}
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {a.b: {type: object}, a: {type: string}}}}
)");
  const std::vector<std::string> emptied = {
      "spec.names.shortNames",
      "spec.versions[0].schema.openAPIV3Schema.properties.a.b.dependencies",
      "spec.versions[7].schema.openAPIV3Schema.dependencies"};
  EXPECT_EQ(to_string(validate_definition(sent)), "");
  EXPECT_EQ(to_string(validate_definition(sent, nullptr, emptied)),
            "spec.validation.openAPIV3Schema.properties[a.b].dependencies: Forbidden: dependencies "
            "is not supported");
}

TEST(DefinitionValidation, GroupsOfTheCommunityNeedItsApproval) {
  const auto problems = [](const json::Value& annotations, const json::Value* before = nullptr) {
    json::Value definition_of = definition();
    definition_of.ensure_path({"metadata", "name"}) = "widgets.acme.k8s.io";
    definition_of.ensure_path({"metadata", "annotations"}) = annotations;
    definition_of.ensure_path({"spec", "group"}) = "acme.k8s.io";
    return to_string(validate_definition(definition_of, before));
  };
  const auto approved = [](std::string_view by) {
    return json::Object{{"api-approved.kubernetes.io", by}};
  };
  const std::string at = "metadata.annotations[api-approved.kubernetes.io]: ";
  const std::string why =
      "protected groups must have approval annotation \"api-approved.kubernetes.io\"";
  const std::string see = ", see https://github.com/kubernetes/enhancements/pull/1111";
  EXPECT_EQ(problems(json::Object{}), at + "Required value: " + why + see);
  EXPECT_EQ(problems(approved("foo")),
            at + "Invalid value: \"foo\": " + why +
                " with either a URL or a reason starting with \"unapproved\"" + see);
  EXPECT_EQ(problems(approved("unapproved, an experiment")), "");
  EXPECT_EQ(problems(approved("https://github.com/kubernetes/enhancements/pull/78458")), "");
  json::Value before = definition();
  before.ensure_path({"spec", "group"}) = "acme.k8s.io";
  EXPECT_EQ(problems(json::Object{}, &before), "") << "a definition keeps the state that it has";
}

TEST(DefinitionValidation, UnknownFieldsAreKeptByTheSchemaAlone) {
  EXPECT_EQ(problems_with("{}", "{preserveUnknownFields: true}"),
            "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
            "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead");
}

TEST(DefinitionValidation, OneVersionIsStored) {
  EXPECT_EQ(problems_with("{storage: false, schema: {openAPIV3Schema: {type: object}}}"),
            "[spec.versions: Invalid value: [{\"Name\":\"v1\",\"Served\":true,\"Storage\":false,"
            "\"Deprecated\":false,\"DeprecationWarning\":null,\"Schema\":null,\"Subresources\":"
            "null,\"AdditionalPrinterColumns\":null,\"SelectableFields\":null}]: must have exactly "
            "one version marked as storage version, status.storedVersions: Invalid value: null: "
            "must have at least one stored version]");
}

TEST(DefinitionValidation, SelectableFieldsAreScalars) {
  const auto problems = [](std::string_view path) {
    return problems_with(
        "{schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: "
        "{a: {type: integer}}}}}}, selectableFields: [{jsonPath: " +
        std::string(path) + "}]}");
  };
  const std::string at = "spec.selectableFields[0].jsonPath: Invalid value: ";
  EXPECT_EQ(problems(".spec.a"), "");
  EXPECT_EQ(problems(".spec.b"),
            at + "\".spec.b\": is an invalid path: does not refer to a valid field");
  EXPECT_EQ(problems(".spec"), at + "\".spec\": must point to a field of type string, boolean or "
                                    "integer. Enum string fields and strings with formats are "
                                    "allowed.");
}

TEST(DefinitionValidation, ADefaultOfTheRootIsAWholeObject) {
  const std::string at = "spec.validation.openAPIV3Schema.default.";
  EXPECT_EQ(problems_with("{schema: {openAPIV3Schema: {type: object, default: {}}}}"),
            "[" + at + "apiVersion: Required value, " + at + "kind: Required value]");
}

TEST(DefinitionValidation, KnownFormatsAreThoseOfTextsAndOfNumbers) {
  for (const std::string_view known : {"date-time", "uuid4", "k8s-short-name", "int32", "double"})
    EXPECT_TRUE(is_known_format(known)) << known;
  for (const std::string_view other : {"quantity", "int16", ""})
    EXPECT_FALSE(is_known_format(other)) << other;
}

TEST(DefinitionValidation, AWebhookIsCheckedThoughNoneIsCalled) {
  const auto problems = [](std::string_view webhook) {
    return problems_with(
        "{}", "{conversion: {strategy: Webhook, webhook: " + std::string(webhook) + "}}");
  };
  const std::string at = "spec.conversion.webhookClientConfig";
  const std::string versions = "conversionReviewVersions: [v1]";
  EXPECT_EQ(problems("{}"), "[" + at +
                                ": Required value: required when strategy is set to Webhook, "
                                "spec.conversion.conversionReviewVersions: Required value]");
  EXPECT_EQ(problems("{clientConfig: {}, " + versions + "}"),
            at + ": Required value: exactly one of url or service is required");
  EXPECT_EQ(problems("{clientConfig: {url: \"http://u@\"}, " + versions + "}"),
            "[" + at +
                ".url: Invalid value: \"http\": 'https' is the only allowed URL scheme; "
                "desired format: https://host[/path], " +
                at +
                ".url: Invalid value: \"\": host must "
                "be specified; desired format: https://host[/path], " +
                at +
                ".url: Invalid value: "
                "\"u\": user information is not permitted in the URL]");
  EXPECT_EQ(problems("{clientConfig: {service: {path: p, port: 0}}, " + versions + "}"),
            "[" + at + ".service.name: Required value, " + at +
                ".service.namespace: Required "
                "value, " +
                at +
                ".service.port: Invalid value: 0: port is not valid: must be between "
                "1 and 65535, inclusive, " +
                at +
                ".service.path: Invalid value: \"p\": must start "
                "with a '/', " +
                at +
                ".service.path: Invalid value: \"p\": segment[0] may not be "
                "empty]");
  EXPECT_EQ(problems("{clientConfig: {url: \"https://a\"}, conversionReviewVersions: [a, a]}"),
            "[spec.conversion.conversionReviewVersions[1]: Invalid value: \"a\": duplicate "
            "version, spec.conversion.conversionReviewVersions: Invalid value: [\"a\",\"a\"]: "
            "must include at least one of v1, v1beta1]");
  EXPECT_EQ(problems("{clientConfig: {url: \"https://a/b\"}, " + versions + "}"), "");
}

TEST(DefinitionValidation, NamesAndConversionAreCheckedAsAWhole) {
  EXPECT_EQ(
      problems_with("{}", "{names: {plural: widgets, singular: widget, kind: a, listKind: a}}"),
      "spec.names.listKind: Invalid value: \"a\": kind and listKind may not be the same");
  EXPECT_EQ(problems_with("{}", "{conversion: {strategy: Foo}}"),
            "spec.conversion.strategy: Unsupported value: \"Foo\": supported values: \"None\", "
            "\"Webhook\"");
  EXPECT_EQ(problems_with("{}",
                          "{conversion: {strategy: None, webhook: {conversionReviewVersions: "
                          "[v1]}}}"),
            "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy "
            "is not set to Webhook");
}

}  // namespace
}  // namespace kube::meta
