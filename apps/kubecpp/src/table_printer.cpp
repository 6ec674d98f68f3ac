// SPDX-License-Identifier: Apache-2.0
#include "table_printer.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <kube/base/ascii.hpp>

#include "error_output.hpp"

namespace kubecpp {
namespace {

namespace json = kube::json;

constexpr std::size_t kPadding = 3;
constexpr std::size_t kMin = 6;  // the width of a column with its padding

const json::Array& array_at(const json::Value& value, std::string_view key) {
  static const json::Array none;
  const json::Value* member = value.at_path({key});
  const json::Array* array = member == nullptr ? nullptr : member->if_array();
  return array == nullptr ? none : *array;
}

// Returns one line without control characters: in kubectl's form, with escapes for the characters
// that kubectl does not escape.
std::string line_of(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("\n\r\f\t\v\x1b", begin), text.size());
    kube::append_printable(result, text.substr(begin, end - begin));
    begin = end + 1;
    if (end == text.size()) break;
    const char c = text[end];
    if (c == '\n' || c == '\r' || c == '\f') return result + "...";
    result += c == '\x1b' ? "^[" : " ";
  }
  return result;
}

std::string cell_text(const json::Value& cell) {
  if (cell.is_null()) return {};
  const std::string* text = cell.if_string();
  return text == nullptr ? printable(json::dump(cell)) : line_of(*text);
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

void TablePrinter::add(const json::Value& table) {
  if (!std::exchange(started_, true)) {
    std::vector<std::string> head;
    if (options_.with_namespace) head.push_back("NAMESPACE");
    const json::Array& definitions = array_at(table, "columnDefinitions");
    for (std::size_t i = 0; i < definitions.size(); ++i) {
      if (definitions[i].int_at({"priority"}).value_or(0) != 0 && !options_.wide) continue;
      const json::Value* name = definitions[i].at_path({"name"});
      columns_.push_back(i);
      head.push_back(
          line_of(kube::ascii::to_upper(name == nullptr ? "" : name->string_or_empty())));
    }
    if (options_.headers) lines_.push_back(std::move(head));
  }
  for (const json::Value& row : array_at(table, "rows")) {
    std::vector<std::string> line;
    if (options_.with_namespace) {
      const json::Value* name = row.at_path({"object", "metadata", "namespace"});
      line.push_back(line_of(name == nullptr ? "" : name->string_or_empty()));
    }
    const json::Array& cells = array_at(row, "cells");
    for (const std::size_t column : columns_) {
      line.push_back(column < cells.size() ? cell_text(cells[column]) : std::string());
    }
    lines_.push_back(std::move(line));
    ++rows_;
  }
}

std::string TablePrinter::text(std::string_view prefix) const {
  auto lines = lines_;
  const std::size_t name = options_.with_namespace ? 1 : 0;
  for (std::size_t i = options_.headers ? 1 : 0; i < lines.size(); ++i) {
    if (name < lines[i].size()) lines[i][name].insert(0, prefix);
  }
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()), kMin);
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], width(line[i]) + kPadding);
    }
  }
  std::string out;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += line[i];
      if (i + 1 < line.size()) out.append(widths[i] - width(line[i]), ' ');
    }
    out += '\n';
  }
  return out;
}

json::Value table_of_objects(const json::Array& objects) {
  json::Array rows;
  for (const json::Value& object : objects) {
    const json::Value* name = object.at_path({"metadata", "name"});
    const json::Value* created = object.at_path({"metadata", "creationTimestamp"});
    rows.push_back(
        json::Object{{"cells", json::Array{name == nullptr ? json::Value() : *name,
                                           created == nullptr ? json::Value() : *created}},
                     {"object", object}});
  }
  return json::Object{
      {"columnDefinitions", json::Array{json::Object{{"name", "Name"}, {"priority", 0}},
                                        json::Object{{"name", "Created At"}, {"priority", 0}}}},
      {"rows", std::move(rows)}};
}

}  // namespace kubecpp
