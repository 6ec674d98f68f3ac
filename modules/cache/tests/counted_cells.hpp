// SPDX-License-Identifier: Apache-2.0
//
// Cells that count how many of them are alive.
#pragma once

#include <atomic>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/cache/detail/cell.hpp>

namespace kube::cache::testing {

inline std::atomic<int> cells_alive{0};

inline CellRef counted_cell(std::string_view name, std::string_view version = "1") {
  static constexpr CellType kCounted{
      [](Encoding, std::string_view) -> Result<void*> { return Error(ErrorCode::Decode, "no"); },
      [](void*) { --cells_alive; }, 1};
  static char object = 0;
  ++cells_alive;
  Cell::Parts parts;
  parts.name = name;
  parts.resource_version = version;
  return Cell::make_decoded(kCounted, parts, &object);
}

}  // namespace kube::cache::testing
