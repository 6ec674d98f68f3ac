// SPDX-License-Identifier: Apache-2.0
//
// --sort-by: the order of objects by one of their fields.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/json_path_template.hpp>
#include <kube/json/value.hpp>

namespace kubecpp {

class SortOrder {
 public:
  /// @par Errors   InvalidArgument, in kubectl's words.
  static kube::Result<SortOrder> parse(std::string_view path);

  /// Returns the positions of `items` in this order; each item is an object, or a row of a table
  /// with its object in "object". Objects without the field come first; equal ones keep their
  /// order. Two quantities are compared by their amount, other strings byte by byte, as in kubectl.
  /// Values of different types, which kubectl does not sort, come in the order of the types.
  /// @par Errors   InvalidArgument: no object has the field, or it is not a number, text or
  /// boolean.
  kube::Result<std::vector<std::size_t>> order(const kube::json::Array& items, bool rows) const;

 private:
  std::string path_{};
  kube::json::JsonPathTemplate template_;
};

/// Moves the items to the positions that SortOrder::order() returned for them.
template <class T>
std::vector<T> reordered(std::vector<T> items, const std::vector<std::size_t>& order) {
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const std::size_t position : order) sorted.push_back(std::move(items[position]));
  return sorted;
}

}  // namespace kubecpp
