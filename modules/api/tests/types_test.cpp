// SPDX-License-Identifier: Apache-2.0
#include <kube/api/types.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include <kube/api/admission/v1/admission_review.hpp>
#include <kube/api/apiextensions/v1/custom_resource_definition.hpp>
#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/core/v1/constants.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/api/policy/v1/eviction.hpp>
#include <kube/api/resource/v1/device_class.hpp>
#include <kube/api/resource/v1/resource_slice.hpp>
#include <kube/codec/codec.hpp>

namespace kube::api {
namespace {

TEST(FindType, FindsGeneratedKindsByName) {
  EXPECT_EQ(find_type({"", "v1", "Pod"}), &core::v1::Pod::descriptor());
  EXPECT_EQ(find_type({"apps", "v1", "Deployment"}), &apps::v1::Deployment::descriptor());
  EXPECT_EQ(find_type({"", "v1", "PodSpec"}), nullptr);
  EXPECT_EQ(find_type({"apps", "v1", "Pod"}), nullptr);
}

TEST(FindType, FindsThemByTheFieldsOfAnObject) {
  EXPECT_EQ(find_type("v1", "Pod"), &core::v1::Pod::descriptor());
  EXPECT_EQ(find_type("apps/v1", "Deployment"), &apps::v1::Deployment::descriptor());
  EXPECT_EQ(find_type("apps/v1/x", "Deployment"), nullptr);
  EXPECT_EQ(find_type("", ""), nullptr);
}

TEST(AllTypes, AreSortedKindsOfAllGroupVersions) {
  std::set<std::string> group_versions;
  auto before = std::tuple<std::string_view, std::string_view, std::string_view>();
  for (const meta::TypeDescriptor* type : all_types()) {
    const auto name = std::tuple(type->group, type->version, type->kind);
    EXPECT_LT(before, name);
    before = name;
    group_versions.insert(std::string(type->group) + "/" + std::string(type->version));
  }
  EXPECT_EQ(group_versions.size(), 66U);
}

// The schema of a custom resource in all its forms.
TEST(CustomResourceDefinition, KeepsTheFormsOfSchemas) {
  using apiextensions::v1::CustomResourceDefinition;
  using apiextensions::v1::JSONSchemaProps;
  const auto read = [](std::string_view text) {
    return meta::from_json<CustomResourceDefinition>(
        R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{},)"
        R"("spec":{"group":"","names":{"plural":"","kind":""},"scope":"","versions":[{"name":"v1","served":true,)"
        R"("storage":true,"schema":{"openAPIV3Schema":)" +
        std::string(text) + "}}]}}");
  };
  for (const std::string_view schema :
       {R"({"items":{"type":"string"}})", R"({"items":[{"type":"string"},{"not":{}}]})",
        R"({"additionalProperties":true})", R"({"additionalProperties":false})",
        R"({"additionalProperties":{"type":"integer"}})",
        R"({"dependencies":{"a":["b","c"],"d":{"type":"object"}}})",
        R"({"default":{"z":[1,null],"a":2}})", R"({"enum":["a",1,null,{"b":1.50}]})",
        R"({"maximum":1.5,"maxProperties":2,"minProperties":1})"}) {
    const auto object = read(schema);
    ASSERT_TRUE(object) << object.error().to_string();
    const JSONSchemaProps& props = *object->spec.versions[0].schema->open_apiv3_schema;
    std::string written;
    meta::write_json(&props, JSONSchemaProps::descriptor(), written);
    EXPECT_EQ(written, schema);
    EXPECT_EQ(CustomResourceDefinition(*object), *object);
  }
  EXPECT_TRUE(read(R"({"additionalProperties":{}})")
                  .value()
                  .spec.versions[0]
                  .schema->open_apiv3_schema->additional_properties->allows);
  const auto wrong = read(R"({"properties":{"a":{"additionalProperties":"yes"}}})");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().to_string().find(
                "schema.openAPIV3Schema.properties[a].additionalProperties: expected a boolean or "
                "an object, found a string"),
            std::string::npos)
      << wrong.error().to_string();
  EXPECT_FALSE(read(R"({"items":1})"));
}

TEST(AdmissionReview, HoldsTypesThatAreWrittenByHand) {
  admission::v1::AdmissionReview review;
  review.request.ensure().kind = {.group = "apps", .version = "v1", .kind = "Deployment"};
  const std::string text = meta::to_json(review);
  EXPECT_NE(text.find(R"("kind":{"group":"apps","version":"v1","kind":"Deployment"})"),
            std::string::npos)
      << text;
  EXPECT_EQ(*meta::from_json<admission::v1::AdmissionReview>(text), review);
}

TEST(Eviction, CarriesDeleteOptions) {
  policy::v1::Eviction eviction{.metadata = {.name = "web-0"}};
  eviction.delete_options.ensure().grace_period_seconds = 0;
  EXPECT_EQ(meta::to_json(eviction),
            R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"web-0"},)"
            R"("deleteOptions":{"gracePeriodSeconds":0}})");
}

TEST(DeviceAttribute, HoldsAListOfBooleans) {
  const resource::v1::DeviceAttribute attribute{.bools = {true, false, true}};
  std::string text;
  meta::write_json(&attribute, resource::v1::DeviceAttribute::descriptor(), text);
  EXPECT_EQ(text, R"({"bools":[true,false,true]})");
}

TEST(Constants, OfNumbersAreNumbers) {
  static_assert(core::v1::SecretVolumeSourceDefaultMode == 0644);
  static_assert(core::v1::DefaultTerminationGracePeriodSeconds == 30);
  core::v1::SecretVolumeSource source{.default_mode = core::v1::SecretVolumeSourceDefaultMode};
  EXPECT_EQ(source.default_mode, 420);
}

}  // namespace
}  // namespace kube::api
