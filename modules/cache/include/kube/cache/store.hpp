// SPDX-License-Identifier: Apache-2.0
//
// kube::Store<T>: objects by key and by index that the program writes itself; client-go's Store and
// Indexer. It is the store that an informer has, with functions that write.
//
//   Store<Pod> pods({.indexers = {{"node", *index_by_field<Pod>("spec.nodeName")}}});
//   if (auto added = pods.add(pod); !added) return added;
//   const auto on_node = pods.by_index("node", "node-1");  // every query of Indexer<T>
//   const Lister<Pod> lister = pods.lister();              // for code that reads an informer's
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/cache/detail/object_cells.hpp>
#include <kube/cache/detail/writable_store.hpp>
#include <kube/cache/index_functions.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/cache/key_func.hpp>
#include <kube/cache/lister.hpp>
#include <kube/cache/reflector_store.hpp>
#include <kube/cache/transaction.hpp>
#include <kube/cache/transform.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

template <Object T>
struct StoreOptions {
  KeyFunc<T> key_func{};  ///< Empty: meta_namespace_key_func().
  /// Changes each object that is added, updated or part of a replace; its key is made before.
  Transform<T> transform{};
  Indexers<T> indexers{};
  /// Called when an index function throws: the object is stored, and left out of that index.
  std::function<void(std::string_view index, const Cached<T>& object, const Error&)> index_failed{};
  meta::GroupResource resource{};  ///< Named in the NotFound errors of lister().
};

/// Objects that the program adds, updates and removes. All queries of Indexer<T> are its own; a
/// copy as Indexer<T> (indexer()) or Lister<T> reads the same objects and may outlive it.
///
/// @par Promises
///  [T1] A change is visible to all readers when the function that made it returns.
///  [T2] A query of many objects sees all of a replace() or a transaction() or nothing of it.
///  [T3] Writers write one after the other, and readers wait for none of them longer than an
///       informer's readers do.
///  [T4] Index functions run in the turn of the writer: reads go on, and other writers wait. One
///       that changes the store it is called by gets InvalidArgument. Index functions of two stores
///       must not change each other's store: two writers would wait for ever. Key and transform
///       functions run before the turn, several at a time: of two writes of one object at once,
///       either may be the last.
/// @par Errors   Of all functions that write. Those of the key function, with the object's name:
///   code, reason and message are those of the cause; those of the transform. Then nothing has
///   changed. InvalidArgument: see [T4].
/// @par Thread safety   All functions may be called from any thread.
/// @par Cost   As an informer's store. An object whose key is not its namespace and name is copied
///   when it arrives. A transaction of more than one change costs as much as a replace(): time in
///   proportion to the store.
template <Object T>
class Store final : public Indexer<T>, public ReflectorStore<T> {
 public:
  explicit Store(StoreOptions<T> options = {})
      : Store(std::make_shared<cache::WritableStore>(std::move(options.resource)), options) {}
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  using ReflectorStore<T>::add;
  using ReflectorStore<T>::update;
  using ReflectorStore<T>::remove;
  /// Stores the object under its key, in place of another one. The store's version becomes the
  /// object's, if it has one, in all three.
  /// @par Errors   See above.
  Result<void> add(const Cached<T>& object) override { return put(object); }
  Result<void> update(const Cached<T>& object) override { return put(object); }
  /// Removes the object with this object's key, if there is one.
  /// @par Errors   See above.
  Result<void> remove(const Cached<T>& object) override {
    auto key = cells_.key(object);
    if (!key) return key.error();
    return writer_->apply({{.type = DeltaType::Deleted, .cell = cache::removal_of(object, *key)}});
  }
  /// Removes an object whose deletion was inferred, if it is there. The version stays.
  Result<void> remove(const DeletedObject<T>& deleted) {
    if (!deleted.final_state_unknown) return remove(deleted.object);
    if (!deleted.object) return remove_by_key(deleted.key.to_string());
    auto key = cells_.key(deleted.object);
    if (!key) return key.error();
    return remove_by_key(*key);
  }
  Result<void> remove_last_known(const Cached<T>& object) override {
    return remove_by_key(object.key());  // the key function has not seen what a transform returned
  }
  /// Removes the object with this key, if there is one. The version stays.
  Result<void> remove_by_key(std::string_view key) {
    return writer_->apply(
        {{.type = DeltaType::Deleted, .cell = cache::removal_of(Cached<T>(), key)}});
  }

  /// Replaces all objects in one step; of several with one key, the last one counts. An empty
  /// version leaves the store's.
  ///
  /// An object that can't be decoded, though the key function or the transform needs it, or for
  /// which the transform throws, is left out alone; the state that the store has of it stays.
  /// @par Errors   See above. When some were left out, and the others stored: transaction_error()
  ///   says which.
  Result<void> replace(std::vector<Cached<T>> objects, std::string_view resource_version) override {
    struct Known {
      const std::shared_ptr<const cache::Store> store;
      cache::CellRef find(const std::string& key) const { return store->get(key).ref(); }
      cache::CellRef find_by_names(const ObjectKey& names) const {
        return cache::find_by_names(*store, names);
      }
    };
    auto list = cells_.make_all(objects, Known{writer_->store()});
    if (!list) return list.error();
    auto done = writer_->replace(std::move(list->cells), resource_version);
    return done ? std::move(*list).result() : done;
  }
  Cached<T> known(const ObjectKey& names) const override {
    return Cached<T>(cache::find_by_names(*writer_->store(), names));
  }
  /// Does nothing: nobody is told of what a store has.
  Result<void> resync() override { return {}; }
  Result<void> bookmark(std::string_view resource_version) override {
    return writer_->set_resource_version(resource_version);
  }

  /// Applies changes in one step, in order. Those whose key or transform fails are left out, and
  /// the others applied.
  /// @par Errors   When some were left out: transaction_error() says which. The code is the first
  ///   failure's.
  Result<void> transaction(std::span<const Transaction<T>> changes);

  /// Adds indexes, of the objects that are stored too: all or none.
  /// @par Errors   InvalidArgument: a name is in use ("namespace" always is), or see [T4].
  Result<void> add_indexers(Indexers<T> indexers) {
    return writer_->add_indexes(cache::to_cell_indexes<T>(std::move(indexers)), index_failed_);
  }
  Result<void> add_index(std::string_view name, IndexFunc<T> function) {
    return add_indexers({{std::string(name), std::move(function)}});
  }

  /// Returns the stored object that has this object's key; empty when there is none.
  /// @par Errors   Those of the key function.
  Result<Cached<T>> get(const Cached<T>& object) const {
    auto key = cells_.key(object);
    if (!key) return key.error();
    return this->get_by_key(*key);
  }

  Indexer<T> indexer() const { return *this; }
  /// With a key function of its own, get() of the lister takes that function's keys, and never
  /// finds by namespace and name.
  Lister<T> lister() const { return Lister<T>(writer_->store()); }

 private:
  Store(const std::shared_ptr<cache::WritableStore>& writer, StoreOptions<T>& options)
      : Indexer<T>(writer->store()),
        cells_(std::move(options.key_func), std::move(options.transform)),
        index_failed_(cache::to_index_failure<T>(std::move(options.index_failed))),
        writer_(writer) {
    options.indexers.erase(std::string(kNamespaceIndex));  // every store has it
    static_cast<void>(add_indexers(std::move(options.indexers)));
  }
  Result<void> put(const Cached<T>& object) {
    auto cell = cells_.make(object);
    if (!cell) return cell.error();
    return writer_->apply({{.type = DeltaType::Updated, .cell = *std::move(cell)}});
  }

  const cache::ObjectCells<T> cells_;
  const cache::Store::IndexFailure index_failed_;
  const std::shared_ptr<cache::WritableStore> writer_;
};

template <Object T>
Result<void> Store<T>::transaction(std::span<const Transaction<T>> changes) {
  TransactionError failed;
  failed.total_transactions = changes.size();
  std::vector<cache::Delta> valid;
  valid.reserve(changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const bool removes = changes[i].type == TransactionType::Delete;
    const Cached<T>& object = changes[i].object;
    Result<cache::CellRef> cell = removes ? cells_.make_removal(object) : cells_.make(object);
    if (!cell) {
      failed.errors.push_back(cell.error());
      continue;
    }
    valid.push_back(
        {.type = removes ? DeltaType::Deleted : DeltaType::Updated, .cell = *std::move(cell)});
    failed.successful_indices.push_back(i);
  }
  if (auto applied = writer_->apply(std::move(valid)); !applied) return applied;
  if (failed.errors.empty()) return {};
  return cache::make_transaction_error(std::move(failed));
}

}  // namespace kube
