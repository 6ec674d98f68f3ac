// SPDX-License-Identifier: Apache-2.0
//
// The only walk over JSON text by a type's descriptor. Reading a value, checking a text, and
// collecting and restoring unknown fields are its policies.
#pragma once

#include <kube/json/key_hash.hpp>
#include <kube/json/reader.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "json_scalars.hpp"

namespace kube::meta {

// find_place() among the keys whose slot belongs to another key.
[[gnu::cold, gnu::noinline]] inline std::size_t find_in_rest(const KeyTable& keys,
                                                             std::string_view key) {
  const auto rest = keys.slots.subspan(std::size_t{1} << (64 - keys.shift));
  const auto key_at = [&](std::uint16_t slot) { return keys.fields[slot - 1]->json; };
  const auto found = std::ranges::lower_bound(rest, key, {}, key_at);
  return found != rest.end() && key_at(*found) == key ? *found : 0;
}

// Returns the index of the field in `keys.fields` plus one; 0 if there is none.
inline std::size_t find_place(const KeyTable& keys, std::string_view key) {
  if (key.empty() || keys.fields.empty()) return 0;
  const std::uint16_t slot = keys.slots[json::key_hash(key, keys.seed, keys.shift)];
  if (slot == 0) return 0;
  if (keys.fields[slot - 1]->json == key) return slot;
  const std::size_t table = std::size_t{1} << (64 - keys.shift);
  return keys.slots.size() == table ? 0 : find_in_rest(keys, key);
}

// Whether the last field represents all unknown ones; see runtime_schema.hpp.
inline bool keeps_unknown(const TypeDescriptor& type) {
  if (type.fields.empty()) return false;
  const FieldDescriptor& last = type.fields.back();
  return last.json.empty() && !last.inline_ && last.kind == ValueKind::RawJson &&
         last.cardinality == Cardinality::Map;
}

// Walks over a document and calls the policy, which derives from it. `Place` is a policy's data for
// each value: the member to read into, the node of its unknown fields. A policy has
//
//   bool field(type, field, at, depth)     a known field; calls value() to continue
//   bool scalars(field, at)                a field without messages, or a list or map of scalars
//   Place optional(field, at)              the message of an Optional
//   List begin_list(field, at)             of messages; `List` is handed to each element()
//   bool element(field, at, list, index, depth)
//   void begin_map(field, at)              of messages
//   bool member(field, at, key, depth)
//   Place begin_form(type, at, which)      the value of a type that is not the object of its fields
//   bool end(at)                           the end of the object
//
// and hides unexpected(), type_key() and unknown_key() if it tolerates what they report.
template <class Policy, class Place>
class JsonWalk : protected JsonScalars {
 public:
  using JsonScalars::JsonScalars;

 protected:
  bool message(const TypeDescriptor& type, Place at, int depth) {
    if (type.json_form != JsonForm::Object) return form(type, at, depth);
    if (in_.peek() != '{') return policy().unexpected("an object");
    if (++depth > json::kMaxDepth) return in_.fail();
    StrictFields::Seen seen;
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      std::size_t place = find_place(type.keys, in_.key());
      if (place == 0 && !unusual_key(type, at, depth, place, seen)) return false;
      if (place == 0) continue;
      const FieldDescriptor& field = *type.keys.fields[place - 1];
      if (strict_ != nullptr) strict_->meet(seen, place + 1, field.json);
      if (in_.peek() == 'n') {
        if (!in_.read_null()) return false;
        continue;
      }
      if (strict_ != nullptr) strict_->enter(field.json);
      if (!within_field(field.json, policy().field(type, field, at, depth))) return false;
      if (strict_ != nullptr) strict_->leave();
    }
    return !in_.failed() && policy().end(at);
  }

  // message(), or null, which leaves the place unchanged.
  bool item(const TypeDescriptor& type, Place at, int depth) {
    return in_.peek() == 'n' ? in_.read_null() : message(type, at, depth);
  }

  bool value(const FieldDescriptor& field, Place at, int depth) {
    return field.kind == ValueKind::Message ? messages(field, at, depth)
                                            : policy().scalars(field, at);
  }

  // Out of line, so that value() is inlined into the loop over members.
  [[gnu::noinline]] bool messages(const FieldDescriptor& field, Place at, int depth) {
    switch (field.cardinality) {
      case Cardinality::Plain:
        return message(*field.message, at, depth);
      case Cardinality::Optional:
        return message(*field.message, policy().optional(field, at), depth);
      case Cardinality::List: {
        if (in_.peek() != '[') return policy().unexpected("an array");
        auto list = policy().begin_list(field, at);
        return elements(
            [&](std::size_t index) { return policy().element(field, at, list, index, depth); });
      }
      case Cardinality::Map: {
        if (in_.peek() != '{') return policy().unexpected("an object");
        policy().begin_map(field, at);
        std::string key;
        return members(key, [&] { return policy().member(field, at, key, depth); });
      }
    }
    return in_.fail();
  }

  // Calls each(index) before each element of an array. @pre peek() == '['
  template <class Each>
  bool elements(Each each) {
    std::size_t index = 0;
    for (bool more = in_.begin_array(); more; more = in_.next_element(), ++index) {
      if (strict_ != nullptr) strict_->enter(index);
      if (!within_element(index, each(index))) return false;
      if (strict_ != nullptr) strict_->leave();
    }
    return !in_.failed();
  }

  // Calls each() before each value of a map, with its key in `key`. @pre peek() == '{'
  template <class Each>
  bool members(std::string& key, Each each) {
    StrictFields::SeenKeys seen;
    for (bool more = in_.begin_object(); more; more = in_.next_member()) {
      key.clear();
      if (in_.key().find('\\') == std::string_view::npos) {
        key.assign(in_.key());
      } else if (!in_.read_key_text(key)) {
        return false;
      }
      if (strict_ != nullptr) {
        strict_->meet(seen, key);
        strict_->enter(key);
      }
      if (!within_member(key, each())) return false;
      if (strict_ != nullptr) strict_->leave();
    }
    return !in_.failed();
  }

  // A policy may hide this: the next value does not have the type of the field.
  bool unexpected(std::string_view expected) { return wrong_type(expected); }

  // Reads the kind or apiVersion of a kind.
  bool type_key(const TypeDescriptor& type, std::string_view key, int depth,
                StrictFields::Seen& seen) {
    const bool is_kind = key == "kind";
    if (strict_ != nullptr) strict_->meet(seen, is_kind ? 0 : 1, key);
    if (in_.peek() == 'n') return in_.skip();
    if (in_.peek() != '"') return within_field(key, wrong_type("a string"));
    // Neither is compared for an object inside another one, such as an item of a list.
    if (depth != 1) return in_.skip();
    return is_kind ? check_type("kind", type.kind) : check_type("apiVersion", api_version_of(type));
  }

  bool unknown_key(const TypeDescriptor& type, std::string_view key, Place) {
    if (strict_ != nullptr && !keeps_unknown(type)) strict_->report("unknown field", key);
    return in_.skip();
  }

 private:
  Policy& policy() { return static_cast<Policy&>(*this); }

  // Handles a key that was not found as written: one with escapes, kind or apiVersion, or an
  // unknown key. Reads the value unless it sets `place`.
  [[gnu::noinline]] bool unusual_key(const TypeDescriptor& type, Place at, int depth,
                                     std::size_t& place, StrictFields::Seen& seen) {
    std::string_view key = in_.key();
    std::string text;
    if (key.find('\\') != std::string_view::npos) {
      if (!in_.read_key_text(text)) return false;
      key = text;
      place = find_place(type.keys, key);
      if (place != 0) return true;
    }
    return !type.kind.empty() && (key == "kind" || key == "apiVersion")
               ? policy().type_key(type, key, depth, seen)
               : policy().unknown_key(type, key, at);
  }

  // Reads a type that is not the object of its fields.
  [[gnu::noinline]] bool form(const TypeDescriptor& type, Place at, int depth) {
    const char c = in_.peek();
    std::size_t which = 0;
    if (type.json_form == JsonForm::List) {
      if (++depth > json::kMaxDepth) return in_.fail();
    } else if (type.json_form == JsonForm::SchemaOrBool) {
      if (c != 't' && c != 'f' && c != '{') return policy().unexpected("a boolean or an object");
      which = c == '{' ? 1 : 0;
    } else {
      if (c != '[' && c != '{') return policy().unexpected("an object or an array");
      which = c == '[' ? 1 : 0;
    }
    return value(type.fields[which], policy().begin_form(type, at, which), depth);
  }
};

}  // namespace kube::meta
