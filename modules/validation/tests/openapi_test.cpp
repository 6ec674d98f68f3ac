// SPDX-License-Identifier: Apache-2.0
#include <kube/validation/openapi.hpp>

#include <gtest/gtest.h>

#include <kube/meta/object_meta.hpp>

namespace kube::meta {
namespace {

TEST(OpenApi, ASchemaNamesEachFieldAndWhatItHolds) {
  json::Object schemas;
  add_openapi_schemas(ObjectMeta::descriptor(), schemas);
  const json::Value& schema = *schemas.find(openapi_schema_name(ObjectMeta::descriptor()));
  EXPECT_EQ(schema.string_at({"properties", "generation", "format"}), "int64");
  EXPECT_EQ(schema.string_at({"properties", "ownerReferences", "x-kubernetes-patch-merge-key"}),
            "uid");
  const json::Value document = make_openapi_v2(schemas);
  EXPECT_EQ(document.string_at({"swagger"}), "2.0");
  EXPECT_NE(openapi_v2_message(document).find("ownerReferences"), std::string::npos);
}

}  // namespace
}  // namespace kube::meta
