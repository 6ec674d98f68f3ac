// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::InitialObjects: what a streamed initial state has brought.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <kube/cache/detail/cell.hpp>

namespace kube::cache {

/// The objects of a streamed initial state, until its end.
class InitialObjects {
 public:
  bool has(std::string_view key) const { return cells_.contains(key); }
  std::size_t size() const { return cells_.size(); }
  std::size_t bytes() const { return bytes_; }
  void keep(CellRef object);
  void drop(std::string_view key);
  std::vector<CellRef> take();

 private:
  std::unordered_map<std::string_view, CellRef> cells_;  // keys live in the cells
  std::size_t bytes_ = 0;
};

}  // namespace kube::cache
