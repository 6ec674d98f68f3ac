// SPDX-License-Identifier: Apache-2.0
//
// The cells of tables: how a column's value is made of an object, by the words in which the facts
// of a resource say it (<kube/api/resources.hpp>, PrinterColumn::rule).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/json/value.hpp>

namespace kube::apiserver {

/// What a cell is made of.
struct CellInput {
  const json::Value& object;
  WallTime now;
  std::vector<const json::Value*> found{};  ///< By the column's path, without nulls.
  std::string_view column{};                ///< Its name.
};

using CellRule = json::Value (*)(const CellInput& input);

/// Null for a rule that isn't known, and for "" (the value as it stands).
CellRule find_cell_rule(std::string_view rule);
/// Those of one part each.
CellRule find_general_rule(std::string_view rule);
CellRule find_pod_rule(std::string_view rule);
CellRule find_workload_rule(std::string_view rule);
CellRule find_network_rule(std::string_view rule);
CellRule find_cluster_rule(std::string_view rule);

struct NamedRule {
  std::string_view name;
  CellRule rule;
};
template <std::size_t size>
CellRule find_rule(const NamedRule (&rules)[size], std::string_view name) {
  for (const NamedRule& each : rules) {
    if (each.name == name) return each.rule;
  }
  return nullptr;
}

/// "5m" since a time as it stands on the wire; "<unknown>" for none.
std::string since(std::string_view time, WallTime now);
/// A scalar as text; "" for what has no text.
std::string cell_text(const json::Value& value);
/// The first `most` of them, then "+ n more...".
std::string first_of(const std::vector<std::string>& parts, std::size_t most,
                     std::string_view separator);
/// The condition of a type; null when there is none.
const json::Value* find_condition(const json::Value& object, std::string_view type);
bool is_condition_true(const json::Value& object, std::string_view type);

}  // namespace kube::apiserver
