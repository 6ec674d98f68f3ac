// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/owner_references.hpp>

#include <gtest/gtest.h>

namespace kube {
namespace {

Unstructured parse(std::string_view text) {
  return Unstructured(json::parse(text).value());
}

// What kube-gen makes, as far as the functions look at it.
struct Reference {
  std::string uid;
  std::optional<bool> controller;
};
struct Typed {
  struct {
    std::vector<Reference> owner_references;
  } metadata;
};

TEST(OwnerReferences, LIST_06_TheFirstControllerIsTheController) {
  const Unstructured object = parse(R"({"metadata":{"ownerReferences":[
      {"uid":"1","name":"a"},{"uid":"2","name":"b","controller":false},
      {"uid":"3","name":"c","controller":true},{"uid":"4","name":"d","controller":true}]}})");
  ASSERT_TRUE(get_controller_of(object));
  EXPECT_EQ(get_controller_of(object)->at_path({"name"})->string_or_empty(), "c");
  EXPECT_TRUE(is_controlled_by(object, "3"));
  EXPECT_FALSE(is_controlled_by(object, "4"));
  EXPECT_EQ(get_controller_of(parse(R"({"metadata":{"ownerReferences":[{"uid":"1"},7]}})")),
            std::nullopt);
  EXPECT_FALSE(is_controlled_by(parse("{}"), ""));
  EXPECT_FALSE(
      is_controlled_by(parse(R"({"metadata":{"ownerReferences":[{"controller":true}]}})"), ""));

  const Typed typed{{{{"1", std::nullopt}, {"2", true}}}};
  EXPECT_EQ(get_controller_of(typed)->uid, "2");
  EXPECT_TRUE(is_controlled_by(typed, "2"));
  EXPECT_FALSE(is_controlled_by(typed, "1"));
}

TEST(OwnerReferences, LIST_06_ANewReferenceControlsAndBlocks) {
  const Unstructured owner = parse(R"({"metadata":{"name":"web","uid":"u"}})");
  EXPECT_EQ(
      json::dump(new_controller_ref(owner, {"apps", "v1", "ReplicaSet"})),
      R"({"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"u","controller":true,"blockOwnerDeletion":true})");
}

}  // namespace
}  // namespace kube
