// SPDX-License-Identifier: Apache-2.0
//
// The text of `kubecpp describe`: lines with levels, and cells that tabs end, in columns.
#pragma once

#include <string>
#include <string_view>

#include <kube/json/value.hpp>

namespace kubecpp {

/// Lays cells out in columns as Go's tabwriter does with two spaces between them: a column is as
/// wide as its widest cell in lines that follow each other and have that cell.
std::string align_cells(std::string_view text);

/// Collects a description. Text may contain tabs and several lines.
class Description {
 public:
  /// Appends text, two spaces for each level before it.
  void add(int level, std::string_view text);
  /// Appends "<label>:\t<value>\n".
  void field(int level, std::string_view label, std::string_view value);
  /// As above, when there is a value.
  void optional_field(int level, std::string_view label, std::string_view value);
  /// Appends "<title>:", the `key=value` of an object in lines below each other, or <none>.
  void labels(std::string_view title, const kube::json::Value* labels);
  /// The same of annotations: `key: value`, long ones cut, without what `kubectl apply` keeps
  /// there.
  void annotations(std::string_view title, const kube::json::Value* annotations);
  /// Appends "<title>:", and lines below each other, or <none>.
  template <class Lines>
  void lines(std::string_view title, const Lines& lines) {
    add(0, std::string(title) + ":\t");
    if (lines.empty()) add(0, "<none>\n");
    bool is_first = true;
    for (const auto& line : lines) {
      add(0, (is_first ? "" : "\t") + line + "\n");
      is_first = false;
    }
  }
  /// Ends the columns: those of later lines have their own widths.
  void end_columns();
  /// Returns the text, in columns.
  std::string take();

 private:
  std::string done_{};
  std::string open_{};
};

/// Returns a value as Go prints it with %v: texts without quotes, "<nil>", "[a b]", "map[a:1]".
std::string go_text(const kube::json::Value& value);

/// Returns "API Version" for "apiVersion".
std::string field_label(std::string_view field);

/// Returns a time of the API in the form "Mon, 02 Jan 2006 15:04:05 +0000", in local time; the zero
/// time for one that is missing.
std::string rfc1123_time(std::string_view time);

/// Returns how long a time of the API has passed: "5m30s"; <unknown> for one that is missing.
std::string time_since(std::string_view time);

}  // namespace kubecpp
