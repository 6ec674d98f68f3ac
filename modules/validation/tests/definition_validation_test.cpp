// SPDX-License-Identifier: Apache-2.0
#include <kube/validation/definition_validation.hpp>

#include <gtest/gtest.h>

#include <string_view>

#include <kube/json/yaml.hpp>

namespace kube::meta {
namespace {

json::Value definition() {
  return *yaml::parse(R"(
metadata: {name: widgets.acme.io}
spec:
  group: acme.io
  scope: Namespaced
  conversion: {strategy: None}
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
)");
}

TEST(DefinitionValidation, AWholeDefinitionHasNoErrors) {
  EXPECT_EQ(to_string(validate_definition(definition())), "");
}

TEST(DefinitionValidation, ErrorsNameTheFieldAndTheRule) {
  json::Value wrong = definition();
  wrong.ensure_path({"spec", "names", "plural"}) = "Widgets";
  wrong.ensure_path({"spec", "scope"}) = "Everywhere";
  const std::string errors = to_string(validate_definition(wrong));
  EXPECT_NE(errors.find("metadata.name: Invalid value: \"widgets.acme.io\": must be "
                        "spec.names.plural+\".\"+spec.group"),
            std::string::npos)
      << errors;
  EXPECT_NE(errors.find("spec.scope: Unsupported value: \"Everywhere\""), std::string::npos);
  EXPECT_NE(errors.find("spec.names.plural: Invalid value: \"Widgets\""), std::string::npos);
}

TEST(DefinitionValidation, WhatObjectsAreStoredByMayNotChange) {
  json::Value before = definition();
  before.ensure_path({"status", "storedVersions"}) = json::Array{"v0", "v1"};
  json::Value after = definition();
  after.ensure_path({"spec", "scope"}) = "Cluster";
  const std::string errors = to_string(validate_definition(after, &before));
  EXPECT_NE(errors.find("spec.scope: Invalid value: \"Cluster\": field is immutable"),
            std::string::npos)
      << errors;
  EXPECT_NE(errors.find("status.storedVersions[0]: Invalid value: \"v0\""), std::string::npos);
}

}  // namespace
}  // namespace kube::meta
