// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/owner_references.hpp>

#include <gtest/gtest.h>

#include <kube/meta/object_meta.hpp>
#include <kube/meta/partial_object_metadata.hpp>

namespace kube {
namespace {

Unstructured parse(std::string_view text) {
  return Unstructured(json::parse(text).value());
}

struct Typed {
  meta::ObjectMeta metadata;
};

TEST(OwnerReferences, LIST_06_TheFirstControllerIsTheController) {
  Typed object;
  object.metadata.owner_references = {{.name = "a", .uid = "1"},
                                      {.name = "b", .uid = "2", .controller = false},
                                      {.name = "c", .uid = "3", .controller = true},
                                      {.name = "d", .uid = "4", .controller = true}};
  ASSERT_TRUE(get_controller_of(object));
  EXPECT_EQ(get_controller_of(object).value().name, "c");
  EXPECT_TRUE(is_controlled_by(object, "3"));
  EXPECT_FALSE(is_controlled_by(object, "4"));
  EXPECT_FALSE(is_controlled_by(Typed{}, ""));
}

TEST(OwnerReferences, LIST_06_TheSameOnUnstructured) {
  const Unstructured object = parse(R"({"metadata":{"ownerReferences":[
      {"uid":"1","name":"a"},{"uid":"2","name":"b","controller":false},7,{"uid":8,"controller":true},
      {"uid":"3","name":"c","controller":true},{"uid":"4","name":"d","controller":true}]}})");
  ASSERT_TRUE(get_controller_of(object));
  EXPECT_EQ(get_controller_of(object).value().name, "c");
  EXPECT_TRUE(is_controlled_by(object, "3"));
  EXPECT_FALSE(is_controlled_by(object, "4"));
  EXPECT_EQ(get_controller_of(parse(R"({"metadata":{"ownerReferences":[{"uid":"1"}]}})")),
            std::nullopt);
  EXPECT_FALSE(is_controlled_by(parse("{}"), ""));
}

TEST(OwnerReferences, LIST_06_ANewReferenceControlsAndBlocks) {
  const meta::OwnerReference want{.api_version = "apps/v1",
                                  .kind = "ReplicaSet",
                                  .name = "web",
                                  .uid = "u",
                                  .controller = true,
                                  .block_owner_deletion = true};
  const Unstructured owner = parse(R"({"metadata":{"name":"web","uid":"u"}})");
  EXPECT_EQ(new_controller_ref(owner, {"apps", "v1", "ReplicaSet"}), want);

  meta::PartialObjectMetadata typed;
  typed.metadata.name = "web";
  typed.metadata.uid = "u";
  const meta::OwnerReference reference = new_controller_ref(typed);
  EXPECT_EQ(reference.api_version, "meta.k8s.io/v1");
  EXPECT_EQ(reference.kind, "PartialObjectMetadata");
  EXPECT_EQ(reference.uid, "u");
  EXPECT_EQ(reference.controller, true);
}

}  // namespace
}  // namespace kube
