// SPDX-License-Identifier: Apache-2.0
//
// kube::make_cached(): makes a Cached<T> of an object that the program has, for stores and queues
// that the program fills itself.
#pragma once

#include <utility>

#include <kube/cache/cached.hpp>
#include <kube/cache/detail/object_cell.hpp>
#include <kube/cache/informer_options.hpp>
#include <kube/client/content.hpp>

namespace kube {

/// Returns the object as caches hold it: encoded, in protobuf when the type supports it, or decoded
/// as it is.
/// @par Thread safety   Any thread.
/// @par Cost   StoragePolicy::Wire encodes the object now and decodes it for its first reader;
///   StoragePolicy::Decoded moves it.
template <Object T>
Cached<T> make_cached(T object, cache::StoragePolicy policy = cache::StoragePolicy::Wire) {
  return Cached<T>(
      cache::make_object_cell<T>(std::move(object), preferred_encoding<T>(), policy, {}));
}

}  // namespace kube
