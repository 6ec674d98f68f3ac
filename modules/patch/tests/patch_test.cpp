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
