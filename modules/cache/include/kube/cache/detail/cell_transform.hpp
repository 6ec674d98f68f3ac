// SPDX-License-Identifier: Apache-2.0
//
// Makes the transform of cells from a user's Transform<T>.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/detail/informer_core.hpp>
#include <kube/cache/detail/typed_cell.hpp>
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
    Cell::Parts parts = parts_of(*changed);
    if (policy == StoragePolicy::Decoded) {
      auto owned = std::make_unique<T>(std::move(*changed));
      parts = parts_of(*owned);
      return Cell::make_decoded(cell_type<T>(), parts, owned.release());
    }
    std::string body;
    encode_body(*changed, cell->encoding(), body);
    parts.encoding = cell->encoding();
    parts.body = body;
    return Cell::make(cell_type<T>(), parts);
  };
}

}  // namespace kube::cache
