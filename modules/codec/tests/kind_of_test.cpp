// SPDX-License-Identifier: Apache-2.0
#include <kube/codec/kind_of.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/example/v1.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>

namespace kube::meta {
namespace {

using testing::HasSubstr;

const GroupVersionKind kDefault{"other", "blah", "Test"};

std::string kind_in(std::string_view bytes, const GroupVersionKind& defaults = {}) {
  const auto kind = kind_of(bytes, defaults);
  return kind ? kind->to_string() : kind.error().to_string();
}

TEST(KindOf, ReadsJsonAndEnvelopes) {
  EXPECT_EQ(kind_in(R"({"kind":"Pod","apiVersion":"v1"})"), "/v1, Kind=Pod");
  EXPECT_EQ(kind_in(R"({"spec":{"kind":"X"},"apiVersion":"apps/v1","\u006bind":"Deployment"})"),
            "apps/v1, Kind=Deployment");
  EXPECT_EQ(kind_in(to_protobuf(example::v1::Everything()).value()),
            "example.com/v1, Kind=Everything");
  EXPECT_THAT(kind_in(R"({"kind":5})"),
              HasSubstr("couldn't get version/kind: kind: expected a string at offset 8"));
  EXPECT_THAT(kind_in(R"({"kind":"A","apiVersion":"a/b/c"})"),
              HasSubstr("unexpected GroupVersion string: a/b/c"));
  EXPECT_THAT(kind_in("[]"), HasSubstr("couldn't get version/kind: expected an object"));
  EXPECT_THAT(kind_in(R"({"kind":"A")"), HasSubstr("unexpected end of JSON input"));
  EXPECT_THAT(kind_in("k8s"), HasSubstr("json: offset 0: invalid character 'k'"));
}

TEST(KindOf, CODEC_08_SaysWhatIsMissing) {
  EXPECT_EQ(kind_in("{}"), "Object 'Kind' is missing in an object of 2 bytes");
  EXPECT_EQ(kind_in(R"({"apiVersion":"v1","data":{"password":"hunter2"}})"),
            "Object 'Kind' is missing in an object of 49 bytes");
  EXPECT_EQ(kind_in(R"({"kind":"Test"})"),
            "Object 'apiVersion' is missing in an object of 15 bytes");
  EXPECT_EQ(kind_in(R"({"kind":null,"apiVersion":"v1"})"),
            "Object 'Kind' is missing in an object of 31 bytes");
}

TEST(KindOf, CODEC_09_DefaultsFillGapsOfTheSameGroup) {
  EXPECT_EQ(kind_in("{}", kDefault), "other/blah, Kind=Test");
  EXPECT_EQ(kind_in(R"({"kind":"Mine"})", kDefault), "other/blah, Kind=Mine");
  EXPECT_EQ(kind_in(R"({"apiVersion":"blah"})", kDefault), "/blah, Kind=Test");
  EXPECT_EQ(kind_in(R"({"apiVersion":"other/"})", kDefault), "other/blah, Kind=Test");
  EXPECT_EQ(kind_in(R"({"apiVersion":"third/v2","kind":"Mine"})", kDefault), "third/v2, Kind=Mine");
  EXPECT_EQ(kind_in(R"({"apiVersion":"third/","kind":"Mine"})", kDefault),
            "Object 'apiVersion' is missing in an object of 37 bytes");
}

TEST(ReadUndecoded, CODEC_11_KeepsTheBytesAndSaysWhatTheyAre) {
  const std::string text = R"( {"kind":"Test","x":[1, 2]} )";
  auto object = read_undecoded(text, kDefault);
  ASSERT_TRUE(object) << object.error().to_string();
  EXPECT_EQ(object->raw, text);
  EXPECT_EQ(object->content_type, "application/json");
  EXPECT_EQ(object->kind, (GroupVersionKind{"other", "blah", "Test"}));
  object = read_undecoded("{}");
  ASSERT_TRUE(object);
  EXPECT_EQ(object->kind, GroupVersionKind());

  example::v1::Second value;
  value.color = "Red";
  object = read_undecoded(to_protobuf(value).value());
  ASSERT_TRUE(object);
  EXPECT_EQ(object->content_type, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(object->kind.kind, "Second");
  example::v1::Second back;
  ASSERT_TRUE(read_protobuf(object->raw, example::v1::Second::descriptor(), &back));
  EXPECT_EQ(back, value);
  EXPECT_FALSE(read_undecoded("k8s"));
}

TEST(FromJson, CODEC_12_NeedsNoRegistryOfTypes) {
  // example.com/v1 is in no table of kinds.
  const auto value = from_json<example::v1::Second>(R"({"color":"Red"})");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->color, "Red");
  EXPECT_TRUE(from_json<example::v1::Tree>(R"({"label":"a"})"));
}

}  // namespace
}  // namespace kube::meta
