// SPDX-License-Identifier: Apache-2.0
//
// kube::ReflectorStore<T>: what a reflector writes to: a Store, DeltaFifo, ExpiringStore,
// UndeltaStore, or one of the program's own.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/make_cached.hpp>
#include <kube/names/object_key.hpp>

namespace kube {

/// The functions by which objects and their changes arrive.
///
/// An implementation that overrides add() and the others hides the overloads for objects that are
/// not cached yet; `using ReflectorStore<T>::add;` has them back.
/// @par Thread safety   All functions of the classes of this library may be called from any thread.
template <Object T>
class ReflectorStore {
 public:
  virtual ~ReflectorStore() = default;

  /// @par Errors   The object could not be taken; each class says why.
  virtual Result<void> add(const Cached<T>& object) = 0;
  virtual Result<void> update(const Cached<T>& object) = 0;
  /// Removes the object (Delete, in client-go). The object is its last state.
  virtual Result<void> remove(const Cached<T>& object) = 0;
  /// The same for an object of known(): it was deleted, and its final state could not be read.
  virtual Result<void> remove_last_known(const Cached<T>& object) { return remove(object); }
  /// Replaces everything by the objects of a list of this version.
  /// @par Errors   As above. With a transaction_error(), only the objects that it has were left
  ///   out: the list was taken.
  virtual Result<void> replace(std::vector<Cached<T>> objects,
                               std::string_view resource_version) = 0;
  /// Returns the last known state of an object; empty when there is none, or the class can't say. A
  /// reflector keeps it in a list, and removes it, where the state that came could not be read.
  virtual Cached<T> known(const ObjectKey& names) const {
    static_cast<void>(names);
    return {};
  }
  /// Delivers again what is known, if there is a consumer.
  virtual Result<void> resync() = 0;
  /// Nothing has changed up to this version.
  virtual Result<void> bookmark(std::string_view resource_version) {
    static_cast<void>(resource_version);
    return {};
  }

  /// For objects that are not cached yet; see make_cached().
  /// @par Errors   As the functions above.
  Result<void> add(T object) { return add(make_cached<T>(std::move(object))); }
  Result<void> update(T object) { return update(make_cached<T>(std::move(object))); }
  Result<void> remove(T object) { return remove(make_cached<T>(std::move(object))); }

 protected:
  ReflectorStore() = default;
  ReflectorStore(const ReflectorStore&) = default;
  ReflectorStore& operator=(const ReflectorStore&) = default;
};

}  // namespace kube
