// SPDX-License-Identifier: Apache-2.0
//
// kube::ThreadSafeStore<T>: objects by keys that the caller gives, and by index; client-go's
// ThreadSafeStore (its threadSafeMap). Store<T> is the same with a key function.
//
//   ThreadSafeStore<Pod> latest({{"node", *index_by_field<Pod>("spec.nodeName")}});
//   if (auto added = latest.add("blue", pod); !added) return added;  // any text is a key
//   const auto on_node = latest.index_keys("node", "node-1");        // {"blue"}
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/detail/object_cells.hpp>
#include <kube/cache/detail/writable_store.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/cache/key_func.hpp>
#include <kube/cache/transaction.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

/// One change of ThreadSafeStore::transaction(). Delete needs no object.
template <Object T>
struct KeyedTransaction {
  std::string key{};
  Transaction<T> change{};
};

/// Objects that the program puts under keys of its own. All queries of Indexer<T> are its own:
/// get_by_key(), list(), list_keys(), index(), index_keys(), by_index(), list_index_values(),
/// get_indexers(); a copy of it as an Indexer<T> reads the same objects and may outlive it.
///
/// @par Promises   [T1] to [T4] of Store<T>.
/// @par Errors   Of all functions that write, and then nothing has changed. InvalidArgument: the
///   key is empty or longer than kMaxKeyBytes, there is no object, or an index function of this
///   store calls it. Decode: an object that can't be decoded would need to be, to be put under
///   another key.
/// @par Thread safety   All functions may be called from any thread.
/// @par Cost   As Store<T>: an object whose key is not its namespace and name is copied when it
///   arrives.
template <Object T>
class ThreadSafeStore final : public Indexer<T> {
 public:
  /// `index_failed`: see StoreOptions.
  explicit ThreadSafeStore(
      Indexers<T> indexers = {},
      std::function<void(std::string_view index, const Cached<T>& object, const Error&)>
          index_failed = {})
      : ThreadSafeStore(std::make_shared<cache::WritableStore>(meta::GroupResource()),
                        std::move(indexers), std::move(index_failed)) {}
  ThreadSafeStore(const ThreadSafeStore&) = delete;
  ThreadSafeStore& operator=(const ThreadSafeStore&) = delete;

  /// Stores the object in place of another one. The store's version becomes the object's, if it has
  /// one.
  /// @par Errors   See above.
  Result<void> add(std::string_view key, const Cached<T>& object) {
    auto made = cell(key, object);
    if (!made) return made.error();
    return writer_->apply({{.type = DeltaType::Updated, .cell = *std::move(made)}});
  }
  Result<void> update(std::string_view key, const Cached<T>& object) { return add(key, object); }
  /// Removes the object with this key, if there is one. The version stays.
  /// @par Errors   See above.
  Result<void> remove(std::string_view key) { return remove_with_object(key, Cached<T>()); }
  /// The same. The version becomes that of `last_state`, if it has one.
  Result<void> remove_with_object(std::string_view key, const Cached<T>& last_state) {
    auto made = removal(key, last_state);
    if (!made) return made.error();
    return writer_->apply({{.type = DeltaType::Deleted, .cell = *std::move(made)}});
  }
  /// Replaces all objects in one step. An empty version leaves the store's.
  /// @par Errors   See above.
  Result<void> replace(const std::map<std::string, Cached<T>>& objects,
                       std::string_view resource_version);
  /// Sets the store's version.
  /// @par Errors   See above.
  Result<void> bookmark(std::string_view resource_version) {
    return writer_->set_resource_version(resource_version);
  }
  /// Applies changes in one step, in order.
  /// @par Errors   See above; the first one.
  Result<void> transaction(const std::vector<KeyedTransaction<T>>& changes);

  /// Adds indexes, of the objects that are stored too: all or none.
  /// @par Errors   InvalidArgument: a name is in use ("namespace" always is), or see [T4].
  Result<void> add_indexers(Indexers<T> indexers) {
    return writer_->add_indexes(cache::to_cell_indexes<T>(std::move(indexers)), index_failed_);
  }

 private:
  ThreadSafeStore(
      const std::shared_ptr<cache::WritableStore>& writer, Indexers<T> indexers,
      std::function<void(std::string_view, const Cached<T>&, const Error&)> index_failed)
      : Indexer<T>(writer->store()),
        index_failed_(cache::to_index_failure<T>(std::move(index_failed))),
        writer_(writer) {
    indexers.erase(std::string(kNamespaceIndex));  // every store has it
    static_cast<void>(add_indexers(std::move(indexers)));
  }
  static Result<cache::CellRef> cell(std::string_view key, const Cached<T>& object) {
    if (auto valid = cache::check_key(key); !valid) return valid.error();
    if (!object) return Error(ErrorCode::InvalidArgument, "there is no object");
    return cache::with_key(object, key);
  }
  static Result<cache::CellRef> removal(std::string_view key, const Cached<T>& last_state) {
    if (auto valid = cache::check_key(key); !valid) return valid.error();
    return cache::removal_of(last_state, key);
  }

  const cache::Store::IndexFailure index_failed_;
  const std::shared_ptr<cache::WritableStore> writer_;
};

template <Object T>
Result<void> ThreadSafeStore<T>::replace(const std::map<std::string, Cached<T>>& objects,
                                         std::string_view resource_version) {
  std::vector<cache::CellRef> cells;
  cells.reserve(objects.size());
  for (const auto& [key, object] : objects) {
    auto made = cell(key, object);
    if (!made) return made.error();
    cells.push_back(*std::move(made));
  }
  return writer_->replace(std::move(cells), resource_version);
}

template <Object T>
Result<void> ThreadSafeStore<T>::transaction(const std::vector<KeyedTransaction<T>>& changes) {
  std::vector<cache::Delta> cells;
  cells.reserve(changes.size());
  for (const auto& [key, change] : changes) {
    const bool removes = change.type == TransactionType::Delete;
    auto made = removes ? removal(key, change.object) : cell(key, change.object);
    if (!made) return made.error();
    cells.push_back(
        {.type = removes ? DeltaType::Deleted : DeltaType::Updated, .cell = *std::move(made)});
  }
  return writer_->apply(std::move(cells));
}

}  // namespace kube
