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
            "metadata.name: expected a string, not number");
}

}  // namespace
}  // namespace kube::meta
