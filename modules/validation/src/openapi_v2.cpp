// SPDX-License-Identifier: Apache-2.0
//
// Makes the Swagger 2.0 document of OpenAPI v3 schemas, as JSON and as protobuf.
#include <kube/validation/openapi.hpp>

#include <cstdint>
#include <string_view>
#include <utility>

#include <kube/codec/wire.hpp>

namespace kube::meta {
namespace {

constexpr std::string_view kV3Prefix = "#/components/schemas/";
constexpr std::string_view kExtension = "x-kubernetes-group-version-kind";

// Omits constraints that v2 can't express (a choice of types, unknown members beside known ones).
json::Value schema_v2(const json::Value& v3) {
  const json::Object* members = v3.if_object();
  if (members == nullptr) return json::Object{};
  json::Object out;
  const auto copy = [&](std::string_view name) {
    if (const json::Value* value = members->find(name)) out.set(name, *value);
  };
  const json::Array& all_of = v3.array_at({"allOf"});
  if (all_of.size() == 1) {
    const std::string_view reference = all_of.front().string_at({"$ref"});
    if (reference.starts_with(kV3Prefix)) {
      return json::Object{
          {"$ref", "#/definitions/" + std::string(reference.substr(kV3Prefix.size()))}};
    }
  }
  copy("description");
  copy(kExtension);
  copy("x-kubernetes-patch-strategy");
  copy("x-kubernetes-patch-merge-key");
  if (v3.true_at({"x-kubernetes-preserve-unknown-fields"}) ||
      v3.true_at({"x-kubernetes-int-or-string"})) {
    return out;
  }
  copy("format");
  if (v3.string_at({"format"}) == "int-or-string") {
    out.set("type", "string");
    return out;
  }
  copy("type");
  if (const json::Value* items = members->find("items")) out.set("items", schema_v2(*items));
  if (const json::Value* values = members->find("additionalProperties")) {
    if (values->is_object()) out.set("additionalProperties", schema_v2(*values));
  }
  if (const json::Value* properties = members->find("properties");
      properties != nullptr && properties->is_object()) {
    json::Object converted;
    for (const auto& [name, property] : *properties->if_object()) {
      converted.append(name, schema_v2(property));
    }
    out.set("properties", std::move(converted));
    copy("required");
  }
  return out;
}

/// Writes a name and a message, such as NamedSchema.
std::string named(std::string_view name, std::string_view value) {
  std::string out;
  wire::append_field(1, name, out);
  wire::append_field(2, value, out);
  return out;
}

std::string schema_message(const json::Value& schema);

std::string named_schemas(const json::Object& schemas) {
  std::string out;
  for (const auto& [name, schema] : schemas) {
    wire::append_field(1, named(name, schema_message(schema)), out);
  }
  return out;
}

std::string one(const std::string& value) {
  std::string out;
  wire::append_field(1, value, out);
  return out;
}

std::string schema_message(const json::Value& schema) {
  constexpr std::uint32_t kReference = 1;
  constexpr std::uint32_t kFormat = 2;
  constexpr std::uint32_t kDescription = 4;
  constexpr std::uint32_t kRequired = 19;
  constexpr std::uint32_t kAdditionalProperties = 21;
  constexpr std::uint32_t kType = 22;
  constexpr std::uint32_t kItems = 23;
  constexpr std::uint32_t kProperties = 25;
  constexpr std::uint32_t kVendorExtension = 31;
  constexpr std::uint32_t kYaml = 2;

  std::string out;
  for (const auto& [name, value] : *schema.if_object()) {
    if (name == "$ref") {
      wire::append_field(kReference, value.string_or_empty(), out);
    } else if (name == "format") {
      wire::append_field(kFormat, value.string_or_empty(), out);
    } else if (name == "description") {
      wire::append_field(kDescription, value.string_or_empty(), out);
    } else if (name == "required") {
      for (const json::Value& each : schema.array_at({"required"})) {
        wire::append_field(kRequired, each.string_or_empty(), out);
      }
    } else if (name == "additionalProperties") {
      wire::append_field(kAdditionalProperties, one(schema_message(value)), out);
    } else if (name == "type") {
      wire::append_field(kType, one(std::string(value.string_or_empty())), out);
    } else if (name == "items") {
      wire::append_field(kItems, one(schema_message(value)), out);
    } else if (name == "properties") {
      wire::append_field(kProperties, named_schemas(*value.if_object()), out);
    } else if (name.starts_with("x-")) {
      std::string any;
      wire::append_field(kYaml, json::dump(value), any);
      wire::append_field(kVendorExtension, named(name, any), out);
    }
  }
  return out;
}

}  // namespace

json::Value make_openapi_v2(const json::Object& schemas) {
  json::Object definitions;
  for (const auto& [name, schema] : schemas) definitions.append(name, schema_v2(schema));
  return json::Object{{"swagger", "2.0"},
                      {"info", json::Object{{"title", "Kubernetes"}, {"version", "unversioned"}}},
                      {"paths", json::Object{}},
                      {"definitions", std::move(definitions)}};
}

std::string openapi_v2_message(const json::Value& document) {
  constexpr std::uint32_t kSwagger = 1;
  constexpr std::uint32_t kInfo = 2;
  constexpr std::uint32_t kPaths = 8;
  constexpr std::uint32_t kDefinitions = 9;
  std::string out;
  wire::append_field(kSwagger, document.string_at({"swagger"}), out);
  wire::append_field(
      kInfo, named(document.string_at({"info", "title"}), document.string_at({"info", "version"})),
      out);
  wire::append_field(kPaths, "", out);
  wire::append_field(kDefinitions, named_schemas(*document.at_path({"definitions"})->if_object()),
                     out);
  return out;
}

}  // namespace kube::meta
