// SPDX-License-Identifier: Apache-2.0
#include "initial_objects.hpp"

#include <utility>

namespace kube::cache {

void InitialObjects::keep(CellRef object) {
  const std::string_view key = object->key();
  drop(key);
  bytes_ += object->memory();
  cells_.emplace(key, std::move(object));
}

void InitialObjects::drop(std::string_view key) {
  const auto at = cells_.find(key);
  if (at == cells_.end()) return;
  bytes_ -= at->second->memory();
  cells_.erase(at);  // also destroys the key, which the map refers to
}

std::vector<CellRef> InitialObjects::take() {
  std::vector<CellRef> taken;
  taken.reserve(cells_.size());
  for (auto& [key, cell] : cells_) taken.push_back(std::move(cell));
  *this = {};
  return taken;
}

}  // namespace kube::cache
