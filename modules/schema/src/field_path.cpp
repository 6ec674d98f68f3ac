// SPDX-License-Identifier: Apache-2.0
//
// Where the JSON paths of a definition lead in its schemas.
#include <algorithm>
#include <utility>

#include <kube/schema/documents.hpp>

namespace kube::schema {
namespace {

using json::Value;

const Value* member_of(const Value& schema, std::string_view key) {
  const Value* found = schema.at_path({key});
  return found == nullptr || !found->is_object() ? nullptr : found;
}

// Takes "['name']" from the beginning of a path; the empty text when it begins with something else.
std::string_view take_key(std::string_view& path) {
  constexpr std::string_view kOpen = "['";
  const std::size_t end = path.find("']", kOpen.size());
  if (!path.starts_with(kOpen) || end == std::string_view::npos) return {};
  const std::string_view name = path.substr(kOpen.size(), end - kOpen.size());
  path.remove_prefix(end + 2);
  return name;
}

// Takes what is before the next delimiter.
std::string_view take_word(std::string_view& path) {
  const std::string_view word = path.substr(0, std::min(path.find_first_of(".[]"), path.size()));
  path.remove_prefix(word.size());
  return word;
}

}  // namespace

FoundField find_field(const json::Value& schema, std::string_view path, FieldPaths form) {
  const FoundField nothing{.problem = "does not refer to a valid field"};
  const Value* at = &schema;
  while (!path.empty()) {
    const bool has_key = path.front() == '[' && form == FieldPaths::WithKeys;
    std::string_view name;
    if (has_key) {
      name = take_key(path);
    } else if (path.front() == '.') {
      path.remove_prefix(1);
      name = take_word(path);
    } else {
      return {.problem = "expected [ or . but got: " + std::string(take_word(path))};
    }
    if (name.empty()) return nothing;
    const Value* properties = member_of(*at, "properties");
    const Value* next = properties == nullptr ? nullptr : properties->at_path({name});
    if (has_key && properties == nullptr) next = member_of(*at, "additionalProperties");
    if (next == nullptr) return nothing;
    at = next;
  }
  return {.schema = at};
}

}  // namespace kube::schema
