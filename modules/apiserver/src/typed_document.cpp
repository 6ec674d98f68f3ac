// SPDX-License-Identifier: Apache-2.0
#include "typed_document.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <kube/json/base64.hpp>
#include <kube/meta/quantity.hpp>
#include <kube/meta/time.hpp>

namespace kube::apiserver {
namespace {

using meta::Cardinality;
using meta::FieldDescriptor;
using meta::TypeDescriptor;
using meta::ValueKind;

class Fitter {
 public:
  std::vector<std::string> unknown;
  std::optional<Error> error;

  void object(const TypeDescriptor& type, json::Value& value, const std::string& path) {
    if (type.json_form != meta::JsonForm::Object) return form(type, value, path);
    json::Object* members = value.if_object();
    if (members == nullptr) return wrong(path, "an object", value);
    std::vector<std::string> dropped;
    for (auto& [name, member] : *members) {
      if (error) return;
      const FieldDescriptor* field = find(type, name);
      const std::string at = path.empty() ? name : path + "." + name;
      const bool type_meta = path.empty() && (name == "kind" || name == "apiVersion");
      if (type_meta) continue;
      if (field == nullptr) {
        unknown.push_back(at);
        dropped.push_back(name);
      } else if (member.is_null()) {
        if (field->zero_json != meta::ZeroJson::Null) dropped.push_back(name);
      } else {
        this->field(*field, member, at);
        if (!error && field->zero_json == meta::ZeroJson::Omit && is_zero(*field, member))
          dropped.push_back(name);
      }
    }
    for (const std::string& name : dropped) members->erase(name);
    for (const FieldDescriptor* field : type.keys.fields) {
      if (field->zero_json != meta::ZeroJson::Omit && members->find(field->json) == nullptr)
        members->set(std::string(field->json), zero(*field));
    }
  }

 private:
  static const FieldDescriptor* find(const TypeDescriptor& type, std::string_view name) {
    const auto found = std::ranges::find(type.keys.fields, name, &FieldDescriptor::json);
    return found == type.keys.fields.end() ? nullptr : *found;
  }

  // Whether a write from the type leaves the field out.
  static bool is_zero(const FieldDescriptor& field, const json::Value& value) {
    switch (field.cardinality) {
      case Cardinality::Optional:
        return false;
      case Cardinality::List:
        return value.if_array()->empty();
      case Cardinality::Map:
        return value.if_object()->empty();
      case Cardinality::Plain:
        break;
    }
    switch (field.kind) {
      case ValueKind::Bool:
        return !*value.if_bool();
      case ValueKind::String:
      case ValueKind::Bytes:
        return value.if_string()->empty();
      case ValueKind::Int32:
      case ValueKind::Int64:
        return *value.if_int() == 0;
      case ValueKind::Double:
        return value.if_double() != nullptr ? *value.if_double() == 0
                                            : value.if_int() != nullptr && *value.if_int() == 0;
      case ValueKind::Message:
        return field.message->json_form == meta::JsonForm::List && value.if_array()->empty();
      default:
        return false;
    }
  }

  // What a write from the type shows of a field that nobody set.
  json::Value zero(const FieldDescriptor& field) {
    if (field.zero_json == meta::ZeroJson::Null) return nullptr;
    if (field.cardinality == Cardinality::List) return json::Array{};
    if (field.cardinality == Cardinality::Map) return json::Object{};
    switch (field.kind) {
      case ValueKind::Bool:
        return false;
      case ValueKind::String:
      case ValueKind::Bytes:
        return "";
      case ValueKind::Int32:
      case ValueKind::Int64:
      case ValueKind::IntOrString:
        return 0;
      case ValueKind::Double:
        return 0.0;
      case ValueKind::Quantity:
        return "0";
      case ValueKind::Duration:
        return "0s";
      case ValueKind::Message: {
        if (field.message->json_form == meta::JsonForm::List) return json::Array{};
        json::Value value = json::Object{};
        object(*field.message, value, {});
        return value;
      }
      default:
        return nullptr;
    }
  }

  // What isn't the object of its fields.
  void form(const TypeDescriptor& type, json::Value& value, const std::string& path) {
    const FieldDescriptor& first = type.fields.front();
    if (type.json_form == meta::JsonForm::List) return list(first, value, path);
    if (value.is_null()) return;
    const bool or_bool = type.json_form == meta::JsonForm::SchemaOrBool;
    if (value.is_object()) return object(*type.fields[or_bool ? 1 : 0].message, value, path);
    if (or_bool) return require(value.is_bool(), "an object or a boolean", value, path);
    if (!value.is_array()) return wrong(path, "an object or a list", value);
    list(type.fields[1], value, path);
  }

  void field(const FieldDescriptor& field, json::Value& value, const std::string& path) {
    switch (field.cardinality) {
      case Cardinality::List:
        return list(field, value, path);
      case Cardinality::Map:
        return map(field, value, path);
      default:
        return single(field, value, path);
    }
  }

  void list(const FieldDescriptor& field, json::Value& value, const std::string& path) {
    json::Array* items = value.if_array();
    if (items == nullptr) return wrong(path, "a list", value);
    for (std::size_t i = 0; i < items->size() && !error; ++i) {
      single(field, (*items)[i], path + "[" + std::to_string(i) + "]");
    }
  }

  void map(const FieldDescriptor& field, json::Value& value, const std::string& path) {
    json::Object* members = value.if_object();
    if (members == nullptr) return wrong(path, "an object", value);
    for (auto& [key, member] : *members) {
      if (error) return;
      // A null value of a map is the zero value.
      if (member.is_null() && field.kind == ValueKind::Message) member = json::Object{};
      if (member.is_null()) member = "";
      single(field, member, path + "." + key);
    }
  }

  void single(const FieldDescriptor& field, json::Value& value, const std::string& path) {
    switch (field.kind) {
      case ValueKind::Message:
        return object(*field.message, value, path);
      case ValueKind::Bool:
        return require(value.is_bool(), "a boolean", value, path);
      case ValueKind::String:
        return text(value, "a string", path);
      case ValueKind::Double:
        return require(value.is_number(), "a number", value, path);
      case ValueKind::Int64:
        return require(value.is_int(), "an integer", value, path);
      case ValueKind::Int32:
        return require(is_int32(value), "a 32 bit integer", value, path);
      case ValueKind::IntOrString:
        return require(value.is_string() || is_int32(value), "an integer or a string", value, path);
      case ValueKind::Bytes:
        if (value.is_string() && !json::read_base64(*value.if_string()))
          return fail(path + ": expected base64 text");
        return text(value, "base64 text", path);
      case ValueKind::Time:
        return parsed<meta::Time>("a time such as 2026-01-02T03:04:05Z", value, path);
      case ValueKind::MicroTime:
        return parsed<meta::MicroTime>("a time such as 2026-01-02T03:04:05.000000Z", value, path);
      case ValueKind::Duration:
        return parsed<meta::Duration>("a duration such as 1m30s", value, path);
      case ValueKind::Quantity:
        return quantity(value, path);
      case ValueKind::RawJson:
        return;
    }
  }

  static bool is_int32(const json::Value& value) {
    return value.is_int() && *value.if_int() >= std::numeric_limits<std::int32_t>::min() &&
           *value.if_int() <= std::numeric_limits<std::int32_t>::max();
  }

  template <class T>
  void parsed(std::string_view expected, const json::Value& value, const std::string& path) {
    require(value.is_string() && T::parse(*value.if_string()).has_value(), expected, value, path);
  }

  void quantity(json::Value& value, const std::string& path) {
    const std::string text = value.is_string()   ? *value.if_string()
                             : value.is_number() ? json::dump(value)
                                                 : std::string{};
    const auto read = meta::Quantity::parse(text);
    if (!read) return wrong(path, "a quantity such as 100m or 1Gi", value);
    value = read->to_string();
  }

  void require(bool holds, std::string_view expected, const json::Value& value,
               const std::string& path) {
    if (!holds) wrong(path, expected, value);
  }

  void wrong(const std::string& path, std::string_view expected, const json::Value& value) {
    std::string text = path.empty() ? "the document" : path;
    text.append(": expected ").append(expected).append(", not ").append(value.type_name());
    // The value says what went wrong, but what is a string may be a secret.
    if (value.is_number() || value.if_bool() != nullptr) text += " " + json::dump(value);
    fail(std::move(text));
  }

  // Without the value, which may be a secret.
  void text(const json::Value& value, std::string_view expected, const std::string& path) {
    if (value.is_string()) return;
    fail(path + ": expected " + std::string(expected) + ", not " + std::string(value.type_name()));
  }
  void fail(std::string what) { error = Error(ErrorCode::Decode, std::move(what)); }
};

}  // namespace

Result<std::vector<std::string>> fit_to_type(const TypeDescriptor& type, json::Value& document,
                                             const std::string& path) {
  Fitter fitter;
  fitter.object(type, document, path);
  if (fitter.error) return *std::move(fitter.error);
  return std::move(fitter.unknown);
}

}  // namespace kube::apiserver
