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

void sort_along(const json::Value& merge_patch, json::Value& result) {
  json::Object* members = result.if_object();
  if (members == nullptr || !merge_patch.is_object()) return;
  for (const auto& [name, change] : *merge_patch.if_object()) {
    if (json::Value* member = members->find(name)) sort_along(change, *member);
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
  const auto result = apply_patch(format, typed ? in_order_of_type(resource, current) : current,
                                  patch, resource.gvk);
  if (!result) return {};
  if (!typed) return json::sorted_members(*result);
  json::Value shown = *result;
  if (format == PatchFormat::Merge) sort_along(patch, shown);
  if (format == PatchFormat::Json && patch.is_array()) {
    for (const json::Value& operation : *patch.if_array()) {
      for (const char* pointer : {"path", "from"})
        sort_on_way(operation.string_at({pointer}), shown);
    }
  }
  return shown;
}

}  // namespace kube::apiserver
