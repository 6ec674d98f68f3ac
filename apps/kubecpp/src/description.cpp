// SPDX-License-Identifier: Apache-2.0
#include "description.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <map>
#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/names/time.hpp>

namespace kubecpp {
namespace {

namespace ascii = kube::ascii;
namespace json = kube::json;
using json::Value;

constexpr std::size_t kCellPadding = 2;
constexpr std::size_t kMaxAnnotation = 140;
constexpr std::string_view kAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

using Cells = std::vector<std::string_view>;

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// The widths of the cells: that of a column in a block of lines which all have the cell. The last
// cell of a line belongs to no column.
std::vector<std::vector<std::size_t>> widths_of(const std::vector<Cells>& lines) {
  std::vector<std::vector<std::size_t>> widths(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) widths[i].resize(lines[i].size() - 1);
  for (std::size_t first = 0; first < lines.size(); ++first) {
    for (std::size_t column = 0; column < widths[first].size(); ++column) {
      if (widths[first][column] != 0) continue;
      std::size_t end = first;
      std::size_t width = 0;
      for (; end < lines.size() && column < widths[end].size(); ++end)
        width = std::max(width, columns_of(lines[end][column]));
      for (std::size_t i = first; i < end; ++i) widths[i][column] = width + kCellPadding;
    }
  }
  return widths;
}

// Parts of a name in camelCase: lower case, upper case and other characters; the last letter of
// upper case goes to the lower case after it.
std::vector<std::string> camel_parts(std::string_view name) {
  const auto kind = [](char c) { return ascii::is_lower(c) ? 0 : ascii::is_upper(c) ? 1 : 2; };
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (i == 0 || kind(name[i]) != kind(name[i - 1])) parts.emplace_back();
    parts.back() += name[i];
  }
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    if (!ascii::is_upper(parts[i].front()) || !ascii::is_lower(parts[i + 1].front())) continue;
    parts[i + 1].insert(0, 1, parts[i].back());
    parts[i].pop_back();
  }
  std::erase_if(parts, [](const std::string& part) { return part.empty(); });
  return parts;
}

// "API" and "Version" of "APIVersion" are one word.
std::vector<std::string> merged_parts(const std::vector<std::string>& parts) {
  std::vector<std::string> merged;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool no_lower = std::ranges::none_of(parts[i], ascii::is_lower);
    if (i + 1 < parts.size() && parts[i].size() >= 2 && no_lower &&
        ascii::is_upper(parts[i + 1].front())) {
      merged.push_back(parts[i] + parts[i + 1]);
      ++i;
    } else {
      merged.push_back(parts[i]);
    }
  }
  return merged;
}

std::map<std::string, std::string> texts_of(const Value* object) {
  std::map<std::string, std::string> texts;
  if (object == nullptr || !object->is_object()) return texts;
  for (const auto& [key, value] : *object->if_object()) texts[key] = value.string_or_empty();
  return texts;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMaxLine = kMaxAnnotation - 2;
  return text.size() > kMaxLine ? std::string(text.substr(0, kMaxLine)) + "..." : std::string(text);
}

}  // namespace

std::string align_cells(std::string_view text) {
  std::vector<Cells> lines;
  for (const std::string_view line : split_at(text, '\n')) lines.push_back(split_at(line, '\t'));
  const auto widths = widths_of(lines);
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += '\n';
    for (std::size_t column = 0; column < lines[i].size(); ++column) {
      out += lines[i][column];
      if (column < widths[i].size())
        out.append(widths[i][column] - columns_of(lines[i][column]), ' ');
    }
  }
  return out;
}

void Description::add(int level, std::string_view text) {
  open_.append(static_cast<std::size_t>(level) * 2, ' ').append(text);
}

void Description::field(int level, std::string_view label, std::string_view value) {
  add(level, std::string(label) + ":\t" + std::string(value) + "\n");
}

void Description::optional_field(int level, std::string_view label, std::string_view value) {
  if (!value.empty()) field(level, label, value);
}

void Description::labels(std::string_view title, const Value* labels) {
  std::vector<std::string> all;
  for (const auto& [key, value] : texts_of(labels)) all.push_back(key + "=" + value);
  lines(title, all);
}

void Description::annotations(std::string_view title, const Value* annotations) {
  std::vector<std::string> all;
  for (const auto& [key, value] : texts_of(annotations)) {
    if (key == kAppliedAnnotation) continue;
    const std::string_view text =
        value.ends_with('\n') ? std::string_view(value).substr(0, value.size() - 1) : value;
    if (text.size() + key.size() + 2 <= kMaxAnnotation && text.find('\n') == std::string::npos) {
      all.push_back(key + ": " + std::string(text));
      continue;
    }
    all.push_back(key + ":");
    for (const std::string_view line : split_at(text, '\n')) all.push_back("  " + shortened(line));
  }
  lines(title, all);
}

void Description::end_columns() {
  done_ += align_cells(std::exchange(open_, {}));
}

std::string Description::take() {
  end_columns();
  return std::exchange(done_, {});
}

std::string go_text(const Value& value) {
  if (value.is_null()) return "<nil>";
  if (const std::string* text = value.if_string()) return *text;
  std::vector<std::string> parts;
  if (const json::Array* array = value.if_array()) {
    for (const Value& each : *array) parts.push_back(go_text(each));
    return "[" + kube::join(parts, " ") + "]";
  }
  if (!value.is_object()) return json::dump(value);
  const Value sorted = json::sorted_members(value);
  for (const auto& [key, each] : *sorted.if_object()) parts.push_back(key + ":" + go_text(each));
  return "map[" + kube::join(parts, " ") + "]";
}

std::string field_label(std::string_view field) {
  const bool plain =
      std::ranges::all_of(field, [](char c) { return ascii::is_alpha(c) || c == '-'; });
  if (!plain) return std::string(field);
  std::vector<std::string> words;
  for (std::string& part : merged_parts(camel_parts(field))) {
    const std::string upper = ascii::to_upper(part);
    if (upper == "API" || upper == "URL" || upper == "UID" || upper == "GUID") {
      part = upper;
    } else if (ascii::to_lower(part) == part) {
      part.front() = ascii::to_upper(part.front());
    }
    words.push_back(std::move(part));
  }
  return kube::join(words, " ");
}

std::string rfc1123_time(std::string_view time) {
  const auto parsed = kube::meta::Time::parse(time);
  if (!parsed) return "Mon, 01 Jan 0001 00:00:00 +0000";
  const std::time_t seconds = parsed->unix_seconds();
  std::tm local{};
  ::localtime_r(&seconds, &local);
  std::array<char, 64> text{};
  const std::size_t size =
      std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S %z", &local);
  return {text.data(), size};
}

std::string time_since(std::string_view time) {
  const auto parsed = kube::meta::Time::parse(time);
  if (!parsed) return "<unknown>";
  return kube::meta::human_duration(std::chrono::system_clock::now() - parsed->to_wall_time());
}

}  // namespace kubecpp
