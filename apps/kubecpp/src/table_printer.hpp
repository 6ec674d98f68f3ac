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
};

/// Collects the pages of a table. The first page defines the columns.
class TablePrinter {
 public:
  explicit TablePrinter(TableOptions options) : options_(options) {}

  void add(const kube::json::Value& table);
  bool empty() const { return rows_ == 0; }
  /// `prefix` is written before the first of the server's columns, which is the name.
  std::string text(std::string_view prefix = {}) const;

 private:
  TableOptions options_;
  bool started_ = false;
  std::vector<std::size_t> columns_{};  // indexes of those shown
  std::vector<std::vector<std::string>> lines_{};
  std::size_t rows_ = 0;
};

/// Returns a table for objects of a server that does not make tables: names and creation times.
kube::json::Value table_of_objects(const kube::json::Array& objects);

}  // namespace kubecpp
