// SPDX-License-Identifier: Apache-2.0
//
// What a manager has applied, and typed objects as the documents of an apply.
#include <kube/client/extract.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/client/apply_document.hpp>
#include <kube/codec/yaml.hpp>

namespace kube {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// As kube-apiserver returns it.
constexpr const char* kDeployment = R"({
  "apiVersion":"apps/v1","kind":"Deployment",
  "metadata":{"name":"d","namespace":"web","uid":"u","resourceVersion":"7","generation":2,
    "labels":{"app":"d","team":"x","other":"y"},"finalizers":["a.b/c","d.e/f"],
    "managedFields":[
      {"manager":"me","operation":"Apply","apiVersion":"apps/v1","time":"2026-11-23T14:48:39Z",
       "fieldsType":"FieldsV1","fieldsV1":{
        "f:metadata":{"f:labels":{"f:app":{},"f:team":{}},"f:finalizers":{"v:\"d.e/f\"":{}}},
        "f:spec":{"f:replicas":{},"f:selector":{},"f:template":{"f:spec":{
          "f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:args":{},"f:image":{},"f:name":{},
              "f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},
                         "f:containerPort":{}}}},
            "k:{\"name\":\"gone\"}":{".":{},"f:image":{}}},
          "f:nodeSelector":{},"f:volumes":{"k:{\"name\":\"v\"}":{".":{},"f:emptyDir":{},"f:name":{}}}}}}}},
      {"manager":"me","operation":"Apply","apiVersion":"apps/v1","subresource":"status",
       "fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:replicas":{}}}},
      {"manager":"me","operation":"Update","apiVersion":"apps/v1",
       "fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:other":{}}}}},
      {"manager":"they","operation":"Apply","apiVersion":"apps/v1",
       "fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:paused":{},"f:template":{"f:spec":{
          "f:containers":{"k:{\"name\":\"side\"}":{".":{},"f:image":{},"f:name":{}}}}}}}}]},
  "spec":{"replicas":0,"paused":true,"selector":{"matchLabels":{"app":"d"}},
    "strategy":{"type":"RollingUpdate"},
    "template":{"metadata":{"creationTimestamp":null},"spec":{"restartPolicy":"Always",
      "nodeSelector":{"disk":"ssd"},"volumes":[{"name":"v","emptyDir":{}}],
      "containers":[
        {"name":"side","image":"s:1"},
        {"name":"main","image":"m:1","args":["a","b"],"imagePullPolicy":"Always",
         "ports":[{"containerPort":81,"protocol":"TCP"},
                  {"containerPort":80,"protocol":"TCP","name":"web"}]}]}}},
  "status":{"replicas":3,"readyReplicas":2}})";

json::Value object() {
  return json::parse(kDeployment).value();
}
std::string extracted_text(std::string_view manager, std::string_view subresource = "") {
  const auto document = extract_applied(object(), manager, subresource);
  return document ? json::dump(*document) : document.error().to_string();
}

TEST(Extract, APPLY_03_AManagerThatAppliedNothingHasTheIdentityAlone) {
  const std::string identity = R"({"apiVersion":"apps/v1","kind":"Deployment",)"
                               R"("metadata":{"name":"d","namespace":"web"}})";
  EXPECT_EQ(extracted_text("nobody"), identity);
  EXPECT_EQ(extracted_text("they", "status"), identity);
  apps::v1::Deployment bare;
  bare.metadata.name = "d";
  const auto typed = extract(bare, "me");
  ASSERT_TRUE(typed);
  EXPECT_EQ(*typed, bare);
}

TEST(Extract, APPLY_04_TheFieldsThatWereAppliedAndNoOthers) {
  const json::Value expected = json::parse(R"({
    "apiVersion":"apps/v1","kind":"Deployment",
    "metadata":{"name":"d","namespace":"web","labels":{"app":"d","team":"x"},
                "finalizers":["d.e/f"]},
    "spec":{"replicas":0,"selector":{"matchLabels":{"app":"d"}},"template":{"spec":{
      "containers":[{"name":"main","args":["a","b"],"image":"m:1",
                     "ports":[{"containerPort":80,"protocol":"TCP"}]}],
      "nodeSelector":{"disk":"ssd"},"volumes":[{"name":"v","emptyDir":{}}]}}}})")
                                   .value();
  EXPECT_EQ(extract_applied(object(), "me").value(), expected) << extracted_text("me");
  EXPECT_EQ(extracted_text("me", "status"),
            R"({"status":{"replicas":3},"apiVersion":"apps/v1","kind":"Deployment",)"
            R"("metadata":{"name":"d","namespace":"web"}})")
      << "what is applied to a subresource is another entry";
  EXPECT_THAT(extracted_text("they"), HasSubstr(R"("containers":[{"image":"s:1","name":"side"}])"));
}

TEST(Extract, TypedObjectsGoThroughTheNextApply) {
  const auto read = meta::from_value<apps::v1::Deployment>(object());
  ASSERT_TRUE(read) << read.error().to_string();
  auto mine = extract(*read, "me");
  ASSERT_TRUE(mine) << mine.error().to_string();
  EXPECT_TRUE(mine->metadata.managed_fields.empty());
  EXPECT_EQ(mine->spec.replicas, 0);
  EXPECT_FALSE(mine->spec.paused);
  ASSERT_EQ(mine->spec.template_.spec.containers.size(), 1U);
  mine->spec.replicas = 4;
  const json::Value document = apply_document(*mine).value();
  EXPECT_EQ(document.int_at({"spec", "replicas"}), 4);
  EXPECT_EQ(document.at_path({"status"}), nullptr);
  EXPECT_EQ(document.at_path({"spec", "strategy"}), nullptr);
  EXPECT_EQ(
      json::dump(mine->zeros),
      R"({"spec":{"replicas":0,"template":{"spec":{"volumes":[{"emptyDir":{},"name":"v"}]}}}})");
  const Unstructured untyped = extract(Unstructured(object()), "me").value();
  EXPECT_EQ(untyped.name(), "d");
}

TEST(Extract, AMapThatOthersFillIsOwnedWithoutItsContent) {
  json::Value shared = json::parse(R"({"metadata":{"name":"d","annotations":{"a":"1"},
    "managedFields":[
      {"manager":"me","operation":"Apply","fieldsV1":{"f:metadata":{"f:annotations":{}}}},
      {"manager":"they","operation":"Update","fieldsV1":{"f:metadata":{"f:annotations":{
        ".":{},"f:a":{}}}}}]}})")
                           .value();
  EXPECT_EQ(json::dump(extract_applied(shared, "me").value()),
            R"({"metadata":{"annotations":{},"name":"d"}})");
}

TEST(Extract, AnOwnedZeroStaysOwnedInTheNextApply) {
  const auto read = meta::from_json<apps::v1::Deployment>(R"({
    "apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","annotations":{"a":"1"},
      "managedFields":[
        {"manager":"me","operation":"Apply","fieldsV1":{
          "f:metadata":{"f:annotations":{}},
          "f:spec":{"f:paused":{},"f:minReadySeconds":{},"f:template":{"f:spec":{
            "f:containers":{"k:{\"name\":\"b\"}":{".":{},"f:name":{},"f:stdin":{},
              "f:ports":{"k:{\"containerPort\":53,\"protocol\":\"UDP\"}":{
                ".":{},"f:containerPort":{},"f:protocol":{},"f:hostPort":{}}}}},
            "f:tolerations":{}}}},
          "f:status":{"f:readyReplicas":{},"f:conditions":{}}}},
        {"manager":"they","operation":"Update","fieldsV1":{
          "f:metadata":{"f:annotations":{".":{},"f:a":{}}}}}]},
    "spec":{"minReadySeconds":5,"template":{"spec":{
      "tolerations":[{"key":"x"},{"operator":"Exists"}],
      "containers":[{"name":"a"},{"name":"b","ports":[
        {"containerPort":53,"protocol":"TCP"},{"containerPort":53,"protocol":"UDP"}]}]}}}})");
  ASSERT_TRUE(read) << read.error().to_string();
  const auto mine = extract(*read, "me");
  ASSERT_TRUE(mine) << mine.error().to_string();
  EXPECT_EQ(json::dump(apply_document(*mine).value()),
            R"({"kind":"Deployment","apiVersion":"apps/v1",)"
            R"("metadata":{"name":"d","annotations":{}},)"
            R"("spec":{"template":{"spec":{"containers":[{"name":"b",)"
            R"("ports":[{"containerPort":53,"protocol":"UDP","hostPort":0}],"stdin":false}],)"
            R"("tolerations":[{"key":"x"},{"operator":"Exists"}]}},)"
            R"("minReadySeconds":5,"paused":false},"status":{"readyReplicas":0,"conditions":[]}})")
      << "servers omit false and 0, which are owned nevertheless";
  EXPECT_TRUE(extract(*read, "nobody").value().zeros.is_null());
}

TEST(Extract, ZerosOfWhatIsOwnedAsAWholeKeepTheirPlace) {
  const json::Value object = json::parse(R"({"list":[{"a":1},{"a":0,"b":{"c":""}}],"map":{"x":1},
    "metadata":{"managedFields":[{"manager":"me","operation":"Apply","fieldsV1":{
      "f:list":{},"f:map":{},"f:gone":{"f:part":{}}}}]}})")
                                 .value();
  EXPECT_EQ(json::dump(extract_zeros(object, "me").value()),
            R"({"list":[{},{"a":0,"b":{"c":""}}]})");
}

TEST(Extract, WhatIsNotAFieldSetIsAnError) {
  for (const char* set : {R"({"spec":{}})", R"({"f:list":{"k:{":{}}})", R"({"f:list":{"i:x":{}}})",
                          R"({"f:list":{"x":{}}})", R"({"f:list":{"f:a":{}}})",
                          R"({"f:list":{"k:7":{}}})", R"({"f:list":7})"}) {
    const std::string text = R"({"list":[1],"metadata":{"managedFields":[{"manager":"me",)"
                             R"("operation":"Apply","fieldsV1":)" +
                             std::string(set) + "}]}}";
    const auto document = extract_applied(json::parse(text).value(), "me");
    ASSERT_FALSE(document) << set;
    EXPECT_EQ(document.error().code(), ErrorCode::Decode);
    EXPECT_THAT(document.error().message(), StartsWith("metadata.managedFields: expected a field"));
  }
}

TEST(ApplyConfiguration, APPLY_01_KindAndNamesAreThereAndNothingThatIsNotSet) {
  core::v1::Pod pod;
  pod.metadata.name = "a";
  pod.metadata.namespace_ = "web";
  EXPECT_EQ(json::dump(apply_document(pod).value()),
            R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"web"}})");
}

}  // namespace
}  // namespace kube
