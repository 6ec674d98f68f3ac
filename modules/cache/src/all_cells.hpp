// SPDX-License-Identifier: Apache-2.0
//
// Copies references to all cells of a store.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <kube/cache/detail/store.hpp>

namespace kube::cache {

/// Returns the objects of one state of the store, in no order.
inline std::vector<CellRef> all_cells_of(const Store& store) {
  struct Sink final : CellSink {
    std::vector<CellRef> cells;
    void take(std::span<const Cell* const> found) override {
      cells.reserve(found.size());
      for (const Cell* cell : found) cells.emplace_back(*cell);
    }
  } sink;
  store.list(sink);
  return std::move(sink.cells);
}

}  // namespace kube::cache
