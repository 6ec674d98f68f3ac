// SPDX-License-Identifier: Apache-2.0
//
// Queries of a store with Cached<T> as result, for Indexer<T> and Lister<T>.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/cached_list.hpp>
#include <kube/cache/detail/store.hpp>
#include <kube/names/labels.hpp>

namespace kube::cache {

/// Collects the result of a query as Cached<T>.
/// @par Thread safety   Not thread-safe.
template <Object T>
class CachedSink final : public CellSink {
 public:
  void take(std::span<const Cell* const> cells) override {
    // Each cell is a miss of the processor's caches: fetch some while the first is waited for.
    constexpr std::size_t kAhead = 16;
    objects_.reserve(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i + kAhead < cells.size()) __builtin_prefetch(cells[i + kAhead], 1);
      objects_.emplace_back(*cells[i]);
    }
  }
  void take_leased(std::span<const Cell* const> cells, CellLease&& lease) override {
    objects_.reserve(cells.size());
    for (const Cell* cell : cells) objects_.emplace_back(Borrowed(), *cell);
    lease_ = std::move(lease);
  }
  CachedList<T> take() { return CachedList<T>(std::move(objects_), std::move(lease_)); }

 private:
  CellLease lease_;  // ends after the objects
  std::vector<Cached<T>> objects_;
};

/// Returns the objects of a namespace ("": of all) whose labels match. Reads labels from the bytes
/// of objects that have bytes.
/// @par Errors   Decode: the labels of an object can't be read.
template <Object T>
Result<CachedList<T>> keep_matching(CachedList<T> objects, std::string_view scope,
                                    const labels::Selector& selector) {
  // Each object is a miss of the processor's caches, and then its bytes are another.
  constexpr std::size_t kHeadAhead = 24;
  constexpr std::size_t kBodyAhead = 12;
  std::vector<Cached<T>> matching;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (i + kHeadAhead < objects.size()) __builtin_prefetch(&objects[i + kHeadAhead].cell());
    if (i + kBodyAhead < objects.size()) objects[i + kBodyAhead].cell().prefetch_metadata();
    Cached<T>& object = objects[i];
    if (!scope.empty() && object.namespace_() != scope) continue;
    bool matches = false;
    if (object.cell().body().empty()) {
      auto decoded = object.get();
      if (!decoded) return decoded.error();
      if constexpr (Described<T>) {
        matches = selector.matches((*decoded)->metadata.labels);
      } else {
        matches = selector.matches((*decoded)->labels());
      }
    } else {
      auto matched = matches_labels(object.cell(), selector);
      if (!matched) return matched.error().with_context(object.key());
      matches = *matched;
    }
    if (matches) matching.push_back(std::move(object));
  }
  return matching;
}

}  // namespace kube::cache
