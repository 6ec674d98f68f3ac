// SPDX-License-Identifier: Apache-2.0
//
// kube::Transform<T>: changes objects before a cache stores them, to keep less of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/informer_core.hpp>
#include <kube/meta/codec.hpp>

namespace kube {

/// Gets each object that arrives, as its own copy, and returns what the cache is to hold: without
/// managedFields, say. Must not change namespace, name, uid or resourceVersion. An Error (or an
/// exception) fails the list, or drops the event, that brought the object.
///
/// Called on the informer's executor, one call at a time, with no lock held.
template <Object T>
using Transform = std::function<Result<T>(T object)>;

namespace cache {

template <Object T>
Cell::Parts parts_of(const T& object) {
  Cell::Parts parts;
  if constexpr (Described<T>) {
    parts.namespace_ = object.metadata.namespace_;
    parts.name = object.metadata.name;
    parts.uid = object.metadata.uid;
    parts.resource_version = object.metadata.resource_version;
  } else {
    parts.namespace_ = object.namespace_();
    parts.name = object.name();
    parts.uid = object.uid();
    parts.resource_version = object.resource_version();
  }
  return parts;
}

template <Object T>
CellTransform to_cell_transform(Transform<T> transform, StoragePolicy policy) {
  return [transform = std::move(transform), policy](const CellRef& cell) -> Result<CellRef> {
    const Cached<T> original(cell);
    auto decoded = original.get();
    if (!decoded) return decoded.error();
    Result<T> changed = transform(**decoded);
    if (!changed) return changed.error();
    Cell::Parts parts = parts_of(*changed);
    if (policy == StoragePolicy::Decoded) {
      auto owned = std::make_unique<T>(*std::move(changed));
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

}  // namespace cache
}  // namespace kube
