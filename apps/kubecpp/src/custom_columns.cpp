// SPDX-License-Identifier: Apache-2.0
#include "custom_columns.hpp"

#include <algorithm>
#include <utility>

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
namespace json = kube::json;

Error wrong_columns(std::string text) {
  return {ErrorCode::InvalidArgument, std::move(text)};
}

// As Go prints the value: map[a:1 b:[x y]].
std::string cell_of(const json::Value& value) {
  std::string out;
  if (const json::Array* items = value.if_array()) {
    for (const json::Value& item : *items) out += (out.empty() ? "[" : " ") + cell_of(item);
    return (out.empty() ? "[" : out) + "]";
  }
  if (!value.is_object()) return value.is_null() ? "<nil>" : json::json_path_text(value);
  const json::Value sorted = json::sorted_members(value);
  for (const auto& [name, member] : *sorted.if_object())
    out += (out.empty() ? "" : " ") + name + ":" + cell_of(member);
  return "map[" + out + "]";
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

}  // namespace

Result<void> CustomColumns::add(std::string_view header, std::string_view path) {
  auto text = json::relaxed_json_path(path);
  if (!text) return text.error();
  auto parsed = json::JsonPathTemplate::parse(*text);
  if (!parsed) return parsed.error();
  columns_.push_back({std::string(header), *std::move(parsed)});
  return {};
}

Result<CustomColumns> CustomColumns::parse(std::string_view spec) {
  if (spec.empty())
    return wrong_columns("custom-columns format specified but no custom columns given");
  CustomColumns columns;
  for (std::size_t begin = 0; begin <= spec.size();) {
    const std::size_t end = std::min(spec.find(',', begin), spec.size());
    const std::string_view column = spec.substr(begin, end - begin);
    const std::size_t colon = column.find(':');
    if (colon == std::string_view::npos) {
      return wrong_columns("unexpected custom-columns spec: " + std::string(column) +
                           ", expected <header>:<json-path-expr>");
    }
    if (auto added = columns.add(column.substr(0, colon), column.substr(colon + 1)); !added)
      return added.error();
    begin = end + 1;
  }
  return columns;
}

Result<CustomColumns> CustomColumns::parse_file(std::string_view text) {
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::string_view rest = text.substr(std::min(line + 1, text.size()));
  const auto headers = words_of(text.substr(0, line));
  const auto paths = words_of(rest.substr(0, std::min(rest.find('\n'), rest.size())));
  if (headers.empty() || headers.size() != paths.size()) {
    return wrong_columns("number of headers (" + std::to_string(headers.size()) +
                         ") and field specifications (" + std::to_string(paths.size()) +
                         ") don't match");
  }
  CustomColumns columns;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (auto added = columns.add(headers[i], paths[i]); !added) return added.error();
  }
  return columns;
}

Result<json::Value> CustomColumns::table(const json::Array& objects) const {
  json::Array definitions;
  for (const Column& column : columns_)
    definitions.push_back(json::Object{{"name", column.header}});
  json::Array rows;
  for (const json::Value& object : objects) {
    json::Array cells;
    for (const Column& column : columns_) {
      const auto found = column.path.find(object, {.allow_missing_keys = true});
      if (!found) return found.error();
      std::string cell;
      bool any = false;
      for (const auto& values : *found) {
        for (const json::Value* value : values)
          cell += (std::exchange(any, true) ? "," : "") + cell_of(*value);
      }
      cells.push_back(any ? cell : "<none>");
    }
    rows.push_back(json::Object{{"cells", std::move(cells)}});
  }
  return json::Value(
      json::Object{{"columnDefinitions", std::move(definitions)}, {"rows", std::move(rows)}});
}

}  // namespace kubecpp
