// SPDX-License-Identifier: Apache-2.0
#include "requests/restoring.hpp"

#include <cmath>
#include <string_view>

namespace kube::apiserver {
namespace {

using meta::Cardinality;
using meta::FieldDescriptor;
using meta::TypeDescriptor;
using meta::ValueKind;

// The kind of the Go value that a JSON value is.
std::string go_kind(const json::Value& value) {
  if (value.is_object()) return "map";
  if (value.is_array()) return "slice";
  if (value.if_bool() != nullptr) return "bool";
  if (value.if_int() != nullptr) return "int64";
  return value.is_string() ? "string" : "float64";
}

std::string text_problem(const json::Value& value) {
  if (value.is_string()) return {};
  return value.if_int() == nullptr ? "unrecognized type: string" : "cannot convert int64 to string";
}

std::string integer_problem(const json::Value& value, std::string_view type) {
  if (value.if_int() != nullptr) return {};
  const double* number = value.if_double();
  if (number == nullptr) return "unrecognized type: " + std::string(type);
  if (std::trunc(*number) == *number) return {};
  return "cannot convert float64 to " + std::string(type);
}

std::string one_problem(const FieldDescriptor& field, const json::Value& value) {
  if (value.is_null()) return {};
  switch (field.kind) {
    case ValueKind::Bool:
      return value.if_bool() == nullptr ? "unrecognized type: bool" : "";
    case ValueKind::Int32:
      return integer_problem(value, "int32");
    case ValueKind::Int64:
      return integer_problem(value, "int64");
    case ValueKind::Double: {
      const bool is_number = value.if_int() != nullptr || value.if_double() != nullptr;
      return is_number ? "" : "unrecognized type: float64";
    }
    case ValueKind::String:
      return text_problem(value);
    case ValueKind::Bytes:
      return value.is_string() ? "" : "cannot restore slice from " + go_kind(value);
    case ValueKind::Message:
      return restore_problem(*field.message, value);
    default:
      return {};
  }
}

std::string field_problem(const FieldDescriptor& field, const json::Value& value) {
  if (value.is_null()) return {};
  if (field.cardinality == Cardinality::List) {
    if (!value.is_array()) return "cannot restore slice from " + go_kind(value);
    for (const json::Value& item : *value.if_array()) {
      if (std::string problem = one_problem(field, item); !problem.empty()) return problem;
    }
    return {};
  }
  if (field.cardinality == Cardinality::Map) {
    if (!value.is_object()) return "cannot restore map from " + go_kind(value);
    for (const auto& [key, member] : *value.if_object()) {
      if (std::string problem = one_problem(field, member); !problem.empty()) return problem;
    }
    return {};
  }
  return one_problem(field, value);
}

}  // namespace

std::string restore_problem(const TypeDescriptor& type, const json::Value& document) {
  if (type.json_form != meta::JsonForm::Object) return {};
  const json::Object* members = document.if_object();
  if (members == nullptr) return "cannot restore struct from: " + go_kind(document);
  for (const FieldDescriptor* field : type.keys.fields) {
    const json::Value* value = members->find(field->json);
    if (value == nullptr) continue;
    if (std::string problem = field_problem(*field, *value); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace kube::apiserver
