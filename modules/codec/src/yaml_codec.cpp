// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes objects as YAML, through JSON.
#include <kube/codec/yaml.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <kube/base/join.hpp>
#include <kube/codec/strict_fields.hpp>
#include <kube/json/value.hpp>
#include <kube/json/yaml.hpp>

#include "type_facts.hpp"

namespace kube::meta {
namespace {

void sort_members(json::Value& value) {
  if (json::Array* array = value.if_array()) {
    for (json::Value& element : *array) sort_members(element);
  } else if (json::Object* object = value.if_object()) {
    std::vector<json::Object::Member> members(std::make_move_iterator(object->begin()),
                                              std::make_move_iterator(object->end()));
    std::ranges::sort(members, {}, &json::Object::Member::first);
    for (auto& [key, member] : members) sort_members(member);
    *object = json::Object(std::move(members));
  }
}

}  // namespace

Result<void> read_yaml(std::string_view text, const TypeDescriptor& type, void* object,
                       const ReadOptions& options) {
  const bool look = options.strict || options.problems != nullptr;
  std::vector<std::string> repeated;
  auto value = look ? yaml::parse(text, repeated) : yaml::parse(text);
  if (!value) return value.error().with_context("read " + std::string(label_of(type)));
  if (!look) return read_json(json::dump(*value), type, object);
  sort_members(*value);
  std::vector<std::string> problems;
  if (auto read = read_json(json::dump(*value), type, object, {.problems = &problems}); !read)
    return read;
  if (!repeated.empty()) {
    problems.insert(problems.begin(), "yaml: unmarshal errors:\n  " + join(repeated, "\n  "));
  }
  return report_problems(std::move(problems), options);
}

void write_yaml(const void* object, const TypeDescriptor& type, std::string& out) {
  std::string text;
  write_json(object, type, text);
  auto value = json::parse(text);
  // Only raw JSON that the program set can be invalid; the output then shows the error.
  if (!value) {
    out += text;
    return;
  }
  sort_members(*value);
  out += yaml::dump(*value);
}

}  // namespace kube::meta
