// SPDX-License-Identifier: Apache-2.0

#include "kinds/cells.hpp"

#include <algorithm>

#include <kube/base/join.hpp>
#include <kube/names/label_selector.hpp>
#include <kube/names/time.hpp>

#include "documents/metadata.hpp"

namespace kube::serving {

namespace cells {

json::Value text(const CellInput& input) {
  return text_or(first_text(input), input.argument);
}

json::Value number(const CellInput& input) {
  return input.found.empty() ? json::Value(input.argument) : *input.found.front();
}

json::Value flag(const CellInput& input) {
  const bool* found = input.found.empty() ? nullptr : input.found.front()->if_bool();
  return found == nullptr ? input.argument == "true" : *found;
}

json::Value elapsed(const CellInput& input) {
  if (input.found.empty() && !input.argument.empty()) return input.argument;
  return since(first_text(input), input.now);
}

json::Value count(const CellInput& input) {
  if (input.found.empty()) return 0;
  const json::Value& value = *input.found.front();
  const std::size_t size = value.is_array()    ? value.if_array()->size()
                           : value.is_object() ? value.if_object()->size()
                                               : 0;
  return static_cast<std::int64_t>(size);
}

json::Value labels(const CellInput& input) {
  const json::Object* labels = input.found.empty() ? nullptr : input.found.front()->if_object();
  if (labels == nullptr || labels->empty()) return "<none>";
  std::vector<std::string> parts;
  for (const auto& [key, value] : *labels) parts.push_back(key + "=" + cell_text(value));
  std::ranges::sort(parts);
  return join(parts, ",");
}

json::Value selector(const CellInput& input) {
  return input.found.empty() ? "<none>" : shown_selector(*input.found.front());
}

json::Value list(const CellInput& input) {
  return text_or(join(all_texts(input), ","), input.argument);
}

json::Value spaced_list(const CellInput& input) {
  return join(all_texts(input), ", ");
}

}  // namespace cells

std::string since(std::string_view time, WallTime now) {
  if (time.empty()) return "<unknown>";
  const auto parsed = meta::Time::parse(time);
  if (!parsed || parsed->is_zero()) return "<unknown>";
  return meta::human_duration(std::chrono::duration_cast<Duration>(now - parsed->to_wall_time()));
}

std::string cell_text(const json::Value& value) {
  if (const std::string* text = value.if_string()) return *text;
  if (value.is_bool() || value.is_number()) return json::dump(value);
  return {};
}

std::string first_text(const CellInput& input) {
  return input.found.empty() ? std::string{} : cell_text(*input.found.front());
}

std::vector<std::string> all_texts(const CellInput& input) {
  std::vector<std::string> out;
  for (const json::Value* value : input.found) {
    if (const json::Array* items = value->if_array()) {
      for (const json::Value& item : *items) out.push_back(cell_text(item));
    } else {
      out.push_back(cell_text(*value));
    }
  }
  return out;
}

std::string text_or(std::string_view text, std::string_view otherwise) {
  return std::string(text.empty() ? otherwise : text);
}

std::string text_at(const json::Value& value, std::initializer_list<std::string_view> path,
                    std::string_view otherwise) {
  const json::Value* found = value.at_path(path);
  return text_or(found == nullptr ? std::string{} : cell_text(*found), otherwise);
}

std::string pair_at(const json::Value& object, std::initializer_list<std::string_view> path,
                    std::string_view first, std::string_view second) {
  const json::Value* found = object.at_path(path);
  if (found == nullptr || !found->is_object()) return {};
  return std::string(found->string_at({first})) + "/" + std::string(found->string_at({second}));
}

std::string first_of(const std::vector<std::string>& parts, std::size_t max,
                     std::string_view separator) {
  if (parts.size() <= max) return join(parts, separator);
  const std::vector<std::string> first(parts.begin(),
                                       parts.begin() + static_cast<std::ptrdiff_t>(max));
  return join(first, separator) + " + " + std::to_string(parts.size() - max) + " more...";
}

std::string shown_selector(const json::Value& selector) {
  const auto read = kube::labels::from_label_selector(selector);
  return read ? text_or(read->to_string(), "<none>") : "<error>";
}

const json::Value* find_condition(const json::Value& object, std::string_view type) {
  for (const json::Value& condition : object.array_at({"status", "conditions"})) {
    if (condition.string_at({"type"}) == type) return &condition;
  }
  return nullptr;
}

bool is_condition_true(const json::Value& object, std::string_view type) {
  const json::Value* condition = find_condition(object, type);
  return condition != nullptr && condition->string_at({"status"}) == "True";
}

std::string first_true(const json::Value& object, std::initializer_list<std::string_view> types,
                       std::string_view otherwise) {
  for (const std::string_view type : types) {
    if (is_condition_true(object, type)) return std::string(type);
  }
  return std::string(otherwise);
}

}  // namespace kube::serving
