// SPDX-License-Identifier: Apache-2.0
//
// read_json: fills any described type from JSON text, by its descriptor.
#include <kube/codec/codec.hpp>

#include "json_walk.hpp"

namespace kube::meta {
namespace {

// Reads one document; a place is the member to read into.
class JsonDecoder : private JsonWalk<JsonDecoder, void*> {
 public:
  using JsonWalk::JsonWalk;

  Result<void> read(void* object) {
    if (!in_.failed() && message(type_, object, 0) && in_.at_end()) return {};
    return error();
  }

 private:
  friend class JsonWalk<JsonDecoder, void*>;

  static void* member_of(void* object, const FieldDescriptor& field) {
    return static_cast<char*>(object) + field.offset;
  }

  bool field(const TypeDescriptor&, const FieldDescriptor& field, void* object, int depth) {
    return value(field, member_of(object, field), depth);
  }

  static void* begin_form(const TypeDescriptor& type, void* object, std::size_t which) {
    const FieldDescriptor& field = type.fields[which];
    if (type.json_form == JsonForm::List) return member_of(object, field);
    const bool is_bool = type.json_form == JsonForm::SchemaOrBool;
    // An earlier value of a duplicate key is dropped.
    const FieldDescriptor& schema = type.fields[is_bool ? 1 : 0];
    schema.ops->clear(member_of(object, schema));
    if (is_bool) {
      if (which == 1) *static_cast<bool*>(member_of(object, type.fields[0])) = true;
      return member_of(object, field);
    }
    const FieldDescriptor& list = type.fields[1];
    if (list.ops != nullptr) {
      list.ops->clear(member_of(object, list));
    } else {
      static_cast<HeldList<ValueKind::String>*>(member_of(object, list))->clear();
    }
    return member_of(object, field);
  }

  static void* optional(const FieldDescriptor& field, void* member) {
    return field.ops->make(member, {});
  }

  struct List {};
  List begin_list(const FieldDescriptor& field, void* member) {
    field.ops->clear(member);
    if (const std::size_t count = in_.count_elements(); count != 0) {
      field.ops->reserve(member, count);
    } else if (field.nullable) {
      field.ops->set_empty(member);
    }
    return {};
  }
  bool element(const FieldDescriptor& field, void* member, List, std::size_t, int depth) {
    return item(*field.message, field.ops->make(member, {}), depth);
  }

  static void begin_map(const FieldDescriptor& field, void* member) {
    if (field.nullable) field.ops->set_empty(member);
  }
  bool member(const FieldDescriptor& field, void* member, const std::string& key, int depth) {
    return item(*field.message, field.ops->make(member, key), depth);
  }

  static bool end(void*) { return true; }

  bool scalars(const FieldDescriptor& field, void* member) {
    // The most frequent kind is tested first.
    if (field.kind == ValueKind::String && field.cardinality == Cardinality::Plain) {
      return read_scalar(KindConstant<ValueKind::String>(), *static_cast<std::string*>(member));
    }
    return other_scalars(field, member);
  }
  [[gnu::noinline]] bool other_scalars(const FieldDescriptor& field, void* member) {
    return with_kind(field.kind, [&](auto kind) { return read_scalars(kind, field, member); });
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
    return elements([&](std::size_t) {
      Held<kind> element{};
      if (!(in_.peek() == 'n' ? in_.read_null() : read_scalar(tag, element))) return false;
      list.push_back(std::move(element));
      return true;
    });
  }

  template <ValueKind kind>
  bool read_map(KindConstant<kind> tag, HeldMap<kind>& map) {
    if (in_.peek() != '{') return wrong_type("an object");
    return members(key_text_, [&] {
      // Keys are mostly sorted.
      Held<kind>& value = map.try_emplace(map.end(), key_text_)->second;
      value = Held<kind>{};
      return in_.peek() == 'n' ? in_.read_null() : read_scalar(tag, value);
    });
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
  return report_problems(std::move(fields).problems(), options);
}

}  // namespace kube::meta
