// SPDX-License-Identifier: Apache-2.0
//
// read_json: fills any described type from JSON text, by its descriptor.
#include <kube/meta/codec.hpp>

#include "json_walk.hpp"

namespace kube::meta {
namespace {

// Reads one document.
class JsonDecoder : private JsonWalk {
 public:
  JsonDecoder(std::string_view text, const TypeDescriptor& type, StrictFields* strict)
      : JsonWalk(text, type, strict) {}

  Result<void> read(void* object) {
    if (!in_.failed() && read_message(type_, object, 0) && in_.at_end()) return {};
    return error();
  }

 private:
  bool read_message(const TypeDescriptor& type, void* object, int depth) {
    if (type.json_form != JsonForm::Object) return read_form(type, object, depth);
    if (in_.peek() != '{') return wrong_type("an object");
    if (++depth > json::max_depth) return in_.fail();
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
      if (!within_field(field.json,
                        read_field(field, static_cast<char*>(object) + field.offset, depth))) {
        return false;
      }
      if (strict_ != nullptr) strict_->leave();
    }
    return !in_.failed();
  }

  // A type that is not the object of its fields.
  bool read_form(const TypeDescriptor& type, void* object, int depth) {
    const auto read = [&](std::size_t place) {
      const FieldDescriptor& field = type.fields[place];
      return read_field(field, static_cast<char*>(object) + field.offset, depth);
    };
    if (type.json_form == JsonForm::List) return read(0);
    const char c = in_.peek();
    const bool is_bool = type.json_form == JsonForm::SchemaOrBool;
    const FieldDescriptor& schema = type.fields[is_bool ? 1 : 0];
    // Nothing stays of an earlier value under the same key.
    schema.ops->clear(static_cast<char*>(object) + schema.offset);
    if (is_bool) {
      if (c == 't' || c == 'f') return read(0);
      if (c != '{') return wrong_type("a boolean or an object");
      *reinterpret_cast<bool*>(static_cast<char*>(object) + type.fields[0].offset) = true;
      return read(1);
    }
    const FieldDescriptor& list = type.fields[1];
    void* const elements = static_cast<char*>(object) + list.offset;
    if (list.ops != nullptr) {
      list.ops->clear(elements);
    } else {
      static_cast<HeldList<ValueKind::String>*>(elements)->clear();
    }
    if (c == '[') return read(1);
    return c == '{' ? read(0) : wrong_type("an object or an array");
  }

  bool read_field(const FieldDescriptor& field, void* member, int depth) {
    if (field.kind == ValueKind::Message) return read_messages(field, member, depth);
    // The two most frequent ones without a detour.
    if (field.kind == ValueKind::String && field.cardinality == Cardinality::Plain) {
      return read_scalar(KindConstant<ValueKind::String>(), *static_cast<std::string*>(member));
    }
    return with_kind(field.kind, [&](auto kind) { return read_scalars(kind, field, member); });
  }

  bool read_messages(const FieldDescriptor& field, void* member, int depth) {
    switch (field.cardinality) {
      case Cardinality::Plain:
        return read_message(*field.message, member, depth);
      case Cardinality::Optional:
        return read_message(*field.message, field.ops->make(member, {}), depth);
      case Cardinality::List: {
        if (in_.peek() != '[') return wrong_type("an array");
        field.ops->clear(member);
        if (const std::size_t count = in_.count_elements(); count != 0) {
          field.ops->reserve(member, count);
        } else if (field.nullable) {
          field.ops->set_empty(member);
        }
        std::size_t index = 0;
        for (bool more = in_.begin_array(); more; more = in_.next_element(), ++index) {
          void* element = field.ops->make(member, {});
          if (strict_ != nullptr) strict_->enter(index);
          if (in_.peek() == 'n'
                  ? !in_.read_null()
                  : !within_element(index, read_message(*field.message, element, depth))) {
            return false;
          }
          if (strict_ != nullptr) strict_->leave();
        }
        return !in_.failed();
      }
      case Cardinality::Map: {
        if (in_.peek() != '{') return wrong_type("an object");
        if (field.nullable) field.ops->set_empty(member);
        StrictFields::SeenKeys seen;
        for (bool more = in_.begin_object(); more; more = in_.next_member()) {
          if (!take_key()) return false;
          void* element = field.ops->make(member, key_text_);
          const std::string key = key_text_;
          if (strict_ != nullptr) {
            strict_->meet(seen, key);
            strict_->enter(key);
          }
          const bool good =
              in_.peek() == 'n' ? in_.read_null() : read_message(*field.message, element, depth);
          if (!good) {
            key_text_ = key;
            return within_member(false);
          }
          if (strict_ != nullptr) strict_->leave();
        }
        return !in_.failed();
      }
    }
    return in_.fail();
  }

  template <ValueKind kind>
  bool read_scalars(KindConstant<kind> tag, const FieldDescriptor& field, void* member) {
    switch (field.cardinality) {
      case Cardinality::Plain:
        if (kind == ValueKind::Bytes && field.nullable) return read_nullable_bytes(member);
        return read_scalar(tag, *static_cast<Held<kind>*>(member));
      case Cardinality::Optional:
        return read_scalar(tag, static_cast<std::optional<Held<kind>>*>(member)->emplace());
      case Cardinality::List:
        if (!field.nullable) return read_list(tag, *static_cast<HeldList<kind>*>(member));
        return read_nullable(*static_cast<Nullable<HeldList<kind>>*>(member),
                             [&](auto& list) { return read_list(tag, list); });
      case Cardinality::Map:
        if (!field.nullable) return read_map(tag, *static_cast<HeldMap<kind>*>(member));
        return read_nullable(*static_cast<Nullable<HeldMap<kind>>*>(member),
                             [&](auto& map) { return read_map(tag, map); });
    }
    return in_.fail();
  }

  template <class Container, class Read>
  bool read_nullable(Nullable<Container>& nullable, Read read) {
    nullable.set_empty();
    return read(static_cast<Container&>(nullable));
  }
  bool read_nullable_bytes(void* member) {
    return read_nullable(*static_cast<Nullable<std::string>*>(member), [&](std::string& bytes) {
      return read_scalar(KindConstant<ValueKind::Bytes>(), bytes);
    });
  }

  template <ValueKind kind>
  bool read_list(KindConstant<kind> tag, HeldList<kind>& list) {
    if (in_.peek() != '[') return wrong_type("an array");
    list.clear();
    list.reserve(in_.count_elements());
    for (bool more = in_.begin_array(); more; more = in_.next_element()) {
      Held<kind> element{};
      if (in_.peek() == 'n') {
        if (!in_.read_null()) return false;
      } else if (!within_element(list.size(), read_scalar(tag, element))) {
        return false;
      }
      list.push_back(std::move(element));
    }
    return !in_.failed();
  }

  template <ValueKind kind>
  bool read_map(KindConstant<kind> tag, HeldMap<kind>& map) {
    if (in_.peek() != '{') return wrong_type("an object");
    StrictFields::SeenKeys seen;
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      if (!take_key()) return false;
      if (strict_ != nullptr) strict_->meet(seen, key_text_);
      // Keys mostly come sorted.
      Held<kind>& value = map.try_emplace(map.end(), key_text_)->second;
      value = Held<kind>{};
      const bool good = in_.peek() == 'n' ? in_.read_null() : read_scalar(tag, value);
      if (!good) return within_member(false);
    }
    return !in_.failed();
  }
};

}  // namespace

Result<void> read_json(std::string_view text, const TypeDescriptor& type, void* object,
                       const ReadOptions& options) {
  if (!options.strict && options.problems == nullptr)
    return JsonDecoder(text, type, nullptr).read(object);
  StrictFields fields;
  auto read = JsonDecoder(text, type, &fields).read(object);
  if (!read) return read;
  return std::move(fields).finish(options);
}

}  // namespace kube::meta
