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
#include <kube/codec/codec.hpp>

namespace kube {

/// Gets each object that arrives, as its own copy, and returns what the cache is to hold: without
/// managedFields, say. Must not change namespace, name, uid or resourceVersion.
///
/// An Error fails the whole list that brought the object, which is tried again after a backoff: the
/// cache does not sync before the transform has taken every object. Of a watch, or of an initial
/// state that comes as a stream, it refuses that object alone.
///
/// An object of which it throws, or whose key it changes, or that can't be decoded for it, is
/// refused alone, however it came. What is refused is counted (InformerStatus::processing_errors)
/// and logged, it shows in InformerStatus::last_error, and the watch error handler hears of it,
/// once of a list that had such objects and of a watch in sums when there are many. The cache keeps
/// the state that it has of such an object, if any, until a newer one is taken; of a deletion that
/// was refused, until the next list.
///
/// Called on the informer's executor, one call at a time, with no lock held.
template <Object T>
using Transform = std::function<Result<T>(T object)>;

namespace cache {

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

}  // namespace cache
}  // namespace kube
