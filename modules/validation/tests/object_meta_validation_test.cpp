// SPDX-License-Identifier: Apache-2.0
#include <kube/validation/object_meta_validation.hpp>

#include <gtest/gtest.h>

namespace kube::meta {
namespace {

json::Value object(std::string_view text) {
  return json::parse(text).value();
}

std::string check(std::string_view metadata, const ObjectMetaRules& rules = {}) {
  return to_string(validate_object_meta(object(metadata), rules));
}

std::string check_update(std::string_view metadata, std::string_view before) {
  return to_string(validate_object_meta_update(object(metadata), object(before)));
}

TEST(ObjectMetaValidation, AcceptsOrdinaryMetadata) {
  EXPECT_EQ(check(R"({"name":"web-0","namespace":"default","labels":{"app":"web"},
      "annotations":{"Example.com/Note":"x y z"},"finalizers":["example.com/f","orphan"],
      "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"w","uid":"1","controller":true}],
      "managedFields":[{"manager":"m","operation":"Update","fieldsType":"FieldsV1"}]})"),
            "");
}

TEST(ObjectMetaValidation, AsksForANameAndANamespace) {
  EXPECT_EQ(check("{}"),
            "[metadata.name: Required value: name or generateName is required, metadata.namespace: "
            "Required value]");
  EXPECT_EQ(check("{}", {.namespaced = false}),
            "metadata.name: Required value: name or generateName is required");
  EXPECT_EQ(check(R"({"name":"a","namespace":"b"})", {.namespaced = false}),
            "metadata.namespace: Forbidden: not allowed on this type");
  EXPECT_EQ(check("[]"), R"(metadata: Invalid value: "array": must be of type object)");
}

TEST(ObjectMetaValidation, ChecksNamesByTheKindsRule) {
  EXPECT_NE(check(R"({"name":"A","namespace":"b"})"), "");
  EXPECT_EQ(check(R"({"name":"a.b","namespace":"b"})"), "");
  EXPECT_EQ(check(R"({"name":"a.b"})", {.name = NameRule::DnsLabel, .namespaced = false}),
            R"(metadata.name: Invalid value: "a.b": must not contain dots)");
  EXPECT_EQ(check(R"({"name":"system:x"})", {.name = NameRule::PathSegment, .namespaced = false}),
            "");
  EXPECT_NE(check(R"({"name":"ok","generateName":"Bad-","namespace":"b"})"), "");
}

TEST(ObjectMetaValidation, ChecksLabelsAndAnnotations) {
  EXPECT_NE(check(R"({"name":"a","namespace":"b","labels":{"-":"x"}})"), "");
  EXPECT_NE(check(R"({"name":"a","namespace":"b","labels":{"x":"no spaces"}})"), "");
  EXPECT_EQ(check(R"({"name":"a","namespace":"b","labels":{"x":1}})"),
            "metadata.labels[x]: Invalid value: 1: must be of type string");
  EXPECT_NE(check(R"({"name":"a","namespace":"b","annotations":{"a/b/c":"x"}})"), "");

  json::Value metadata = object(R"({"name":"a","namespace":"b"})");
  metadata.ensure_path({"annotations", "big"}) = std::string(262'144 - 3, 'x');
  EXPECT_EQ(to_string(validate_object_meta(metadata, {})), "");
  metadata.ensure_path({"annotations", "big"}) = std::string(262'144 - 2, 'x');
  EXPECT_EQ(to_string(validate_object_meta(metadata, {})),
            "metadata.annotations: Too long: may not be more than 262144 bytes");
}

TEST(ObjectMetaValidation, ChecksOwnerReferences) {
  EXPECT_EQ(check(R"({"name":"a","namespace":"b","ownerReferences":[{}]})"),
            "[metadata.ownerReferences[0].apiVersion: Required value: must not be empty, "
            "metadata.ownerReferences[0].kind: Required value: must not be empty, "
            "metadata.ownerReferences[0].name: Required value: must not be empty, "
            "metadata.ownerReferences[0].uid: Required value: must not be empty]");
  const std::string two = check(R"({"name":"a","namespace":"b","ownerReferences":[
      {"apiVersion":"v1","kind":"A","name":"x","uid":"1","controller":true},
      {"apiVersion":"v1","kind":"B","name":"y","uid":"2","controller":true}]})");
  EXPECT_NE(
      two.find("Only one reference can have Controller set to true. Found \"true\" in references "
               "for A/x and B/y"),
      std::string::npos)
      << two;
}

TEST(ObjectMetaValidation, ChecksFinalizersAndManagedFields) {
  EXPECT_NE(check(R"({"name":"a","namespace":"b","finalizers":["orphan","foregroundDeletion"]})"),
            "");
  EXPECT_NE(check(R"({"name":"a","namespace":"b","finalizers":["a b"]})"), "");
  EXPECT_EQ(check(R"({"name":"a","namespace":"b","managedFields":[{"operation":"Merge"}]})"),
            "metadata.managedFields[0].operation: Unsupported value: \"Merge\": supported values: "
            "\"Apply\", \"Update\"");
}

TEST(ObjectMetaValidation, AnUpdateKeepsIdentityAndNeedsAVersion) {
  const char* before =
      R"({"name":"a","namespace":"b","uid":"1","resourceVersion":"7","generation":2})";
  EXPECT_EQ(check_update(before, before), "");
  EXPECT_EQ(check_update(R"({"name":"a","namespace":"b","uid":"1","generation":2})", before),
            R"(metadata.resourceVersion: Invalid value: "": must be specified for an update)");
  EXPECT_EQ(
      check_update(R"({"name":"c","namespace":"b","uid":"1","resourceVersion":"7","generation":2})",
                   before),
      R"(metadata.name: Invalid value: "c": field is immutable)");
  EXPECT_EQ(
      check_update(R"({"name":"a","namespace":"b","uid":"1","resourceVersion":"7","generation":1})",
                   before),
      "metadata.generation: Invalid value: 1: must not be decremented");
}

TEST(ObjectMetaValidation, NoNewFinalizersWhileBeingDeleted) {
  const char* before =
      R"({"name":"a","resourceVersion":"7","deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["x/a","x/b"]})";
  EXPECT_EQ(
      check_update(
          R"({"name":"a","resourceVersion":"7","deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["x/b"]})",
          before),
      "");
  EXPECT_EQ(
      check_update(
          R"({"name":"a","resourceVersion":"7","deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["x/b","x/c"]})",
          before),
      "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being "
      "deleted, "
      "found new finalizers []string{\"x/c\"}");
}

}  // namespace
}  // namespace kube::meta
