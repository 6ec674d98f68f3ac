// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/query.hpp>

#include <algorithm>

#include <kube/meta/converter.hpp>

namespace kube::meta {

namespace {

std::string text_of(const json::Value& value) {
  if (value.is_null()) return {};
  return value.is_string() ? std::string(value.string_or_empty()) : json::dump(value);
}

void append_list(std::string_view key, const json::Value& value, QueryParameters& query) {
  const json::Array* list = value.if_array();
  if (list == nullptr) return;
  for (const json::Value& item : *list) {
    if (std::string text = text_of(item); !text.empty()) query.emplace_back(key, std::move(text));
  }
}

void append_fields(const json::Value& object, const TypeDescriptor& type, QueryParameters& query) {
  for (const FieldDescriptor& field : type.fields) {
    if (field.inline_) {
      append_fields(object, *field.message, query);
      continue;
    }
    const json::Value* value = object.at_path({field.json});
    if (value == nullptr || field.cardinality == Cardinality::Map) continue;
    if (field.cardinality == Cardinality::List) {
      append_list(field.json, *value, query);
    } else if (value->is_object()) {
      if (field.kind == ValueKind::Message) append_fields(*value, *field.message, query);
    } else {
      query.emplace_back(field.json, text_of(*value));
    }
  }
}

}  // namespace

QueryParameters to_query(const void* object, const TypeDescriptor& type) {
  QueryParameters query;
  append_fields(to_value(object, type), type, query);
  if (!type.kind.empty()) {
    std::erase_if(query,
                  [](const auto& p) { return p.first == "kind" || p.first == "apiVersion"; });
  }
  std::stable_sort(query.begin(), query.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return query;
}

}  // namespace kube::meta
