// SPDX-License-Identifier: Apache-2.0
//
// Reads the sets of fields in metadata.managedFields (FieldsV1), and takes these fields of an
// object.
#include <kube/client/extract.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "zero_value.hpp"

namespace kube {
namespace {

// A set is an object whose members are the steps to fields: "f:name" for a member, "k:{...}" for
// the item of a list with that key, "v:..." for a value of a set, "i:0" for an index; "." is the
// place itself. Without steps it is the end of a path.
using FieldSet = json::Object;

Error malformed(const std::string& step) {
  return {ErrorCode::Decode,
          "metadata.managedFields: expected a field such as f:spec, got \"" + step + "\""};
}

bool is_end_of_path(const FieldSet& set) {
  return std::ranges::all_of(set, [](const auto& step) { return step.first == "."; });
}

// The sets of all entries at one place, by which a granular map is told from an atomic one.
using SetsAtPlace = std::vector<const FieldSet*>;

bool is_granular(const SetsAtPlace& all) {
  return std::ranges::any_of(all, [](const FieldSet* each) { return !is_end_of_path(*each); });
}

SetsAtPlace below(const SetsAtPlace& all, const std::string& step) {
  SetsAtPlace found;
  for (const FieldSet* set : all) {
    const json::Value* member = set->find(step);
    const json::Object* object = member == nullptr ? nullptr : member->if_object();
    if (object != nullptr) found.push_back(object);
  }
  return found;
}

bool has_key(const json::Value& item, const json::Object& key) {
  return std::ranges::all_of(key, [&](const auto& member) {
    const json::Value* found = item.at_path({member.first});
    return found != nullptr && *found == member.second;
  });
}

// Returns the index of the item that a step names; nullopt when it is not there any more.
Result<std::optional<std::size_t>> index_of(const json::Array& list, const std::string& step) {
  const auto found_by = [&](const auto& is_it) {
    const auto found = std::ranges::find_if(list, is_it);
    return found == list.end() ? std::optional<std::size_t>()
                               : std::optional(static_cast<std::size_t>(found - list.begin()));
  };
  const std::string_view text =
      std::string_view(step).substr(std::min<std::size_t>(2, step.size()));
  if (step.starts_with("i:")) {
    std::size_t index = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), index);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return malformed(step);
    return index < list.size() ? std::optional(index) : std::nullopt;
  }
  const Result<json::Value> value = json::parse(text);
  if (!value) return malformed(step);
  if (step.starts_with("v:")) {
    return found_by([&](const json::Value& item) { return item == *value; });
  }
  const json::Object* key = value->if_object();
  if (!step.starts_with("k:") || key == nullptr) return malformed(step);
  return found_by([&](const json::Value& item) { return has_key(item, *key); });
}

Result<json::Value> extracted(const json::Value& value, const FieldSet& set,
                              const SetsAtPlace& all);

Result<json::Value> extracted_object(const json::Object& object, const FieldSet& set,
                                     const SetsAtPlace& all) {
  json::Object out;
  for (const auto& [step, inside] : set) {
    if (step == ".") continue;
    const json::Object* steps = inside.if_object();
    if (!step.starts_with("f:") || steps == nullptr) return malformed(step);
    const json::Value* member = object.find(std::string_view(step).substr(2));
    if (member == nullptr) continue;
    Result<json::Value> value = extracted(*member, *steps, below(all, step));
    if (!value) return value;
    out.set(std::string_view(step).substr(2), *std::move(value));
  }
  return json::Value(std::move(out));
}

Result<json::Value> extracted_list(const json::Array& list, const FieldSet& set,
                                   const SetsAtPlace& all) {
  std::vector<std::pair<std::size_t, json::Value>> items;  // by their place in the object
  for (const auto& [step, inside] : set) {
    if (step == ".") continue;
    const json::Object* steps = inside.if_object();
    if (steps == nullptr) return malformed(step);
    const auto index = index_of(list, step);
    if (!index) return index.error();
    if (!*index) continue;
    const json::Value& item = list[**index];
    Result<json::Value> value = extracted(item, *steps, below(all, step));
    if (!value) return value;
    if (json::Object* members = value->if_object(); members != nullptr && step.starts_with("k:")) {
      const json::Value key = json::parse(std::string_view(step).substr(2)).value();
      for (const auto& [name, part] : *key.if_object()) members->set(name, part);
    }
    items.emplace_back(**index, *std::move(value));
  }
  std::ranges::stable_sort(items, {}, [](const auto& item) { return item.first; });
  json::Array out;
  for (auto& [index, value] : items) out.push_back(std::move(value));
  return json::Value(std::move(out));
}

Result<json::Value> extracted(const json::Value& value, const FieldSet& set,
                              const SetsAtPlace& all) {
  const json::Object* object = value.if_object();
  const json::Array* list = value.if_array();
  if (is_end_of_path(set)) {
    // Of an atomic object or list no manager owns a part. Where one does, what is owned here is the
    // place without its content.
    if (!is_granular(all) || (object == nullptr && list == nullptr)) return value;
    return object != nullptr ? json::Value(json::Object()) : json::Value(json::Array());
  }
  if (object != nullptr) return extracted_object(*object, set, all);
  if (list != nullptr) return extracted_list(*list, set, all);
  return value;  // its form has changed since
}

// The zeros in what is owned as a whole. Items without a zero keep their place as {}.
json::Value zeros_of_whole(const json::Value& value) {
  if (const json::Object* object = value.if_object()) {
    json::Object out;
    for (const auto& [name, member] : *object) {
      if (is_zero_value(member)) {
        out.set(name, member);
      } else if (json::Value inside = zeros_of_whole(member); !inside.is_null()) {
        out.set(name, std::move(inside));
      }
    }
    return out.empty() ? json::Value() : json::Value(std::move(out));
  }
  if (const json::Array* list = value.if_array()) {
    json::Array out;
    bool found = false;
    for (const json::Value& item : *list) {
      json::Value inside = item.is_object() ? zeros_of_whole(item) : json::Value();
      found = found || !inside.is_null();
      out.push_back(inside.is_null() ? json::Value(json::Object()) : std::move(inside));
    }
    return found ? json::Value(std::move(out)) : json::Value();
  }
  return {};
}

// What of a value, which extracted() has accepted, is owned and zero; null for nothing.
json::Value zeros_of(const json::Value& value, const FieldSet& set, const SetsAtPlace& all);

void add_zeros_of_member(const json::Object& object, const std::string& step, const FieldSet& steps,
                         const SetsAtPlace& all, json::Object& to) {
  const std::string_view name = std::string_view(step).substr(2);
  const json::Value* member = object.find(name);
  if (is_end_of_path(steps)) {
    const bool zero = member == nullptr || is_zero_value(*member);
    const bool owned_without_parts =
        !zero && is_granular(all) && (member->is_object() || member->is_array());
    if (zero || owned_without_parts) {
      to.set(name, zero && member != nullptr ? *member : json::Value());
      return;
    }
  }
  if (member == nullptr) return;
  json::Value inside = zeros_of(*member, steps, all);
  if (!inside.is_null()) to.set(name, std::move(inside));
}

json::Value zeros_of(const json::Value& value, const FieldSet& set, const SetsAtPlace& all) {
  if (is_end_of_path(set)) return zeros_of_whole(value);
  if (const json::Object* object = value.if_object()) {
    json::Object out;
    for (const auto& [step, inside] : set) {
      if (step != ".")
        add_zeros_of_member(*object, step, *inside.if_object(), below(all, step), out);
    }
    return out.empty() ? json::Value() : json::Value(std::move(out));
  }
  const json::Array* list = value.if_array();
  if (list == nullptr) return {};
  json::Array out;
  for (const auto& [step, inside] : set) {
    if (!step.starts_with("k:")) continue;
    const std::optional<std::size_t> index = index_of(*list, step).value();
    if (!index) continue;
    json::Value zeros = zeros_of((*list)[*index], *inside.if_object(), below(all, step));
    json::Object* members = zeros.if_object();
    if (members == nullptr) continue;
    const json::Value key = json::parse(std::string_view(step).substr(2)).value();
    for (const auto& [name, part] : *key.if_object()) members->set(name, part);
    out.push_back(std::move(zeros));
  }
  return out.empty() ? json::Value() : json::Value(std::move(out));
}

void copy_text(const json::Value& from, json::Value::Path path, json::Object& to) {
  const json::Value* member = from.at_path(path);
  if (member != nullptr && member->is_string()) to.set(*(path.end() - 1), *member);
}

struct OwnedFields {
  const FieldSet* own = nullptr;  // null: the manager has applied nothing
  SetsAtPlace all{};
};

OwnedFields owned_fields(const json::Value& object, std::string_view field_manager,
                         std::string_view subresource) {
  OwnedFields found;
  const json::Value* managed = object.at_path({"metadata", "managedFields"});
  const json::Array* entries = managed == nullptr ? nullptr : managed->if_array();
  static const json::Array kNone;
  for (const json::Value& entry : entries == nullptr ? kNone : *entries) {
    const json::Value* fields = entry.at_path({"fieldsV1"});
    const FieldSet* set = fields == nullptr ? nullptr : fields->if_object();
    if (set == nullptr) continue;
    found.all.push_back(set);
    const bool is_it = entry.string_at({"manager"}) == field_manager &&
                       entry.string_at({"operation"}) == "Apply" &&
                       entry.string_at({"subresource"}) == subresource;
    if (is_it && found.own == nullptr) found.own = set;
  }
  return found;
}

}  // namespace

Result<json::Value> extract_applied(const json::Value& object, std::string_view field_manager,
                                    std::string_view subresource) {
  json::Value document = json::Object();
  const OwnedFields owned = owned_fields(object, field_manager, subresource);
  if (owned.own != nullptr && object.is_object()) {
    Result<json::Value> fields = extracted_object(*object.if_object(), *owned.own, owned.all);
    if (!fields) return fields;
    document = *std::move(fields);
  }
  json::Object& members = *document.if_object();
  copy_text(object, {"apiVersion"}, members);
  copy_text(object, {"kind"}, members);
  json::Value& metadata = members["metadata"];
  if (!metadata.is_object()) metadata = json::Object();
  copy_text(object, {"metadata", "name"}, *metadata.if_object());
  copy_text(object, {"metadata", "namespace"}, *metadata.if_object());
  return document;
}

Result<json::Value> extract_zeros(const json::Value& object, std::string_view field_manager,
                                  std::string_view subresource) {
  const OwnedFields owned = owned_fields(object, field_manager, subresource);
  if (owned.own == nullptr || !object.is_object()) return json::Value();
  // Reads the whole set, and so finds what is malformed.
  const auto fields = extracted_object(*object.if_object(), *owned.own, owned.all);
  if (!fields) return fields.error();
  return zeros_of(object, *owned.own, owned.all);
}

}  // namespace kube
