// SPDX-License-Identifier: Apache-2.0
//
// Makes the transform of cells from a user's Transform<T>.
#pragma once

#include <utility>

#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/detail/informer_core.hpp>
#include <kube/cache/detail/object_cell.hpp>
#include <kube/cache/transform.hpp>

namespace kube::cache {

template <Object T>
CellTransform to_cell_transform(Transform<T> transform, StoragePolicy policy) {
  if (!transform) return nullptr;
  return [transform = std::move(transform), policy](const CellRef& cell) -> Result<CellRef> {
    const Cached<T> original(cell);
    auto decoded = original.get();
    if (!decoded) return decoded.error();
    Result<T> changed = transform(**decoded);
    if (!changed) return changed.error();
    return make_object_cell<T>(*std::move(changed), cell->encoding(), policy, {});
  };
}

}  // namespace kube::cache
