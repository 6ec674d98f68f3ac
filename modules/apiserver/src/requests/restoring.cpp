// SPDX-License-Identifier: Apache-2.0
#include "requests/restoring.hpp"

#include <cmath>
#include <cstdint>
#include <string_view>

#include <kube/codec/go_problems.hpp>
#include <kube/json/base64.hpp>

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

std::string text_problem(const FieldDescriptor& field, const json::Value& value) {
  if (value.is_string()) return {};
  if (value.if_int() == nullptr) return "unrecognized type: string";
  std::string_view type = field.go_type == nullptr ? "string" : field.go_type;
  if (field.cardinality == Cardinality::List || field.cardinality == Cardinality::Map)
    type = type.substr(type.find(']') + 1);
  return "cannot convert int64 to " + std::string(type);
}

std::string bytes_problem(const json::Value& value) {
  const std::string* text = value.if_string();
  if (text == nullptr) return "cannot restore slice from " + go_kind(value);
  if (json::read_base64(*text)) return {};
  return "error decoding from json: " + go::base64_problem(*text);
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
      return text_problem(field, value);
    case ValueKind::Bytes:
      return bytes_problem(value);
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

void wrap(const FieldDescriptor& field, json::Value& value) {
  if (field.kind == ValueKind::Message) return wrap_integers(*field.message, value);
  const bool is_integer = field.kind == ValueKind::Int32 || field.kind == ValueKind::Int64;
  if (!is_integer) return;
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  const double* number = value.if_double();
  if (number != nullptr && std::trunc(*number) == *number && std::abs(*number) < kLimit)
    value = static_cast<std::int64_t>(*number);
  const std::int64_t* integer = value.if_int();
  if (integer != nullptr && field.kind == ValueKind::Int32)
    value = std::int64_t{static_cast<std::int32_t>(*integer)};
}

}  // namespace

void wrap_integers(const TypeDescriptor& type, json::Value& document) {
  json::Object* members = document.if_object();
  if (type.json_form != meta::JsonForm::Object || members == nullptr) return;
  for (const FieldDescriptor* field : type.keys.fields) {
    json::Value* value = members->find(field->json);
    if (value == nullptr) continue;
    if (json::Array* items = value->if_array()) {
      for (json::Value& item : *items) wrap(*field, item);
    } else if (field->cardinality == Cardinality::Map && value->is_object()) {
      for (auto& [key, member] : *value->if_object()) wrap(*field, member);
    } else {
      wrap(*field, *value);
    }
  }
}

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
