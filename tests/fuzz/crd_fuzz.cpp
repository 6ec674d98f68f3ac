// SPDX-License-Identifier: Apache-2.0
//
// A document of types, behind a line of "====" an object: CustomResourceDefinitions or an OpenAPI
// document are an error, or types by which any object can be read.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <kube/codec/codec.hpp>
#include <kube/codec/field_view.hpp>
#include <kube/codec/json_check.hpp>
#include <kube/json/text.hpp>
#include <kube/json/yaml.hpp>
#include <kube/schema/documents.hpp>
#include <kube/validation/runtime_schema.hpp>
#include <kube/validation/schema_validator.hpp>

namespace {

using namespace kube::meta;

void expect(bool holds, int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "line %d: does not hold\n", line);
  std::abort();
}

void read_by(const RuntimeSchema& schema, std::string_view text) {
  const auto object = kube::json::parse(text);
  // A number that no Value holds may stand where nobody reads it.
  const bool is_json = object || !kube::json::find_syntax_error(text);
  for (const TypeDescriptor* kind : schema.kinds()) {
    expect(schema.find({std::string(kind->group), std::string(kind->version),
                        std::string(kind->kind)}) == kind);
    expect(schema.field_facts(*kind).size() <= kind->fields.size());
    (void)schema.unchecked(*kind);
    for (const FieldDescriptor& field : kind->fields)
      (void)FieldLocator::compile(*kind, "." + std::string(field.json));
    std::vector<std::string> problems;
    const auto fits = check_json(text, *kind, {.strict = true, .problems = &problems});
    const auto checked = schema.check(text, *kind, {.strict = true});
    expect(is_json || (!fits && !checked));
    if (!object) continue;
    const FieldErrors errors = schema.validate(*kind, *object);
    for (const FieldError& error : errors) expect(!error.to_string().empty());
    expect(checked.has_value() == (fits.has_value() && problems.empty() && errors.empty()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view kLine = "\n====\n";
  const std::size_t end = std::min(input.find(kLine), size);
  const std::string_view document = input.substr(0, end);
  const std::string_view object = end == size ? "{}" : input.substr(end + kLine.size());

  const auto value = kube::yaml::parse(document);
  const bool is_openapi = value && value->at_path({"components"}) != nullptr;
  if (!is_openapi) {
    std::vector<kube::schema::Package> packages;
    const auto read = kube::schema::read_crds(document, "definitions", packages);
    // Nothing of what is wrong in part.
    expect(read ? !packages.empty() : packages.empty());
    if (const auto schema = RuntimeSchema::from_crds(document)) {
      expect(read.has_value());
      read_by(*schema, object);
    }
    return 0;
  }
  (void)kube::schema::read_openapi(*value, "document", [](const std::string& reference) {
    return reference.starts_with("core.");
  });
  if (const auto schema = RuntimeSchema::from_openapi(*value)) read_by(*schema, object);
  // As one schema, whose parts may refer to each other.
  if (const auto validator = SchemaValidator::create(
          *value, {.components = value->at_path({"components", "schemas"})})) {
    if (const auto other = kube::json::parse(object)) (void)validator->validate(*other);
  }
  return 0;
}
