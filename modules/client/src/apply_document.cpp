// SPDX-License-Identifier: Apache-2.0
//
// Makes the document of a server-side apply: leaves out the fields that are not set.
#include <kube/client/apply_document.hpp>

#include <algorithm>
#include <vector>

#include <kube/codec/codec.hpp>

namespace kube {
namespace {

using meta::Cardinality;
using meta::FieldDescriptor;
using meta::TypeDescriptor;

bool is_zero(const json::Value& value) {
  if (value.is_null()) return true;
  if (const bool* flag = value.if_bool()) return !*flag;
  if (const std::int64_t* number = value.if_int()) return *number == 0;
  if (value.is_string()) return value.string_or_empty().empty();
  if (const json::Array* list = value.if_array()) return list->empty();
  if (const json::Object* object = value.if_object()) return object->empty();
  return value == json::Value(0.0);
}

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
    if (member.is_null() || (!says_when_set && is_zero(member))) unset.push_back(key);
  }
  for (const std::string& key : unset) object->erase(key);
}

}  // namespace

Result<json::Value> apply_document(const void* object, const TypeDescriptor& type) {
  std::string text;
  meta::write_json(object, type, text);
  Result<json::Value> document = json::parse(text);
  if (!document) return document.error();
  drop_unset(*document, type);
  return document;
}

}  // namespace kube
