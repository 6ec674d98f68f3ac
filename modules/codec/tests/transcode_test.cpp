// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/transcode.hpp>

#include <gtest/gtest.h>

#include <kube/codec/normalize.hpp>
#include <kube/meta/object_meta.hpp>

namespace kube::meta {
namespace {

const TypeDescriptor& type() {
  return ObjectMeta::descriptor();
}

TEST(Transcode, TakesAnObjectFromOneEncodingToTheOtherAndBack) {
  constexpr std::string_view json = R"({"name":"a","labels":{"b":"c"}})";
  const auto message = json_to_message(type(), json);
  ASSERT_TRUE(message);
  const auto back = message_to_json(type(), *message);
  ASSERT_TRUE(back);
  const auto value = json::parse(*back);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->string_at({"labels", "b"}), "c");
  EXPECT_EQ(json_to_message(type(), "{").error().code(), ErrorCode::Decode);
  EXPECT_EQ(message_to_json(type(), "\xff").error().code(), ErrorCode::Decode);
}

TEST(Transcode, ObjectsEndWithTheirLastHolder) {
  auto object = make_object(type());
  static_cast<ObjectMeta*>(object.get())->name = std::string(100, 'x');  // the leak checker looks
  const auto second = object;
  object.reset();
  EXPECT_EQ(static_cast<const ObjectMeta*>(second.get())->name.size(), 100U);
}

TEST(Normalize, ADocumentHasTheFormInWhichItsTypeWritesIt) {
  json::Value metadata = *json::parse(R"({"name":"a","namespace":"","odd":1,"labels":{}})");
  const auto unknown = normalize_to_type(type(), metadata, "metadata");
  ASSERT_TRUE(unknown);
  EXPECT_EQ(*unknown, std::vector<std::string>{"metadata.odd"});
  EXPECT_FALSE(metadata.if_object()->contains("namespace"));
  EXPECT_FALSE(metadata.if_object()->contains("labels"));
  metadata = json::Object{{"name", 1}};
  EXPECT_EQ(normalize_to_type(type(), metadata, "metadata").error().message(),
            "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string");
}

TEST(Normalize, EmptyListsAndMapsAreTold) {
  json::Value metadata = *json::parse(R"({"labels":{},"finalizers":[],"annotations":{"a":"b"}})");
  std::vector<std::string> emptied;
  ASSERT_TRUE(normalize_to_type(type(), metadata, "metadata", &emptied));
  EXPECT_EQ(emptied, (std::vector<std::string>{"metadata.labels", "metadata.finalizers"}));
}

TEST(Normalize, ValuesHaveTheFormInWhichTheTypeWritesThem) {
  json::Value metadata = *json::parse(R"({
    "creationTimestamp": "2020-01-02T03:04:05.678+02:00", "finalizers": [null],
    "deletionTimestamp": "0001-01-01T00:00:00Z", "ownerReferences": [null], "labels": {"a": null}})");
  ASSERT_TRUE(normalize_to_type(type(), metadata));
  EXPECT_EQ(metadata.string_at({"creationTimestamp"}), "2020-01-02T01:04:05Z");
  EXPECT_EQ(metadata.at_path({"deletionTimestamp"}), nullptr) << "the zero time is none";
  EXPECT_EQ(metadata.array_at({"finalizers"}), json::Array{""});
  EXPECT_EQ(json::dump(*metadata.at_path({"ownerReferences"})),
            R"([{"apiVersion":"","kind":"","name":"","uid":""}])");
  EXPECT_EQ(metadata.string_at({"labels", "a"}), "");
}

// As kube-apiserver 1.37.1 answers.
TEST(Normalize, ErrorsHaveTheWordsOfGosReader) {
  const auto problem = [](std::string_view text) {
    json::Value metadata = *json::parse(text);
    return normalize_to_type(type(), metadata).error().message();
  };
  const std::string cannot = "json: cannot unmarshal ";
  EXPECT_EQ(problem("5"), cannot + "number into Go value of type v1.ObjectMeta");
  EXPECT_EQ(problem(R"({"labels":{"a":5}})"),
            cannot + "number into Go struct field ObjectMeta.labels of type string");
  EXPECT_EQ(problem(R"({"labels":[]})"),
            cannot + "array into Go struct field ObjectMeta.labels of type map[string]string");
  EXPECT_EQ(problem(R"({"generation":1.5})"),
            cannot + "number 1.5 into Go struct field ObjectMeta.generation of type int64");
  EXPECT_EQ(problem(R"({"generation":"1"})"),
            cannot + "string into Go struct field ObjectMeta.generation of type int64");
  EXPECT_EQ(problem(R"({"ownerReferences":{}})"),
            cannot +
                "object into Go struct field ObjectMeta.ownerReferences of type "
                "[]v1.OwnerReference");
  EXPECT_EQ(problem(R"({"ownerReferences":[{"controller":"x"}]})"),
            cannot +
                "string into Go struct field OwnerReference.ownerReferences.controller of "
                "type bool");
  EXPECT_EQ(problem(R"({"uid":5})"),
            cannot + "number into Go struct field ObjectMeta.uid of type types.UID");
  EXPECT_EQ(problem(R"({"creationTimestamp":5})"),
            cannot + "number into Go struct field ObjectMeta.creationTimestamp of type string");
  EXPECT_EQ(problem(R"({"creationTimestamp":"x"})"),
            R"(parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006")");
}

TEST(Normalize, WhatATypeRefusesComesBeforeValuesOfAWrongType) {
  const auto problem = [](std::string_view text) {
    json::Value metadata = *json::parse(text);
    return normalize_to_type(type(), metadata).error().message();
  };
  EXPECT_EQ(problem(R"({"name":1,"uid":2,"labels":{"a":"b"}})"),
            "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string")
      << "the first of them";
  EXPECT_EQ(problem(R"({"name":1,"creationTimestamp":"x","deletionTimestamp":"y"})"),
            R"(parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006")");
  EXPECT_EQ(problem(R"({"ownerReferences":[1,{"uid":2}],"creationTimestamp":5})"),
            "json: cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of "
            "type string");
}

}  // namespace
}  // namespace kube::meta
