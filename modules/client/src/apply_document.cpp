// SPDX-License-Identifier: Apache-2.0
//
// Makes the document of a server-side apply: leaves out the fields that are not set, and adds those
// that were set to zero.
#include <kube/client/apply_document.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <kube/codec/codec.hpp>

#include "zero_value.hpp"

namespace kube {
namespace {

using meta::Cardinality;
using meta::FieldDescriptor;
using meta::TypeDescriptor;

const FieldDescriptor* find_field(const TypeDescriptor& type, std::string_view key) {
  const auto found = std::ranges::find_if(
      type.keys.fields, [&](const FieldDescriptor* field) { return field->json == key; });
  return found == type.keys.fields.end() ? nullptr : *found;
}

void drop_unset(json::Value& value, const TypeDescriptor& type);

void drop_unset_in_field(json::Value& value, const FieldDescriptor& field) {
  if (field.message == nullptr) return;
  switch (field.cardinality) {
    case Cardinality::Plain:
    case Cardinality::Optional:
      drop_unset(value, *field.message);
      return;
    case Cardinality::List:
      if (json::Array* list = value.if_array()) {
        for (json::Value& element : *list) drop_unset(element, *field.message);
      }
      return;
    case Cardinality::Map:
      if (json::Object* members = value.if_object()) {
        for (auto& [key, member] : *members) drop_unset(member, *field.message);
      }
      return;
  }
}

void drop_unset(json::Value& value, const TypeDescriptor& type) {
  json::Object* object = value.if_object();
  if (object == nullptr || type.json_form != meta::JsonForm::Object) return;
  std::vector<std::string> unset;
  for (auto& [key, member] : *object) {
    const FieldDescriptor* field = find_field(type, key);
    if (field == nullptr) continue;  // kind and apiVersion
    drop_unset_in_field(member, *field);
    const bool says_when_set = field->cardinality == Cardinality::Optional;
    if (member.is_null() || (!says_when_set && is_zero_value(member))) unset.push_back(key);
  }
  for (const std::string& key : unset) object->erase(key);
}

json::Value zero_of(const FieldDescriptor& field) {
  if (field.cardinality == Cardinality::List) return json::Array();
  if (field.cardinality == Cardinality::Map) return json::Object();
  switch (field.kind) {
    case meta::ValueKind::Bool:
      return false;
    case meta::ValueKind::Int32:
    case meta::ValueKind::Int64:
    case meta::ValueKind::Double:
    case meta::ValueKind::IntOrString:
      return 0;
    case meta::ValueKind::String:
    case meta::ValueKind::Bytes:
      return "";
    case meta::ValueKind::Message:
      return json::Object();
    default:
      return nullptr;  // a time or a quantity without a value
  }
}

bool names_item(const json::Object& zeros, const json::Object& item) {
  return std::ranges::all_of(zeros, [&](const auto& member) {
    const json::Value& value = member.second;
    if (is_zero_value(value) || value.is_object() || value.is_array()) return true;
    const json::Value* found = item.find(member.first);
    return found != nullptr && *found == value;
  });
}

bool names_no_item(const json::Object& zeros) {
  return names_item(zeros, json::Object());
}

void add_zeros(json::Object& to, const TypeDescriptor& type, const json::Object& zeros);

void add_zeros_to_items(json::Array& items, const TypeDescriptor& type, const json::Array& zeros) {
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    const json::Object* one = zeros[i].if_object();
    if (one == nullptr) continue;
    const bool by_index = names_no_item(*one);
    for (std::size_t at = 0; at < items.size(); ++at) {
      json::Object* item = items[at].if_object();
      if (item != nullptr && (by_index ? at == i : names_item(*one, *item)))
        add_zeros(*item, type, *one);
    }
  }
}

// The members of a field that has some, and of one whose only content is zeros.
void add_zeros_inside(json::Object& to, const FieldDescriptor& field, const json::Value& zeros) {
  json::Value* present = to.find(field.json);
  const json::Object* members = zeros.if_object();
  switch (field.cardinality) {
    case Cardinality::Optional:
      if (present == nullptr) return;  // the object says that it is not set
      [[fallthrough]];
    case Cardinality::Plain: {
      if (members == nullptr || field.message->json_form != meta::JsonForm::Object) return;
      json::Object inside;
      json::Object* place = present == nullptr ? &inside : present->if_object();
      if (place == nullptr) return;
      add_zeros(*place, *field.message, *members);
      if (!inside.empty()) to.set(field.json, std::move(inside));
      return;
    }
    case Cardinality::List:
      if (const json::Array* items = zeros.if_array(); items != nullptr && present != nullptr) {
        if (json::Array* list = present->if_array())
          add_zeros_to_items(*list, *field.message, *items);
      }
      return;
    case Cardinality::Map:
      if (members == nullptr || present == nullptr) return;
      for (const auto& [key, each] : *members) {
        json::Object* map = present->if_object();
        json::Value* value = map == nullptr ? nullptr : map->find(key);
        if (value != nullptr && value->if_object() != nullptr && each.if_object() != nullptr)
          add_zeros(*value->if_object(), *field.message, *each.if_object());
      }
      return;
  }
}

void add_zeros(json::Object& to, const TypeDescriptor& type, const json::Object& zeros) {
  for (const auto& [key, value] : zeros) {
    const FieldDescriptor* field = find_field(type, key);
    if (field == nullptr) continue;
    if (!is_zero_value(value)) {
      if (field->message != nullptr) add_zeros_inside(to, *field, value);
    } else if (field->cardinality != Cardinality::Optional && !to.contains(key)) {
      json::Value zero = value.is_null() ? zero_of(*field) : value;
      if (!zero.is_null()) to.set(key, std::move(zero));
    }
  }
}

}  // namespace

Result<json::Value> apply_document(const void* object, const TypeDescriptor& type,
                                   const json::Value& zeros) {
  std::string text;
  meta::write_json(object, type, text);
  Result<json::Value> document = json::parse(text);
  if (!document) return document.error();
  drop_unset(*document, type);
  json::Object* members = document->if_object();
  if (members == nullptr) return document;
  if (const json::Object* set = zeros.if_object()) add_zeros(*members, type, *set);
  if (type.kind == "Scale")
    add_zeros(*members, type, {{"spec", json::Object{{"replicas", nullptr}}}});
  return document;
}

}  // namespace kube
