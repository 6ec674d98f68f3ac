// SPDX-License-Identifier: Apache-2.0
#include "patch_type.hpp"

#include <algorithm>

#include <kube/names/go_text.hpp>

namespace kube::meta::detail {

namespace {

const FieldDescriptor* find(const TypeDescriptor& type, std::string_view key) {
  for (const FieldDescriptor& field : type.fields) {
    if (field.inline_ && field.message != nullptr) {
      if (const FieldDescriptor* inner = find(*field.message, key)) return inner;
    } else if (field.json == key) {
      return &field;
    }
  }
  return nullptr;
}

Result<const FieldDescriptor*> lookup(const PatchType& type, std::string_view key) {
  if (type.message == nullptr) {
    return Error(ErrorCode::InvalidArgument,
                 "merging an object in json but data type is not struct, instead is: " +
                     std::string(type.what));
  }
  if (const FieldDescriptor* field = find(*type.message, key)) return field;
  return Error(ErrorCode::InvalidArgument,
               "unable to find api field in struct " +
                   std::string(type.message->name.substr(type.message->name.rfind('.') + 1)) +
                   " for the json field " + go::quote(key));
}

PatchType value_type(const FieldDescriptor& field) {
  if (field.kind == ValueKind::Message) return {field.message, "struct"};
  return {nullptr, field.kind == ValueKind::RawJson ? "opaque JSON" : "scalar"};
}

/// The fields whose patchStrategy is "replace", which matters for objects alone. There is one in
/// all types of Kubernetes, and descriptors do not have the fact.
struct ReplacedField {
  std::string_view type;
  std::string_view field;
};
constexpr ReplacedField kReplacedFields[] = {{"policy.v1.PodDisruptionBudgetSpec", "selector"}};

bool is_replaced(const PatchType& owner, const FieldDescriptor& field) {
  return std::ranges::any_of(kReplacedFields, [&](const ReplacedField& each) {
    return each.type == owner.message->name && each.field == field.json;
  });
}

PatchField facts(const FieldDescriptor& field, const PatchType& type) {
  return {type, field.patch_merge_key, field.patch_merge, field.patch_retain_keys};
}

}  // namespace

Result<PatchField> find_object_field(const PatchType& type, std::string_view key) {
  const Result<const FieldDescriptor*> field = lookup(type, key);
  if (!field) return field.error();
  switch ((*field)->cardinality) {
    case Cardinality::Map:
      return facts(**field, {nullptr, "map"});
    case Cardinality::List:
      return facts(**field, {nullptr, "list"});
    case Cardinality::Plain:
    case Cardinality::Optional:
      break;
  }
  PatchField out = facts(**field, value_type(**field));
  out.replace = is_replaced(type, **field);
  return out;
}

Result<PatchField> find_list_field(const PatchType& type, std::string_view key) {
  const Result<const FieldDescriptor*> field = lookup(type, key);
  if (!field) return field.error();
  if ((*field)->cardinality != Cardinality::List) {
    return Error(ErrorCode::InvalidArgument,
                 "the json field " + go::quote(key) + " is a list, but its type is not");
  }
  return facts(**field, value_type(**field));
}

}  // namespace kube::meta::detail
