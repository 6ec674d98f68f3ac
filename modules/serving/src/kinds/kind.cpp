// SPDX-License-Identifier: Apache-2.0
//
// The registry of kinds.
#include "kinds/kind.hpp"

#include <algorithm>

#include "kinds/cells.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {

const KindRules& find_kind(std::string_view group, std::string_view resource) {
  static constexpr KindRules kPlain{};
  for (const auto list : {access_kinds, admission_kinds, autoscaler_kinds, cluster_kinds,
                          config_kinds, definition_kinds, device_kinds, event_kinds, eviction_kinds,
                          job_kinds, namespace_kinds, network_kinds, node_kinds, pod_kinds,
                          pod_group_kinds, service_kinds, volume_kinds, workload_kinds}) {
    for (const KindRules& kind : list()) {
      if (kind.group == group && kind.resource == resource) return kind;
    }
  }
  return kPlain;
}

const KindRules& custom_kind() {
  static constexpr KindRules kKind{.generation = Generation::Always, .unconditional_update = false};
  return kKind;
}

const Cell* find_cell(const KindRules& kind, std::string_view column) {
  static constexpr Cell kAge{"Age", cells::elapsed};
  const auto own = std::ranges::find(kind.cells, column, &Cell::column);
  if (own != kind.cells.end()) return &*own;
  return column == kAge.column ? &kAge : nullptr;
}

}  // namespace kube::serving
