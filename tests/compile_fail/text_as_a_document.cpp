// SPDX-License-Identifier: Apache-2.0
//
// A json::Value is made of text, too, and is then a JSON string: functions that take a document, an
// object or a list, refuse text, so that JSON is read first.
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/client/api.hpp>
#include <kube/client/apply_manifest.hpp>
#include <kube/client/extract.hpp>
#include <kube/client/server_side_migration.hpp>
#include <kube/codec/converter.hpp>
#include <kube/codec/nested.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/fake/fake_watch.hpp>
#include <kube/json/json_path_template.hpp>
#include <kube/meta/accessor.hpp>
#include <kube/meta/errors.hpp>
#include <kube/names/label_selector.hpp>
#include <kube/patch/csa_upgrade.hpp>
#include <kube/patch/patch.hpp>
#include <kube/schema/documents.hpp>
#include <kube/validation/definition_validation.hpp>
#include <kube/validation/object_meta_validation.hpp>
#include <kube/validation/openapi.hpp>
#include <kube/validation/runtime_schema.hpp>
#include <kube/validation/schema_validator.hpp>
#include <kube/validation/structural_schema.hpp>

using kube::Api;
using kube::Patch;
using kube::Unstructured;
using kube::core::v1::ConfigMap;
using kube::json::Object;
using kube::json::Value;

const Value document();
std::string text();

void right(const Api<ConfigMap>& api, kube::fake::FakeWatch& watch) {
  const Unstructured object(document());
  const Unstructured made(Object{{"kind", "Pod"}});
  const kube::Result<Unstructured> read = kube::unstructured_from_json(text());
  const kube::Result<Patch> patch = Patch::merge_text(R"({"spec":{}})");
  (void)Patch::merge(Object{{"spec", nullptr}});
  (void)Patch::json(kube::json::Array{document()});
  (void)api.apply(document(), {.field_manager = "one"});
  (void)api.apply_text(text(), {.field_manager = "one"});
  (void)api.apply_status_text(text(), {.field_manager = "one"});
  (void)kube::nested_string(object.content, {"spec"});
  (void)kube::meta::apply_merge_patch(document(), nullptr);
  (void)kube::meta::create_three_way_json_merge_patch(nullptr, document(), document());
  watch.push("ADDED", object.content);
}

void wrong(const Api<ConfigMap>& api, const Api<Unstructured>& objects,
           kube::fake::FakeWatch& watch, const kube::meta::TypeDescriptor& type,
           std::string_view view) {
  const Unstructured object("{}");       // wrong: deleted Unstructured
  const Unstructured other{text()};      // wrong: deleted Unstructured
  (void)Patch::json("[]");               // wrong: deleted json
  (void)Patch::merge(R"({"spec":{}})");  // wrong: deleted merge
  (void)Patch::merge(text());            // wrong: deleted merge
  (void)Patch::merge(view);              // wrong: deleted merge
  (void)Patch::strategic_merge("{}");    // wrong: deleted strategic_merge
  (void)Patch::apply("{}");              // wrong: deleted apply
  const kube::ApplyOptions options{.field_manager = "one"};
  (void)api.apply("{}", options);                            // wrong: deleted apply
  (void)api.apply_status(text(), {.field_manager = "one"});  // wrong: deleted apply_status
  (void)objects.apply(view, options);                        // wrong: deleted apply

  using namespace kube;
  using namespace kube::meta;
  (void)apply_json_patch(document(), "[]");  // wrong: deleted apply_json_patch
  (void)apply_json_patch("{}", document());  // wrong: deleted apply_json_patch
  (void)apply_merge_patch("{}", "{}");       // wrong: deleted apply_merge_patch
  (void)apply_strategic_merge_patch("{}", document(),
                                    type);             // wrong: deleted apply_strategic_merge_patch
  (void)create_merge_patch(document(), text());        // wrong: deleted create_merge_patch
  (void)create_two_way_merge_patch("{}", "{}", type);  // wrong: deleted create_two_way_merge_patch
  (void)create_three_way_merge_patch(nullptr, "{}", "{}",
                                     type);  // wrong: deleted create_three_way_merge_patch
  (void)create_three_way_json_merge_patch(
      nullptr, "{}", "{}");                      // wrong: deleted create_three_way_json_merge_patch
  (void)find_field_owners("[]", "Apply", "{}");  // wrong: deleted find_field_owners
  (void)upgrade_managed_fields_patch("{}", {},
                                     "one");  // wrong: deleted upgrade_managed_fields_patch

  (void)from_value<ConfigMap>("{}");               // wrong: deleted from_value
  (void)nested_field("{}", {"spec"});              // wrong: deleted nested_field
  (void)nested_field_copy("{}", {"spec"});         // wrong: deleted nested_field_copy
  (void)nested_string("{}", {"spec"});             // wrong: deleted nested_string
  (void)nested_bool("{}", {"spec"});               // wrong: deleted nested_bool
  (void)nested_int64("{}", {"spec"});              // wrong: deleted nested_int64
  (void)nested_float64("{}", {"spec"});            // wrong: deleted nested_float64
  (void)nested_number_as_float64("{}", {"spec"});  // wrong: deleted nested_number_as_float64
  (void)nested_string_slice("{}", {"spec"});       // wrong: deleted nested_string_slice
  (void)nested_slice("{}", {"spec"});              // wrong: deleted nested_slice
  (void)nested_map("{}", {"spec"});                // wrong: deleted nested_map
  (void)nested_string_map("{}", {"spec"});         // wrong: deleted nested_string_map
  (void)nested_null_coercing_string_map(
      "{}", {"spec"});  // wrong: deleted nested_null_coercing_string_map
  (void)each_list_item(
      "{}", [](const Value&) { return Result<void>(); });  // wrong: deleted each_list_item
  (void)list_length("{}");                                 // wrong: deleted list_length
  (void)error_from_status("{}");                           // wrong: deleted error_from_status
  (void)error_from_object("{}");                           // wrong: deleted error_from_object
  (void)labels::from_label_selector("app=web");            // wrong: deleted from_label_selector
  (void)labels::label_selector_as_set("app=web");          // wrong: deleted label_selector_as_set
  (void)labels::format_label_selector("app=web");          // wrong: deleted format_label_selector

  std::vector<ManifestObject> manifest;
  std::vector<std::string> warnings;
  std::vector<schema::Package> packages;
  (void)extract_applied("{}", "one");                    // wrong: deleted extract_applied
  (void)extract_zeros("{}", "one");                      // wrong: deleted extract_zeros
  (void)add_manifest_objects("{}", "a.yaml", manifest);  // wrong: deleted add_manifest_objects
  (void)migrate_to_server_side(objects, "{}", object, {},
                               warnings);        // wrong: deleted migrate_to_server_side
  watch.push("ADDED", "{}");                     // wrong: deleted push
  (void)json::JsonPathTemplate().to_text("{}");  // wrong: deleted to_text

  (void)schema::read_crd("{}", "a.yaml", packages);    // wrong: deleted read_crd
  (void)schema::structural_errors("{}", FieldPath());  // wrong: deleted structural_errors
  (void)schema::read_openapi("{}", "a.json", {});      // wrong: deleted read_openapi
  (void)validate_definition("{}");                     // wrong: deleted validate_definition
  (void)validate_object_meta("{}", {});                // wrong: deleted validate_object_meta
  (void)validate_object_meta_update(document(),
                                    "{}");        // wrong: deleted validate_object_meta_update
  (void)validate_labels("{}", FieldPath());       // wrong: deleted validate_labels
  (void)validate_annotations("{}", FieldPath());  // wrong: deleted validate_annotations
  (void)openapi_v2_message("{}");                 // wrong: deleted openapi_v2_message
  (void)RuntimeSchema::from_crd("{}");            // wrong: deleted from_crd
  (void)RuntimeSchema::from_openapi("{}");        // wrong: deleted from_openapi
  (void)SchemaValidator::create("{}");            // wrong: deleted create
  (void)StructuralSchema::create("{}");           // wrong: deleted create
  (void)StructuralSchema::check("{}");            // wrong: deleted check
}

void check(const kube::meta::RuntimeSchema& schema, const kube::meta::StructuralSchema& structural,
           const kube::meta::TypeDescriptor& type) {
  (void)schema.validate(type, "{}");      // wrong: deleted validate
  (void)structural.validate("{}");        // wrong: deleted validate
  (void)structural.unknown_fields("{}");  // wrong: deleted unknown_fields
}
