// SPDX-License-Identifier: Apache-2.0
//
// Queries of a store with Cached<T> as result, for Indexer<T> and Lister<T>.
#pragma once

#include <cstddef>
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
  void reserve(std::size_t count) override { objects_.reserve(count); }
  void add(const Cell& cell) override { objects_.emplace_back(CellUser(cell)); }
  std::vector<Cached<T>> take() { return std::move(objects_); }

 private:
  std::vector<Cached<T>> objects_;
};

/// Returns the objects whose labels match. Reads labels from the bytes of objects that have bytes.
/// @par Errors   Decode: the labels of an object can't be read.
template <Object T>
Result<CachedList<T>> keep_matching(CachedList<T> objects, const labels::Selector& selector) {
  if (selector.empty()) return objects;
  std::vector<Cached<T>> matching;
  for (Cached<T>& object : objects) {
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
