// SPDX-License-Identifier: Apache-2.0
#include <kube/patch/patch.hpp>

#include <gtest/gtest.h>

namespace kube {
namespace {

TEST(Patch, KnowsItsMediaType) {
  EXPECT_EQ(Patch::json(json::Array{}).content_type(), "application/json-patch+json");
  EXPECT_EQ(Patch::merge(json::Object{}).content_type(), "application/merge-patch+json");
  EXPECT_EQ(Patch::strategic_merge(json::Object{}).content_type(),
            "application/strategic-merge-patch+json");
  EXPECT_EQ(Patch::apply(json::Object{}).content_type(), "application/apply-patch+yaml");
  EXPECT_EQ(Patch::apply(json::Object{{"a", 1}}).document(), json::Value(json::Object{{"a", 1}}));
  EXPECT_EQ(Patch::apply(json::Object{}).type(), Patch::Type::Apply);
}

TEST(Patch, IsReadFromItsText) {
  const json::Value document = json::Object{{"a", json::Object{{"b", nullptr}}}};
  const std::string text = R"( {"a": {"b": null}} )";
  const auto expect = [](const Result<Patch>& read, const Patch& made) {
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(read->type(), made.type());
    EXPECT_EQ(read->document(), made.document());
  };
  expect(Patch::merge_text(text), Patch::merge(document));
  expect(Patch::strategic_merge_text(text), Patch::strategic_merge(document));
  expect(Patch::apply_text(text), Patch::apply(document));
  expect(Patch::json_text("[" + text + "]"), Patch::json(json::Array{document}));
}

TEST(Patch, IsNotReadFromAnotherType) {
  const auto message = [](const Result<Patch>& read) {
    EXPECT_EQ(read.error().code(), ErrorCode::Decode);
    return read.error().message();
  };
  EXPECT_EQ(message(Patch::merge_text(R"("{}")")), "expected an object, but found string");
  EXPECT_EQ(message(Patch::strategic_merge_text("[]")), "expected an object, but found array");
  EXPECT_EQ(message(Patch::apply_text("null")), "expected an object, but found null");
  EXPECT_EQ(message(Patch::json_text("{}")), "expected an array of operations, but found object");
  message(Patch::merge_text("{"));
}

TEST(PatchPrecondition, LooksAtOneKey) {
  const json::Value patch = json::parse(R"({"kind":"x","metadata":{"name":null}})").value();
  EXPECT_FALSE(meta::require_key_unchanged("kind")(patch));
  EXPECT_TRUE(meta::require_key_unchanged("apiVersion")(patch));
  EXPECT_FALSE(meta::require_metadata_key_unchanged("name")(patch));
  EXPECT_TRUE(meta::require_metadata_key_unchanged("namespace")(patch));
  EXPECT_TRUE(meta::require_metadata_key_unchanged("name")(json::Value(1)));
}

}  // namespace
}  // namespace kube
