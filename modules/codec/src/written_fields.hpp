// SPDX-License-Identifier: Apache-2.0
//
// The walk over a value in memory by its descriptor: the fields that its JSON has.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include <kube/codec/descriptor.hpp>

#include "untyped_containers.hpp"
#include "value_kinds.hpp"

namespace kube::meta {

inline bool is_unset_scalar(const FieldDescriptor& field, const void* member) {
  return with_kind(field.kind, [&](auto tag) {
    constexpr ValueKind kKind = decltype(tag)::value;
    switch (field.cardinality) {
      case Cardinality::Plain:
        return is_zero(*static_cast<const Held<kKind>*>(member));
      case Cardinality::Optional:
        return !static_cast<const std::optional<Held<kKind>>*>(member)->has_value();
      case Cardinality::List:
        return static_cast<const HeldList<kKind>*>(member)->empty();
      case Cardinality::Map:
        return static_cast<const HeldMap<kKind>*>(member)->empty();
    }
    return false;
  });
}

inline bool is_empty_list(const FieldDescriptor& list, const void* member) {
  return list.kind == ValueKind::Message ? list.ops->is_unset(member)
                                         : is_unset_scalar(list, member);
}

/// Whether the field is in the state that `zero_json` describes.
[[gnu::always_inline]] inline bool is_unset(const FieldDescriptor& field, const void* member) {
  switch (wire_shape(field.kind, field.cardinality)) {
    case wire_shape(ValueKind::String, Cardinality::Plain):
      return static_cast<const std::string*>(member)->empty();
    case wire_shape(ValueKind::Bool, Cardinality::Plain):
      return !*static_cast<const bool*>(member);
    case wire_shape(ValueKind::Int32, Cardinality::Plain):
      return *static_cast<const std::int32_t*>(member) == 0;
    case wire_shape(ValueKind::Message, Cardinality::Plain):
      return field.message->json_form == JsonForm::List &&
             is_empty_list(field.message->fields.front(), member);
    case wire_shape(ValueKind::Message, Cardinality::Optional):
      return message_of(static_cast<const char*>(member)) == nullptr;
    case wire_shape(ValueKind::Message, Cardinality::List):
      if (!field.nullable && has_never_grown(static_cast<const char*>(member))) return true;
      return field.ops->is_unset(member);
    case wire_shape(ValueKind::Message, Cardinality::Map):
      return field.ops->is_unset(member);
    default:
      return is_unset_scalar(field, member);
  }
}

/// Calls visit(field, member) for each field that the JSON shows, including those of inlined
/// messages, in its order.
template <class Visit>
void each_written_field(const TypeDescriptor& type, const void* object, Visit visit) {
  for (const FieldDescriptor& field : type.fields) {
    if (field.inline_) {
      each_written_field(*field.message, object, visit);
      continue;
    }
    const void* member = static_cast<const char*>(object) + field.offset;
    if (field.zero_json == ZeroJson::Omit && is_unset(field, member)) continue;
    visit(field, member);
  }
}

}  // namespace kube::meta
