// SPDX-License-Identifier: Apache-2.0
//
// check_json: walks over an object by a descriptor.
#include <kube/meta/runtime_schema.hpp>

#include "json_walk.hpp"

namespace kube::meta {
namespace {

class Checker : private JsonWalk {
 public:
  Checker(std::string_view text, const TypeDescriptor& type, StrictFields* strict)
      : JsonWalk(text, type, strict) {}

  Result<void> check() {
    if (!in_.failed() && check_message(type_, 0) && in_.at_end()) return {};
    return error();
  }

 private:
  bool check_message(const TypeDescriptor& type, int depth) {
    if (++depth > json::max_depth) return in_.fail();
    if (type.json_form != JsonForm::Object) return check_form(type, depth);
    if (in_.peek() != '{') return wrong_type("an object");
    StrictFields::Seen seen;
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      std::size_t place = find_place(type.keys, in_.key());
      if (place == 0 && !unusual_key(type, depth, place, seen)) return false;
      if (place == 0) continue;
      const FieldDescriptor& field = *type.keys.fields[place - 1];
      if (strict_ != nullptr) strict_->meet(seen, place + 1, field.json);
      if (in_.peek() == 'n') {
        if (!in_.read_null()) return false;
        continue;
      }
      if (strict_ != nullptr) strict_->enter(field.json);
      whole_numbers_ = is_of_run_time(type);
      if (!within_field(field.json, check_field(field, depth))) return false;
      if (strict_ != nullptr) strict_->leave();
    }
    return !in_.failed();
  }

  // Servers have no integers but numbers where they know a type by its schema alone. Such types
  // have no struct.
  static bool is_of_run_time(const TypeDescriptor& type) { return type.size == 0; }

  bool check_form(const TypeDescriptor& type, int depth) {
    const char c = in_.peek();
    whole_numbers_ = is_of_run_time(type);
    switch (type.json_form) {
      case JsonForm::List:
        return check_field(type.fields[0], depth);
      case JsonForm::SchemaOrBool:
        if (c == 't' || c == 'f') return check_field(type.fields[0], depth);
        return c == '{' ? check_field(type.fields[1], depth) : wrong_type("a boolean or an object");
      default:
        if (c == '[') return check_field(type.fields[1], depth);
        return c == '{' ? check_field(type.fields[0], depth) : wrong_type("an object or an array");
    }
  }

  bool check_field(const FieldDescriptor& field, int depth) {
    switch (field.cardinality) {
      case Cardinality::List:
        return check_list(field, depth);
      case Cardinality::Map:
        return check_map(field, depth);
      default:
        return check_value(field, depth);
    }
  }

  bool check_value(const FieldDescriptor& field, int depth) {
    if (field.kind == ValueKind::Message) return check_message(*field.message, depth);
    return with_kind(field.kind, [&](auto kind) {
      if constexpr (kind == ValueKind::RawJson) {
        return in_.skip();
      } else {
        Held<kind> value{};
        return read_scalar(kind, value);
      }
    });
  }

  bool check_list(const FieldDescriptor& field, int depth) {
    if (in_.peek() != '[') return wrong_type("an array");
    std::size_t index = 0;
    for (bool more = in_.begin_array(); more; more = in_.next_element(), ++index) {
      if (strict_ != nullptr) strict_->enter(index);
      if (in_.peek() == 'n' ? !in_.read_null()
                            : !within_element(index, check_value(field, depth))) {
        return false;
      }
      if (strict_ != nullptr) strict_->leave();
    }
    return !in_.failed();
  }

  bool check_map(const FieldDescriptor& field, int depth) {
    if (in_.peek() != '{') return wrong_type("an object");
    StrictFields::SeenKeys seen;
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      if (!take_key()) return false;
      const std::string key = key_text_;
      if (strict_ != nullptr) {
        strict_->meet(seen, key);
        strict_->enter(key);
      }
      if (in_.peek() == 'n' ? !in_.read_null() : !check_value(field, depth)) {
        key_text_ = key;
        return within_member(false);
      }
      if (strict_ != nullptr) strict_->leave();
    }
    return !in_.failed();
  }
};

}  // namespace

Result<void> check_json(std::string_view text, const TypeDescriptor& type,
                        const ReadOptions& options) {
  if (!options.strict && options.problems == nullptr) return Checker(text, type, nullptr).check();
  StrictFields fields;
  auto checked = Checker(text, type, &fields).check();
  if (!checked) return checked;
  return std::move(fields).finish(options);
}

}  // namespace kube::meta
