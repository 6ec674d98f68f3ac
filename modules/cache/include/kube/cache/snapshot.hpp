// SPDX-License-Identifier: Apache-2.0
//
// kube::snapshot(): what several informers have at one moment.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <kube/cache/lister.hpp>

namespace kube {

/// Returns a lister for each of these listers, which go on returning what the caches have now.
///
///     const auto [pods, nodes] = snapshot(pod_informer.lister(), node_informer.lister());
///
/// All of them are of one moment of this process: no informer stores a change, or a list, between
/// what one of them has and what the next has. It is not a moment of the server, which sends
/// each resource on a watch of its own: the caches may lag by different times.
///
/// @par Thread safety   May be called from any thread.
/// @par Cost   Holds all objects of the caches while a result lives, at some 20 bytes each beside
///   the objects themselves; takes a reference to each and a hash of its key, some 0.3 us an object
///   in a large cache. Waits for nobody, unless changes come so fast that there is no moment
///   between two of them: then for those that are begun. A snapshot has no indexes but that of the
///   namespaces.
template <Object... T>
std::tuple<Lister<T>...> snapshot(const Lister<T>&... listers) {
  const std::vector<std::shared_ptr<const cache::Store>> stores =
      cache::snapshot_of({listers.store()...});
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<Lister<T>...>{Lister<T>(stores[I])...};
  }
  (std::index_sequence_for<T...>());
}

}  // namespace kube
