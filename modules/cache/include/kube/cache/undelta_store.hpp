// SPDX-License-Identifier: Apache-2.0
//
// kube::UndeltaStore<T>: a store that hands its whole content to a function at each change.
//
//   UndeltaStore<Pod> pods([&](const CachedList<Pod>& all) { write_backends(all); });
//   if (auto added = pods.add(pod); !added) return added;  // writes the backends again
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/call_user_code.hpp>
#include <kube/base/result.hpp>
#include <kube/cache/cached.hpp>
#include <kube/cache/cached_list.hpp>
#include <kube/cache/detail/turn.hpp>
#include <kube/cache/indexer.hpp>
#include <kube/cache/key_func.hpp>
#include <kube/cache/reflector_store.hpp>
#include <kube/cache/store.hpp>

namespace kube {

/// For a consumer that wants the state, not its changes, such as a configuration that is written
/// anew each time.
///
/// Each successful change, and each replace(), calls the function once, with the objects after that
/// change; reads, resync() and bookmark() do not.
/// @par Errors   Of the functions that write: those of Store<T>, before anything is stored or
///   pushed. Internal when the function throws: the change is stored. InvalidArgument when the
///   function itself changes the store.
/// @par Thread safety   All functions may be called from any thread. The function is called by the
///   thread that writes, one call at a time and in the order of the changes, with no lock held;
///   other writers wait for it.
template <Object T>
class UndeltaStore final : public ReflectorStore<T> {
 public:
  using PushFunc = std::function<void(const CachedList<T>& objects)>;

  explicit UndeltaStore(PushFunc push, KeyFunc<T> key_func = {})
      : push_(std::move(push)), store_(StoreOptions<T>{.key_func = std::move(key_func)}) {}

  using ReflectorStore<T>::add;
  using ReflectorStore<T>::update;
  using ReflectorStore<T>::remove;
  /// @par Errors   See above.
  Result<void> add(const Cached<T>& object) override {
    return change([&] { return store_.add(object); });
  }
  Result<void> update(const Cached<T>& object) override {
    return change([&] { return store_.update(object); });
  }
  Result<void> remove(const Cached<T>& object) override {
    return change([&] { return store_.remove(object); });
  }
  Result<void> remove_last_known(const Cached<T>& object) override {
    return change([&] { return store_.remove_last_known(object); });
  }
  /// Errors as those of Store::replace(): objects that were left out do not keep the others from
  /// being pushed.
  Result<void> replace(std::vector<Cached<T>> objects, std::string_view resource_version) override {
    return change([&] { return store_.replace(std::move(objects), resource_version); });
  }
  Cached<T> known(const ObjectKey& names) const override { return store_.known(names); }
  Result<void> resync() override { return {}; }
  Result<void> bookmark(std::string_view resource_version) override {
    return store_.bookmark(resource_version);
  }

  /// Returns the stored object that has this object's key; empty when there is none.
  /// @par Errors   Those of the key function.
  Result<Cached<T>> get(const Cached<T>& object) const { return store_.get(object); }
  Cached<T> get_by_key(std::string_view key) const { return store_.get_by_key(key); }
  CachedList<T> list() const { return store_.list(); }
  std::vector<std::string> list_keys() const { return store_.list_keys(); }
  Indexer<T> indexer() const { return store_.indexer(); }

 private:
  template <class F>
  Result<void> change(const F& write) {
    const auto turn = turn_.take();
    if (!turn) return turn.error();
    const Result<void> written = write();
    if (!written && transaction_error(written.error()) == nullptr) return written;
    Result<void> pushed = call_user_code("the push function", [&] { push_(store_.list()); });
    return pushed ? written : pushed;
  }

  const PushFunc push_;
  cache::Turn turn_;
  Store<T> store_;
};

}  // namespace kube
