// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::ObjectCells<T>: what a store or queue of the program's own does with an object that
// arrives: the key function, then the transform.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/call_user_code.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/detail/object_cell.hpp>
#include <kube/cache/key_func.hpp>
#include <kube/cache/transform.hpp>

namespace kube::cache {

/// Returns what removes the object with this key: a cell with the key, and with the version of
/// `object`, which may be empty.
template <Object T>
CellRef removal_of(const Cached<T>& object, std::string_view key) {
  Cell::Parts parts;
  parts.resource_version = object.resource_version();
  parts.key = key;
  return Cell::make(cell_type<T>(), parts);
}

/// @par Thread safety   All functions may be called from any thread, if the user's functions may.
/// @par Errors   Those of the key function, with the object's name; those of the transform, and
///   Internal when it throws.
template <Object T>
class ObjectCells {
 public:
  ObjectCells(KeyFunc<T> key_func, Transform<T> transform)
      : key_func_(std::move(key_func)), transform_(std::move(transform)) {}

  Result<std::string> key(const Cached<T>& object) const { return key_of(key_func_, object); }

  /// Returns the cell to store. With an encoding, a transformed object keeps that of the original.
  Result<CellRef> make(const Cached<T>& object) const {
    auto key = this->key(object);
    if (!key) return key.error();
    if (!transform_) return with_key(object, *key);
    auto decoded = object.get();
    if (!decoded) return decoded.error();
    auto changed = call_user_code("the transform", [&] { return transform_(**decoded); });
    if (!changed) return changed.error().with_context("transform " + *key);
    const Cell& original = object.cell();
    const StoragePolicy policy =
        original.body().empty() ? StoragePolicy::Decoded : StoragePolicy::Wire;
    return make_object_cell<T>(*std::move(changed), original.encoding(), policy, *key);
  }
  /// Returns the cell under its key as it is.
  Result<CellRef> make_untransformed(const Cached<T>& object) const {
    auto key = this->key(object);
    if (!key) return key.error();
    return with_key(object, *key);
  }
  Result<CellRef> make_removal(const Cached<T>& object) const {
    auto key = this->key(object);
    if (!key) return key.error();
    return removal_of(object, *key);
  }
  /// Fails with the first failure of an object.
  Result<std::vector<CellRef>> make_all(const std::vector<Cached<T>>& objects) const {
    std::vector<CellRef> cells;
    cells.reserve(objects.size());
    for (const Cached<T>& object : objects) {
      auto cell = make(object);
      if (!cell) return cell.error();
      cells.push_back(*std::move(cell));
    }
    return cells;
  }

 private:
  KeyFunc<T> key_func_;
  Transform<T> transform_;
};

}  // namespace kube::cache
