// SPDX-License-Identifier: Apache-2.0
//
// Index functions of objects as those of cells, which stores have, and back.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/error.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/detail/store.hpp>

namespace kube::cache {

/// IndexFunc<T> of indexer.hpp.
template <Object T>
using ObjectIndexFunc = std::function<std::vector<std::string>(const Cached<T>&)>;

/// The function of index_by_label(): stores recognise it, so that listers can use the index.
/// @par Thread safety   As IndexFunc.
template <Object T>
struct IndexByLabel {
  std::string label;

  std::vector<std::string> operator()(const Cached<T>& object) const {
    if (!object.cell().body().empty()) return label_of(object.cell(), label).value();
    const auto& labels = [&]() -> decltype(auto) {
      if constexpr (Described<T>) {
        return (object->metadata.labels);
      } else {
        return object->labels();
      }
    }();
    const auto found = labels.find(label);
    if (found == labels.end()) return {};
    return {found->second};
  }
};

/// Returns the function that a store calls.
template <Object T>
CellIndexFunc to_cell_index(ObjectIndexFunc<T> function) {
  const auto* by_label = function.template target<IndexByLabel<T>>();
  const std::string label = by_label == nullptr ? std::string() : by_label->label;
  CellIndexFunc on_cells =
      [function = std::move(function)](const CellRef& cell) -> Result<std::vector<std::string>> {
    return function(Cached<T>(cell));
  };
  if (label.empty()) return on_cells;
  return LabelIndexFunc{label, std::move(on_cells)};
}

/// The same for several.
template <Object T>
std::map<std::string, CellIndexFunc> to_cell_indexes(
    std::map<std::string, ObjectIndexFunc<T>> functions) {
  std::map<std::string, CellIndexFunc> on_cells;
  for (auto& [name, function] : functions) {
    on_cells.emplace(name, to_cell_index<T>(std::move(function)));
  }
  return on_cells;
}

/// Returns the function of an index of a store as one of objects. It throws the errors of its own.
template <Object T>
ObjectIndexFunc<T> to_object_index(CellIndexFunc function) {
  if (const auto* by_label = function.target<LabelIndexFunc>()) {
    return IndexByLabel<T>{by_label->label};
  }
  return [function = std::move(function)](const Cached<T>& object) {
    return function(object.ref()).value();
  };
}

/// Returns the function that a store calls when one of its index functions fails.
template <Object T>
Store::IndexFailure to_index_failure(
    std::function<void(std::string_view index, const Cached<T>& object, const Error&)> report) {
  if (!report) return {};
  return
      [report = std::move(report)](std::string_view index, const Cell& cell, const Error& error) {
        report(index, Cached<T>(CellUser(cell)), error);
      };
}

}  // namespace kube::cache
