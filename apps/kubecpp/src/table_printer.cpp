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

TablePrinter::Line TablePrinter::head(const json::Value& table) {
  Line head;
  if (options_.events) head.push_back("EVENT");
  if (options_.with_namespace) head.push_back("NAMESPACE");
  const json::Array& definitions = array_at(table, "columnDefinitions");
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    if (definitions[i].int_at({"priority"}).value_or(0) != 0 && !options_.wide) continue;
    columns_.push_back(i);
    const std::string_view name = definitions[i].string_at({"name"});
    head.push_back(line_of(options_.own_headers ? std::string(name) : kube::ascii::to_upper(name)));
  }
  // The last part of "example.com/app-name" names the column.
  for (const std::string& label : options_.label_columns)
    head.push_back(line_of(kube::ascii::to_upper(label.substr(label.rfind('/') + 1))));
  if (options_.show_labels) head.push_back("LABELS");
  return head;
}

void TablePrinter::add_labels(const json::Value& row, Line& line) const {
  const json::Value* labels = row.at_path({"object", "metadata", "labels"});
  const json::Object* members = labels == nullptr ? nullptr : labels->if_object();
  for (const std::string& label : options_.label_columns) {
    const json::Value* found = members == nullptr ? nullptr : members->find(label);
    line.push_back(line_of(found == nullptr ? "" : found->string_or_empty()));
  }
  if (!options_.show_labels) return;
  std::string all;
  if (members != nullptr) {
    const json::Value sorted = json::sorted_members(*labels);
    for (const auto& [name, value] : *sorted.if_object())
      all += (all.empty() ? "" : ",") + name + "=" + std::string(value.string_or_empty());
  }
  line.push_back(all.empty() ? "<none>" : line_of(all));
}

void TablePrinter::add(const json::Value& table, std::string_view event) {
  if (!std::exchange(started_, true)) {
    Line first = head(table);
    if (options_.headers) lines_.push_back(std::move(first));
    head_pending_ = options_.headers;
  }
  for (const json::Value& row : array_at(table, "rows")) {
    Line line;
    if (options_.events) {
      // The width of the longest, as in kubectl: a later event does not move the columns.
      line.emplace_back(event);
      line.back().resize(std::max(event.size(), std::string_view("MODIFIED").size()), ' ');
    }
    if (options_.with_namespace)
      line.push_back(line_of(row.string_at({"object", "metadata", "namespace"})));
    const json::Array& cells = array_at(row, "cells");
    for (const std::size_t column : columns_) {
      line.push_back(column < cells.size() ? cell_text(cells[column]) : std::string());
    }
    add_labels(row, line);
    lines_.push_back(std::move(line));
    ++rows_;
  }
}

std::string TablePrinter::take_text(std::string_view prefix) {
  auto lines = std::exchange(lines_, {});
  const std::size_t name = name_column();
  for (std::size_t i = std::exchange(head_pending_, false) ? 1 : 0; i < lines.size(); ++i) {
    if (name < lines[i].size()) lines[i][name].insert(0, prefix);
  }
  for (const Line& line : lines) {
    widths_.resize(std::max(widths_.size(), line.size()), kMin);
    for (std::size_t i = 0; i < line.size(); ++i)
      widths_[i] = std::max(widths_[i], width(line[i]) + kPadding);
  }
  std::string out;
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      out += line[i];
      if (i + 1 < line.size()) out.append(widths_[i] - width(line[i]), ' ');
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
