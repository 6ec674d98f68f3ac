// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/converter.hpp>

#include <gtest/gtest.h>

#include <kube/api/example/v1.hpp>
#include <kube/meta/label_selector_type.hpp>
#include <kube/meta/object_meta.hpp>
#include <kube/meta/partial_object_metadata.hpp>
#include <kube/names/label_selector.hpp>

namespace kube::meta {
namespace {

PartialObjectMetadata sample() {
  PartialObjectMetadata object;
  object.metadata.name = "web";
  object.metadata.labels = {{"app", "web"}};
  object.metadata.finalizers = {"x/a", "x/b"};
  object.metadata.owner_references = {
      {.api_version = "v1", .kind = "Node", .name = "n", .uid = "1"}};
  object.metadata.creation_timestamp = Time(1'000, 0);
  return object;
}

TEST(Converter, TypedToUnstructuredUsesJsonNames) {
  const Unstructured object = to_unstructured(sample());
  EXPECT_EQ(object.kind(), "PartialObjectMetadata");
  EXPECT_EQ(object.name(), "web");
  EXPECT_EQ(object.creation_timestamp(), "1970-01-01T00:16:40Z");
  EXPECT_EQ(object.content.at_path({"metadata", "resourceVersion"}), nullptr)
      << "omitted when empty";
  EXPECT_EQ(object.owner_references().front().at_path({"apiVersion"})->string_or_empty(), "v1");
}

TEST(Converter, UnstructuredToTypedAndBack) {
  const PartialObjectMetadata typed = sample();
  EXPECT_EQ(from_unstructured<PartialObjectMetadata>(to_unstructured(typed)).value(), typed);
  Unstructured object = to_unstructured(typed);
  object.content.ensure_path({"metadata", "generation"}) = 3.0;
  object.content.ensure_path({"metadata", "unknown"}) = 1;
  EXPECT_EQ(from_unstructured<PartialObjectMetadata>(object).value().metadata.generation, 3);
  object.content.ensure_path({"metadata", "name"}) = 7;
  const auto wrong = from_unstructured<PartialObjectMetadata>(object);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code(), ErrorCode::Decode);
}

TEST(Converter, UNS_12_NumbersOfEitherFormAndUnknownFields) {
  using example::v1::Everything;
  const auto read = [](const char* text, const ReadOptions& options = {}) {
    return from_value<Everything>(json::parse(text).value(), options);
  };
  json::Value value = json::parse(R"({"plain":{"double":3}})").value();
  value.ensure_path({"plain", "int64"}) = 4.0;
  value.ensure_path({"plain", "int32"}) = 5.0;
  const auto numbers = from_value<Everything>(value);
  ASSERT_TRUE(numbers) << numbers.error().to_string();
  EXPECT_EQ(numbers->plain.double_, 3.0);
  EXPECT_EQ(numbers->plain.int64, 4);
  EXPECT_EQ(numbers->plain.int32, 5);
  EXPECT_FALSE(read(R"({"plain":{"int64":4.5}})"));

  EXPECT_TRUE(read(R"({"unknown":1,"plain":{"int64":1}})"));
  const auto strict =
      read(R"({"unknown":1,"lists":{"messages":[{"name":"a","other":2}]}})", {.strict = true});
  ASSERT_FALSE(strict);
  const std::string& problems = strict.error().message();
  EXPECT_NE(problems.find("unknown field \"unknown\""), std::string::npos) << problems;
  EXPECT_NE(problems.find("unknown field \"lists.messages[0].other\""), std::string::npos)
      << problems;

  for (const char* text :
       {R"({"plain":{"int64":"4"}})", R"({"plain":{"string":4}})", R"({"plain":{"bool":"true"}})",
        R"({"lists":[]})", R"({"lists":{"strings":{}}})", R"([])"}) {
    EXPECT_FALSE(read(text)) << text;
  }
}

TEST(WireLabelSelector, SEL_18_TheGeneratedTypeConverts) {
  const LabelSelector selector{
      .match_labels = {{"foo", "bar"}},
      .match_expressions = {{.key = "baz", .operator_ = "In", .values = {"qux", "norf"}}}};
  EXPECT_EQ(labels::from_label_selector(selector).value().to_string(), "baz in (norf,qux),foo=bar");
  EXPECT_EQ(labels::from_label_selector(LabelSelector{}).value(), labels::Selector());
}

}  // namespace
}  // namespace kube::meta
