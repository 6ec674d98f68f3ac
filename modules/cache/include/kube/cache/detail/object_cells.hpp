// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::ObjectCells<T>: what a store or queue of the program's own does with an object that
// arrives: the key function, then the transform.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/call_user_code.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/detail/object_cell.hpp>
#include <kube/cache/key_func.hpp>
#include <kube/cache/transaction.hpp>
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

/// What a list becomes.
/// @par Thread safety   A value.
struct ListCells {
  std::vector<CellRef> cells{};
  TransactionError refused{};  ///< Which objects were left out, and why.

  /// @par Errors   That of a transaction, when objects were left out.
  Result<void> result() && {
    if (refused.errors.empty()) return {};
    return make_transaction_error(std::move(refused));
  }
};

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
    return transformed(object, *key).cell;
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
  /// Makes the cells of a list. One that can't be decoded, or for which the transform throws, is
  /// left out alone; its place takes the state before, if there is one: `known.find(key)`, or
  /// `known.find_by_names(names)` without a key. A known cell keeps its key, and is not transformed
  /// again.
  /// @par Errors   That of the key function for an object that can be decoded, and that which the
  ///   transform returns.
  template <class Known>
  Result<ListCells> make_all(const std::vector<Cached<T>>& objects, Known known) const {
    ListCells list;
    list.refused.total_transactions = objects.size();
    list.cells.reserve(objects.size());
    std::vector<bool> is_refused(objects.size());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const Cached<T>& object = objects[i];
      if (transform_ || key_func_) {
        const CellRef same = known.find(std::string(object.key()));
        if (same && same.get() == &object.cell()) {
          list.cells.push_back(same);
          continue;
        }
      }
      const auto key = this->key(object);
      Made made = key ? transformed(object, *key) : Made{key.error(), is_decodable(object)};
      if (made.rejects_list) return made.cell.error();
      if (made.cell) {
        list.cells.push_back(*std::move(made.cell));
        continue;
      }
      is_refused[i] = true;
      list.refused.errors.push_back(made.cell.error());
      CellRef before = key ? known.find(*key) : known.find_by_names(object.object_key());
      if (before) list.cells.push_back(std::move(before));
    }
    if (list.refused.errors.empty()) return list;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      if (!is_refused[i]) list.refused.successful_indices.push_back(i);
    }
    return list;
  }

 private:
  struct Made {
    Result<CellRef> cell;
    bool rejects_list = false;
  };
  static bool is_decodable(const Cached<T>& object) {
    const auto decoded = object.get();
    return decoded || decoded.error().code() != ErrorCode::Decode;
  }
  Made transformed(const Cached<T>& object, const std::string& key) const {
    if (!transform_) return {with_key(object, key)};
    auto decoded = object.get();
    if (!decoded) return {decoded.error()};
    bool returned = false;
    auto changed = call_user_code("the transform", [&] {
      auto result = transform_(**decoded);
      returned = true;
      return result;
    });
    if (!changed) return {changed.error().with_context("transform " + key), returned};
    const Cell& original = object.cell();
    const StoragePolicy policy =
        original.body().empty() ? StoragePolicy::Decoded : StoragePolicy::Wire;
    return {make_object_cell<T>(*std::move(changed), original.encoding(), policy, key)};
  }

  KeyFunc<T> key_func_;
  Transform<T> transform_;
};

}  // namespace kube::cache
