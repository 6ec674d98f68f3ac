// SPDX-License-Identifier: Apache-2.0
#include "requests/patched_text.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/codec/codec.hpp>
#include <kube/codec/transcode.hpp>
#include <kube/patch/json_pointer.hpp>

namespace kube::apiserver {
namespace {

void sort_shallow(json::Object& object) {
  std::vector<std::pair<std::string, json::Value>> members;
  for (auto& [name, member] : object) members.emplace_back(name, std::move(member));
  std::ranges::sort(members, {},
                    [](const auto& member) -> const std::string& { return member.first; });
  json::Object sorted;
  for (auto& [name, member] : members) sorted.set(name, std::move(member));
  object = std::move(sorted);
}

// Sorts what the library of the reference server has read on the way: an object that is merged, and
// all objects in what comes new. What takes the place of an object stays as it was sent.
void sort_along(const json::Value* before, const json::Value& merge_patch, json::Value& result) {
  json::Object* members = result.if_object();
  const bool was_object = before != nullptr && before->is_object();
  if (!was_object) {
    result = json::sorted_members(result);
    return;
  }
  if (members == nullptr || !merge_patch.is_object()) return;
  for (const auto& [name, change] : *merge_patch.if_object()) {
    if (json::Value* member = members->find(name))
      sort_along(before->if_object()->find(name), change, *member);
  }
  sort_shallow(*members);
}

// Sorts the objects on the way to what a pointer names.
void sort_on_way(std::string_view pointer, json::Value& result) {
  json::Value* at = &result;
  for (const std::string& token : meta::detail::parse_loose_pointer(pointer)) {
    if (at == nullptr) return;
    if (json::Object* members = at->if_object()) sort_shallow(*members);
    at = meta::detail::step(*at, token);
  }
}

json::Value without_nulls(const json::Value& value) {
  if (const json::Array* items = value.if_array()) {
    json::Array out;
    for (const json::Value& item : *items) out.push_back(without_nulls(item));
    return out;
  }
  if (!value.is_object()) return value;
  json::Object out;
  for (const auto& [name, member] : *value.if_object())
    if (!member.is_null()) out.append(name, without_nulls(member));
  return out;
}

json::Value in_order_of_type(const Resource& resource, const json::Value& document) {
  const auto object = meta::make_object(*resource.type);
  const auto read = meta::read_json(json::dump(document), *resource.type, object.get(), {});
  std::string text;
  if (read) meta::write_json(object.get(), *resource.type, text);
  auto ordered = json::parse(text);
  if (!ordered || !ordered->is_object()) return document;
  json::Object out{{"kind", resource.gvk.kind}, {"apiVersion", resource.gvk.api_version()}};
  for (auto& [name, member] : *ordered->if_object()) out.set(name, std::move(member));
  return out;
}

}  // namespace

json::Value shown_result(const Resource& resource, PatchFormat format, const json::Value& current,
                         const json::Value& patch) {
  const bool typed = resource.is_typed();
  const json::Value before = typed ? in_order_of_type(resource, current) : current;
  const auto result = apply_patch(format, before, patch, resource.gvk);
  if (!result) return {};
  if (!typed) return json::sorted_members(*result);
  json::Value shown = *result;
  if (format == PatchFormat::Merge) sort_along(&before, patch, shown);
  if (format == PatchFormat::Json && patch.is_array()) {
    for (const json::Value& operation : *patch.if_array()) {
      for (const char* pointer : {"path", "from"})
        sort_on_way(operation.string_at({pointer}), shown);
    }
  }
  return shown;
}

json::Value shown_patch(const json::Value& current, const json::Value& patch) {
  const json::Object* before = current.if_object();
  if (before == nullptr || !patch.is_object()) return patch;
  json::Object out;
  for (const auto& [name, change] : *patch.if_object()) {
    const json::Value* member = before->find(name);
    out.append(name, member == nullptr ? without_nulls(change) : shown_patch(*member, change));
  }
  return out;
}

}  // namespace kube::apiserver
