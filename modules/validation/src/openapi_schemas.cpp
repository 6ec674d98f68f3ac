// SPDX-License-Identifier: Apache-2.0
//
// Makes the OpenAPI v3 schemas of described types.
#include <kube/validation/openapi.hpp>

#include <utility>

namespace kube::meta {
namespace {

json::Object of_type(std::string_view type, std::string_view format = {}) {
  json::Object out{{"type", type}};
  if (!format.empty()) out.set("format", format);
  return out;
}

json::Object reference(const TypeDescriptor& type) {
  return {{"allOf", json::Array{json::Object{
                        {"$ref", "#/components/schemas/" + openapi_schema_name(type)}}}}};
}

json::Object value_schema(const FieldDescriptor& field) {
  switch (field.kind) {
    case ValueKind::Bool:
      return of_type("boolean");
    case ValueKind::Int32:
      return of_type("integer", "int32");
    case ValueKind::Int64:
      return of_type("integer", "int64");
    case ValueKind::Double:
      return of_type("number", "double");
    case ValueKind::Bytes:
      return of_type("string", "byte");
    case ValueKind::Time:
    case ValueKind::MicroTime:
      return of_type("string", "date-time");
    case ValueKind::IntOrString:
      return {{"oneOf", json::Array{of_type("integer"), of_type("string")}},
              {"format", "int-or-string"}};
    case ValueKind::RawJson:
      return of_type("object");
    case ValueKind::Message:
      return reference(*field.message);
    case ValueKind::String:
    case ValueKind::Duration:
    case ValueKind::Quantity:
      break;
  }
  return of_type("string");
}

json::Object property(const FieldDescriptor& field) {
  json::Object out;
  if (field.cardinality == Cardinality::List) {
    out = {{"type", "array"}, {"items", value_schema(field)}};
  } else if (field.cardinality == Cardinality::Map) {
    out = {{"type", "object"}, {"additionalProperties", value_schema(field)}};
  } else {
    out = value_schema(field);
  }
  std::string strategy;
  if (field.patch_merge) strategy = "merge";
  if (field.patch_retain_keys) strategy += strategy.empty() ? "retainKeys" : ",retainKeys";
  if (!strategy.empty()) out.set("x-kubernetes-patch-strategy", strategy);
  if (!field.patch_merge_key.empty()) {
    out.set("x-kubernetes-patch-merge-key", field.patch_merge_key);
  }
  return out;
}

}  // namespace

std::string openapi_schema_name(const TypeDescriptor& type) {
  return "io.k8s.api." + std::string(type.name);
}

void add_openapi_schemas(const TypeDescriptor& type, json::Object& schemas) {
  const std::string name = openapi_schema_name(type);
  if (schemas.contains(name)) return;
  if (type.json_form == JsonForm::List) {
    schemas.set(name,
                json::Object{{"type", "array"}, {"items", value_schema(type.fields.front())}});
    return;
  }
  schemas.set(name, json::Object{});  // ends the recursion of types that contain themselves
  if (type.json_form != JsonForm::Object) return;  // a choice of types: no constraint
  json::Object properties;
  if (!type.kind.empty()) {
    properties.set("apiVersion", of_type("string"));
    properties.set("kind", of_type("string"));
  }
  for (const FieldDescriptor* field : type.keys.fields) {
    properties.set(field->json, property(*field));
    if (field->kind == ValueKind::Message) add_openapi_schemas(*field->message, schemas);
  }
  json::Object schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!type.kind.empty()) {
    schema.set("x-kubernetes-group-version-kind",
               json::Array{json::Object{
                   {"group", type.group}, {"kind", type.kind}, {"version", type.version}}});
  }
  schemas.set(name, std::move(schema));
}

}  // namespace kube::meta
