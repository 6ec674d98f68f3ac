// SPDX-License-Identifier: Apache-2.0
//
// Prints a server's tables (meta.k8s.io Table) in columns, as kubectl does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/json/value.hpp>

namespace kubecpp {

struct TableOptions {
  bool wide = false;            ///< Includes columns of lower priority.
  bool with_namespace = false;  ///< In the first column.
  bool headers = true;
  bool own_headers = false;                  ///< Prints headers as they are, not in capitals.
  bool events = false;                       ///< The first column is the type of the watch event.
  std::vector<std::string> label_columns{};  ///< A column for the value of each label.
  bool show_labels = false;                  ///< All labels in the last column.
};

/// Collects the pages of a table. The first page defines the columns.
class TablePrinter {
 public:
  explicit TablePrinter(TableOptions options) : options_(std::move(options)) {}

  /// `event` is the type of the watch event, for TableOptions::events.
  void add(const kube::json::Value& table, std::string_view event = {});
  bool empty() const { return rows_ == 0; }
  /// Returns the lines that were added since the last call. Columns never become narrower. `prefix`
  /// is written before the first of the server's columns, which is the name.
  std::string take_text(std::string_view prefix = {});

 private:
  using Line = std::vector<std::string>;

  Line head(const kube::json::Value& table);
  void add_labels(const kube::json::Value& row, Line& line) const;
  std::size_t name_column() const {
    return (options_.events ? 1U : 0U) + (options_.with_namespace ? 1U : 0U);
  }

  TableOptions options_;
  bool started_ = false;
  bool head_pending_ = false;           // the first of lines_ is the head
  std::vector<std::size_t> columns_{};  // indexes of those shown
  std::vector<Line> lines_{};
  std::vector<std::size_t> widths_{};
  std::size_t rows_ = 0;
};

/// Returns a table for objects of a server that does not make tables: names and creation times.
kube::json::Value table_of_objects(const kube::json::Array& objects);

}  // namespace kubecpp
