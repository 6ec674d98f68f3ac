// SPDX-License-Identifier: Apache-2.0
#include "field_set.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

namespace kube::meta {
namespace {

constexpr std::string_view kSelf = ".";

// Elements of a path: a field, a key of a list's item, a value of a set, an index.
bool is_path_element(std::string_view text) {
  if (text == kSelf || text.starts_with("f:")) return true;
  if (text.starts_with("i:")) {
    std::int64_t index = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + 2, end, index);
    return read.ec == std::errc() && read.ptr == end;
  }
  if (!text.starts_with("k:") && !text.starts_with("v:")) return false;
  const auto value = json::parse(text.substr(2));
  return value && (text.front() == 'v' || value->is_object());
}

Result<void> check_below(const json::Value& set, const std::string& path) {
  const auto wrong = [&](std::string what) {
    return Error(ErrorCode::Decode, "fieldsV1" + path + ": expected " + std::move(what));
  };
  const json::Object* members = set.if_object();
  if (members == nullptr) return wrong("an object, found " + std::string(set.type_name()));
  for (const auto& [name, below] : *members) {
    if (!is_path_element(name))
      return wrong("names that begin with f:, k:, v: or i:, found \"" + name + "\"");
    if (auto valid = check_below(below, path + "." + name); !valid) return valid;
  }
  return {};
}

// Whether the field itself is in the set: as a leaf, or with ".".
bool has_self(const json::Object& node) {
  return node.empty() || node.contains(kSelf);
}

json::Value unite(const json::Object& a, const json::Object& b, bool root) {
  const bool self = !root && (has_self(a) || has_self(b));
  json::Object out;
  for (const auto& [name, below] : a) {
    const json::Value* other = b.find(name);
    if (name == kSelf) continue;
    out.append(name,
               other == nullptr ? below : unite(*below.if_object(), *other->if_object(), false));
  }
  for (const auto& [name, below] : b) {
    if (name != kSelf && !a.contains(name)) out.append(name, below);
  }
  if (self && !out.empty()) out.append(std::string(kSelf), json::Object{});
  return json::sorted_members(out);
}

}  // namespace

Result<void> check_field_set(const json::Value& set) {
  return check_below(set, "");
}

bool has_all_fields(const json::Value& whole, const json::Value& part) {
  const json::Object& all = *whole.if_object();
  return std::ranges::all_of(*part.if_object(), [&](const auto& member) {
    const auto& [name, below] = member;
    if (name == kSelf) return has_self(all);
    const json::Value* found = all.find(name);
    if (found == nullptr) return false;
    if (below.if_object()->empty()) return has_self(*found->if_object());
    return has_all_fields(*found, below);
  });
}

json::Value united_fields(const json::Value& a, const json::Value& b) {
  return unite(*a.if_object(), *b.if_object(), true);
}

}  // namespace kube::meta
