// SPDX-License-Identifier: Apache-2.0
//
// Walks over a JSON document by the descriptor of its type.
#include <kube/codec/normalize.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <kube/json/base64.hpp>
#include <kube/names/path_trail.hpp>
#include <kube/names/quantity.hpp>
#include <kube/names/time.hpp>

namespace kube::meta {
namespace {

class TypeNormalizer {
 public:
  explicit TypeNormalizer(const std::string& path) : trail_(path) {}

  UnknownPaths unknown;
  std::optional<Error> error;

  void object(const TypeDescriptor& type, json::Value& value) {
    if (type.json_form != JsonForm::Object) return form(type, value);
    json::Object* members = value.if_object();
    if (members == nullptr) return wrong("an object", value);
    const bool root = trail_.text().empty();
    members->erase_if([&](const std::string& name, json::Value& member) {
      const bool type_meta = root && (name == "kind" || name == "apiVersion");
      return !error && !type_meta && !keeps(type, name, member);
    });
    if (error) return;
    for (const FieldDescriptor* field : type.keys.fields) {
      if (field->zero_json != ZeroJson::Omit && members->find(field->json) == nullptr)
        members->set(std::string(field->json), zero(*field));
    }
  }

 private:
  // Normalizes a member; returns whether to keep it.
  bool keeps(const TypeDescriptor& type, const std::string& name, json::Value& member) {
    const PathTrail::Step step = trail_.child(name);
    const FieldDescriptor* field = find(type, name);
    if (field == nullptr) {
      unknown.add(trail_.text());
      return false;
    }
    if (member.is_null()) return field->zero_json == ZeroJson::Null;
    this->field(*field, member);
    return error || field->zero_json != ZeroJson::Omit || !is_zero(*field, member);
  }

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
        return field.message->json_form == JsonForm::List && value.if_array()->empty();
      default:
        return false;
    }
  }

  // Returns what a write from the type has for an unset field.
  json::Value zero(const FieldDescriptor& field) {
    if (field.zero_json == ZeroJson::Null) return nullptr;
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
        if (field.message->json_form == JsonForm::List) return json::Array{};
        json::Value value = json::Object{};
        TypeNormalizer({}).object(*field.message, value);
        return value;
      }
      default:
        return nullptr;
    }
  }

  // Normalizes a type that is not the object of its fields.
  void form(const TypeDescriptor& type, json::Value& value) {
    const FieldDescriptor& first = type.fields.front();
    if (type.json_form == JsonForm::List) return list(first, value);
    if (value.is_null()) return;
    const bool or_bool = type.json_form == JsonForm::SchemaOrBool;
    if (value.is_object()) return object(*type.fields[or_bool ? 1 : 0].message, value);
    if (or_bool) return require(value.is_bool(), "an object or a boolean", value);
    if (!value.is_array()) return wrong("an object or a list", value);
    list(type.fields[1], value);
  }

  void field(const FieldDescriptor& field, json::Value& value) {
    switch (field.cardinality) {
      case Cardinality::List:
        return list(field, value);
      case Cardinality::Map:
        return map(field, value);
      default:
        return single(field, value);
    }
  }

  void list(const FieldDescriptor& field, json::Value& value) {
    json::Array* items = value.if_array();
    if (items == nullptr) return wrong("a list", value);
    if (field.kind == ValueKind::Message) listed_objects_ += items->size();
    if (listed_objects_ > kMaxListedObjects)
      return fail(trail_.text() + ": the document has more than " +
                  std::to_string(kMaxListedObjects) + " objects in lists");
    for (std::size_t i = 0; i < items->size() && !error; ++i) {
      const PathTrail::Step step = trail_.index(i);
      single(field, (*items)[i]);
    }
  }

  void map(const FieldDescriptor& field, json::Value& value) {
    json::Object* members = value.if_object();
    if (members == nullptr) return wrong("an object", value);
    for (auto& [key, member] : *members) {
      if (error) return;
      // A null value in a map is the zero value.
      if (member.is_null() && field.kind == ValueKind::Message) member = json::Object{};
      if (member.is_null()) member = "";
      const PathTrail::Step step = trail_.child(key);
      single(field, member);
    }
  }

  void single(const FieldDescriptor& field, json::Value& value) {
    switch (field.kind) {
      case ValueKind::Message:
        return object(*field.message, value);
      case ValueKind::Bool:
        return require(value.is_bool(), "a boolean", value);
      case ValueKind::String:
        return text(value, "a string");
      case ValueKind::Double:
        return require(value.is_number(), "a number", value);
      case ValueKind::Int64:
        return require(value.is_int(), "an integer", value);
      case ValueKind::Int32:
        return require(is_int32(value), "a 32-bit integer", value);
      case ValueKind::IntOrString:
        return require(value.is_string() || is_int32(value), "an integer or a string", value);
      case ValueKind::Bytes:
        if (value.is_string() && !json::read_base64(*value.if_string()))
          return fail(trail_.text() + ": expected base64 text");
        return text(value, "base64 text");
      case ValueKind::Time:
        return parsed<Time>("a time such as 2026-01-02T03:04:05Z", value);
      case ValueKind::MicroTime:
        return parsed<MicroTime>("a time such as 2026-01-02T03:04:05.000000Z", value);
      case ValueKind::Duration:
        return parsed<Duration>("a duration such as 1m30s", value);
      case ValueKind::Quantity:
        return quantity(value);
      case ValueKind::RawJson:
        return;
    }
  }

  static bool is_int32(const json::Value& value) {
    return value.is_int() && *value.if_int() >= std::numeric_limits<std::int32_t>::min() &&
           *value.if_int() <= std::numeric_limits<std::int32_t>::max();
  }

  template <class T>
  void parsed(std::string_view expected, const json::Value& value) {
    require(value.is_string() && T::parse(*value.if_string()).has_value(), expected, value);
  }

  void quantity(json::Value& value) {
    const std::string text = value.is_string()   ? *value.if_string()
                             : value.is_number() ? json::dump(value)
                                                 : std::string{};
    const auto read = Quantity::parse(text);
    if (!read) return wrong("a quantity such as 100m or 1Gi", value);
    value = read->to_string();
  }

  void require(bool holds, std::string_view expected, const json::Value& value) {
    if (!holds) wrong(expected, value);
  }

  void wrong(std::string_view expected, const json::Value& value) {
    std::string text = trail_.text().empty() ? "the document" : trail_.text();
    text.append(": expected ").append(expected).append(", not ").append(value.type_name());
    // The value shows what is wrong, but a string may be a secret.
    if (value.is_number() || value.if_bool() != nullptr) text += " " + json::dump(value);
    fail(std::move(text));
  }

  // Reports the error without the value, which may be a secret.
  void text(const json::Value& value, std::string_view expected) {
    if (value.is_string()) return;
    fail(trail_.text() + ": expected " + std::string(expected) + ", not " +
         std::string(value.type_name()));
  }
  void fail(std::string what) { error = Error(ErrorCode::Decode, std::move(what)); }

  // Two bytes of text, {}, become a hundred bytes of fields that are always written, and a kilobyte
  // of memory: a request body of nothing else would take gigabytes.
  static constexpr std::size_t kMaxListedObjects = 100'000;

  PathTrail trail_;
  std::size_t listed_objects_ = 0;
};

}  // namespace

Result<std::vector<std::string>> normalize_to_type(const TypeDescriptor& type,
                                                   json::Value& document, const std::string& path) {
  TypeNormalizer normalizer(path);
  normalizer.object(type, document);
  if (normalizer.error) return *std::move(normalizer.error);
  return std::move(normalizer.unknown).take();
}

}  // namespace kube::meta
