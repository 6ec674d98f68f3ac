// SPDX-License-Identifier: Apache-2.0
//
// Walks over a JSON document by the descriptor of its type. What does not fit is reported in the
// words of Go's JSON reader.
#include <kube/codec/normalize.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/codec/go_problems.hpp>
#include <kube/json/base64.hpp>
#include <kube/names/go_text.hpp>
#include <kube/names/path_trail.hpp>
#include <kube/names/quantity.hpp>
#include <kube/names/time.hpp>

#include "json_walk.hpp"

namespace kube::meta {
namespace {

// "core.v1.Container" is v1.Container in Go.
std::string_view go_name(const TypeDescriptor& type) {
  return type.name.substr(type.name.find('.') + 1);
}

std::string_view struct_name(const TypeDescriptor& type) {
  return type.name.substr(type.name.rfind('.') + 1);
}

// Returns Go's name for the type of one value of a field.
std::string go_type(const FieldDescriptor& field) {
  if (field.go_type != nullptr) {
    const std::string_view name = field.go_type;
    return std::string(name.substr(name.find(']') + 1));
  }
  switch (field.kind) {
    case ValueKind::Message:
      return std::string(go_name(*field.message));
    case ValueKind::Bool:
      return "bool";
    case ValueKind::Int32:
      return "int32";
    case ValueKind::Int64:
      return "int64";
    case ValueKind::Double:
      return "float64";
    case ValueKind::Bytes:
      return "[]uint8";
    case ValueKind::Quantity:
      return "resource.Quantity";
    default:
      return "string";
  }
}

std::string go_container(const FieldDescriptor& field) {
  if (field.go_type != nullptr) return field.go_type;
  if (field.cardinality == Cardinality::List) return "[]" + go_type(field);
  return field.kind == ValueKind::Quantity ? "v1.ResourceList" : "map[string]" + go_type(field);
}

// Returns the reader's reason without the text.
std::string quantity_problem(std::string_view message) {
  return std::string(message.substr(message.rfind("\": ") + 3));
}

class TypeNormalizer {
 public:
  explicit TypeNormalizer(const std::string& path, UnknownPaths* emptied = nullptr)
      : trail_(path), emptied_(emptied) {}

  UnknownPaths unknown;

  /// Go's reader goes on after a value of a wrong type, of which it tells the first, and stops at a
  /// text that a type refuses by itself.
  std::optional<Error> take_error() { return error_ ? std::move(error_) : std::move(misfit_); }

  void object(const TypeDescriptor& type, json::Value& value) {
    if (type.json_form != JsonForm::Object) return form(type, value);
    json::Object* members = value.if_object();
    if (members == nullptr) return wrong(value, go_name(type));
    // Also an object inside of another one, such as a claim of a StatefulSet, may say what it is.
    const bool is_kind = trail_.text().empty() || !type.kind.empty();
    members->erase_if([&](const std::string& name, json::Value& member) {
      const bool type_meta = is_kind && (name == "kind" || name == "apiVersion");
      return !error_ && (type_meta ? !names_type(type, name, member) : !keeps(type, name, member));
    });
    if (is_refused()) return;
    for (const FieldDescriptor* field : type.keys.fields) {
      if (field->zero_json != ZeroJson::Omit && members->find(field->json) == nullptr)
        members->set(std::string(field->json), zero(*field));
    }
  }

 private:
  /// A field on the way to a value, and its struct.
  struct Step {
    const TypeDescriptor* type;
    std::string_view name;
  };

  /// The struct and the field that an error names.
  class Inside {
   public:
    Inside(TypeNormalizer& walk, const TypeDescriptor& type, std::string_view name) : walk_(walk) {
      walk_.fields_.push_back({&type, name});
    }
    ~Inside() { walk_.fields_.pop_back(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    TypeNormalizer& walk_;
  };

  // Checks kind and apiVersion, which not every descriptor has.
  bool names_type(const TypeDescriptor& type, const std::string& name, const json::Value& member) {
    const Inside inside(*this, type, name);
    if (!member.is_string() && !member.is_null()) wrong(member, "string");
    return true;
  }

  // Normalizes a member; returns whether to keep it.
  bool keeps(const TypeDescriptor& type, const std::string& name, json::Value& member) {
    const PathTrail::Step step = trail_.child(name);
    const FieldDescriptor* field = find(type, name);
    if (field == nullptr) {
      unknown.add(trail_.text());
      return false;
    }
    const Inside inside(*this, type, field->json);
    if (!member.is_null()) this->field(*field, member);
    // A reader may have turned it into null: the zero time.
    if (member.is_null()) return field->zero_json == ZeroJson::Null;
    if (is_refused() || !is_zero(*field, member)) return true;
    if (emptied_ != nullptr && (member.is_array() || member.is_object()))
      emptied_->add(trail_.text());
    const bool is_bytes = field->kind == ValueKind::Bytes && member.is_string();
    if (emptied_ != nullptr && is_bytes) emptied_->add(trail_.text());
    return field->zero_json != ZeroJson::Omit;
  }

  static const FieldDescriptor* find(const TypeDescriptor& type, std::string_view name) {
    const std::size_t place = find_place(type.keys, name);
    return place == 0 ? nullptr : type.keys.fields[place - 1];
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
    if (type.json_form == JsonForm::List) {
      return value.is_array() ? list(first, value) : wrong(value, go_name(type));
    }
    if (value.is_null()) return;
    // Such a type reads itself, by a reader of its own for what it has.
    std::optional<Error> before = std::exchange(misfit_, std::nullopt);
    one_of_forms(type, value);
    if (!error_) error_ = std::move(misfit_);
    misfit_ = std::move(before);
  }

  void one_of_forms(const TypeDescriptor& type, json::Value& value) {
    const bool or_bool = type.json_form == JsonForm::SchemaOrBool;
    if (value.is_object()) return object(*type.fields[or_bool ? 1 : 0].message, value);
    if (or_bool && value.is_bool()) return;
    if (or_bool) return fail("boolean or JSON schema expected");
    if (!value.is_array() && type.json_form == JsonForm::SchemaOrStringArray)
      return fail("schema or string array expected");
    // Go's reader passes over what is neither a schema nor a list of them.
    if (!value.is_array()) {
      value = nullptr;
      return;
    }
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
    if (items == nullptr) return wrong(value, go_container(field));
    if (field.kind == ValueKind::Message) listed_objects_ += items->size();
    if (listed_objects_ > kMaxListedObjects)
      return fail(trail_.text() + ": the document has more than " +
                  std::to_string(kMaxListedObjects) + " objects in lists");
    for (std::size_t i = 0; i < items->size() && !error_; ++i) {
      const PathTrail::Step step = trail_.index(i);
      element(field, (*items)[i]);
    }
  }

  void map(const FieldDescriptor& field, json::Value& value) {
    json::Object* members = value.if_object();
    if (members == nullptr) return wrong(value, go_container(field));
    for (auto& [key, member] : *members) {
      if (error_) return;
      const PathTrail::Step step = trail_.child(key);
      element(field, member);
    }
  }

  // A null in a list or map is the zero value.
  void element(const FieldDescriptor& field, json::Value& value) {
    if (value.is_null() && field.kind == ValueKind::Message &&
        field.message->json_form == JsonForm::Object) {
      value = json::Object{};
    }
    // Of a list in it stays what it was.
    const bool is_list =
        field.kind == ValueKind::Message && field.message->json_form == JsonForm::List;
    if (value.is_null() && is_list) return;
    if (!value.is_null()) return single(field, value);
    FieldDescriptor one = field;
    one.cardinality = Cardinality::Plain;
    one.zero_json = ZeroJson::Value;
    value = zero(one);
  }

  void single(const FieldDescriptor& field, json::Value& value) {
    switch (field.kind) {
      case ValueKind::Message:
        return object(*field.message, value);
      case ValueKind::Bool:
        return require(value.is_bool(), field, value);
      case ValueKind::String:
        return require(value.is_string(), field, value);
      case ValueKind::Double:
        return require(value.is_number(), field, value);
      case ValueKind::Int64:
        return require(value.is_int(), field, value);
      case ValueKind::Int32:
        return require(is_int32(value), field, value);
      case ValueKind::IntOrString:
        if (!value.is_string() && !is_int32(value)) refuse(value, "int32");
        return;
      case ValueKind::Bytes:
        return bytes(field, value);
      case ValueKind::Time:
        return time<Time>(value);
      case ValueKind::MicroTime:
        return time<MicroTime>(value);
      case ValueKind::Duration:
        return duration(value);
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

  void bytes(const FieldDescriptor& field, json::Value& value) {
    const std::string* text = value.if_string();
    if (text == nullptr) return wrong(value, go_type(field));
    const auto read = json::read_base64(*text);
    if (!read) return note(go::base64_problem(*text));
    std::string written;
    json::write_base64(*read, written);
    value = std::move(written);
  }

  template <class T>
  void time(json::Value& value) {
    const std::string* text = value.if_string();
    if (text == nullptr) return refuse(value, "string");
    const auto read = T::parse(*text);
    if (!read) return fail(go::time_problem(*text, std::is_same_v<T, MicroTime>));
    value = read->is_zero() ? json::Value() : json::Value(read->to_string());
  }

  void duration(json::Value& value) {
    const std::string* text = value.if_string();
    if (text == nullptr) return refuse(value, "string");
    const auto read = Duration::parse(*text);
    if (!read) return fail(go::duration_problem(*text));
    value = read->to_string();
  }

  void quantity(json::Value& value) {
    const std::string text = value.is_string() ? *value.if_string() : json::dump(value);
    const std::string_view number = ascii::trim_space(text);
    const auto read = Quantity::parse(number);
    if (!read) return fail(quantity_problem(read.error().message()));
    value = read->to_string();
  }

  void require(bool holds, const FieldDescriptor& field, const json::Value& value) {
    if (!holds) wrong(value, go_type(field));
  }

  void wrong(const json::Value& value, std::string_view type) { note(type_problem(value, type)); }
  void refuse(const json::Value& value, std::string_view type) { fail(type_problem(value, type)); }

  // Shows no text, which may be a secret.
  std::string type_problem(const json::Value& value, std::string_view type) const {
    const bool is_integer = type == "int32" || type == "int64";
    std::string what(go::json_kind(value));
    if (value.is_number() && is_integer) what += " " + json::dump(value);
    std::string into = fields_.empty() ? "value" : "struct field ";
    if (!fields_.empty()) into += std::string(struct_name(*fields_.back().type)) + field_path();
    return go::cannot_unmarshal(what, into + " of type " + std::string(type));
  }

  // Go names the structs that a field's own struct contains inline, too.
  std::string field_path() const {
    std::string path;
    for (const Step& step : fields_) {
      append_parts(*step.type, step.name, path);
      path.append(".").append(step.name);
    }
    return path;
  }

  // Appends the names of the inlined structs that have the field; false: it is in none.
  static bool append_parts(const TypeDescriptor& type, std::string_view name, std::string& path) {
    const std::size_t size = path.size();
    for (const FieldDescriptor& field : type.fields) {
      if (!field.inline_) {
        if (field.json == name) return true;
        continue;
      }
      path.append(".").append(struct_name(*field.message));
      if (append_parts(*field.message, name, path)) return true;
      path.resize(size);
    }
    return false;
  }

  void fail(std::string what) { error_ = Error(ErrorCode::Decode, std::move(what)); }
  void note(std::string what) {
    if (!misfit_) misfit_ = Error(ErrorCode::Decode, std::move(what));
  }
  bool is_refused() const { return error_ || misfit_; }

  // Two bytes of text, {}, become a hundred bytes of fields that are always written, and a kilobyte
  // of memory: a request body of nothing else would take gigabytes.
  static constexpr std::size_t kMaxListedObjects = 100'000;

  PathTrail trail_;
  UnknownPaths* emptied_;  // null when nobody asks
  std::vector<Step> fields_{};
  std::size_t listed_objects_ = 0;
  std::optional<Error> error_{};   // ends the walk
  std::optional<Error> misfit_{};  // the first value of a wrong type
};

}  // namespace

Result<std::vector<std::string>> normalize_to_type(const TypeDescriptor& type,
                                                   json::Value& document, const std::string& path,
                                                   std::vector<std::string>* emptied) {
  UnknownPaths found;
  TypeNormalizer normalizer(path, emptied != nullptr ? &found : nullptr);
  normalizer.object(type, document);
  if (auto error = normalizer.take_error()) return *std::move(error);
  if (emptied != nullptr) *emptied = std::move(found).take();
  return std::move(normalizer.unknown).take();
}

}  // namespace kube::meta
