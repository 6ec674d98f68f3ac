// SPDX-License-Identifier: Apache-2.0
//
// The columns of a resource's tables: for built-in resources from the facts and their kind's cells,
// for custom ones from their definition's additionalPrinterColumns.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <kube/api/resources.hpp>
#include <kube/base/clock.hpp>
#include <kube/codec/descriptor.hpp>
#include <kube/json/json_path.hpp>
#include <kube/json/json_path_template.hpp>
#include <kube/json/value.hpp>

#include "kinds/kind.hpp"

namespace kube::serving {

/// Immutable.
class TableColumns {
 public:
  /// `type` is the type of the objects; it decides which unset values are zeros.
  static std::shared_ptr<const TableColumns> of_builtin(const KindRules& kind,
                                                        std::span<const api::PrinterColumn> columns,
                                                        const meta::TypeDescriptor* type);
  /// `version`: an entry of a definition's spec.versions.
  static std::shared_ptr<const TableColumns> of_definition(const json::Value& version);

  /// The table's columnDefinitions.
  const json::Array& definitions() const { return definitions_; }
  /// Returns one value for each column: at most 64 KiB of text each and 256 KiB in all, cut with
  /// "...".
  json::Array cells(const json::Value& object, WallTime now) const;
  /// Returns, by the index of their cells, the times of those that are the time since one.
  json::Object times(const json::Value& object) const;

 private:
  struct Column {
    std::string name{};
    std::string type{};
    std::optional<json::JsonPath> path{};            ///< Of a built-in kind.
    std::optional<json::JsonPathTemplate> custom{};  ///< Of a definition.
    const Cell* cell = nullptr;                      ///< Null: the value at the path.
    json::Value unset{};  ///< For a built-in kind's column without a cell.
  };

  void add(Column column, std::string_view format, std::string_view description,
           std::int64_t priority);
  // Returns the time that a cell is the time since; "" for other cells.
  static std::string_view time_of(const Column& column, const json::Value& object);
  // For a text longer than `max`, returns more than `max` bytes of its start.
  static json::Value cell(const Column& column, const json::Value& object, WallTime now,
                          std::size_t max);

  std::vector<Column> columns_;
  json::Array definitions_;
};

}  // namespace kube::serving
