// SPDX-License-Identifier: Apache-2.0
//
// What happens to objects, whoever asks: the rules of create, update and delete between a request
// and the store. HTTP handlers, the in-process calls and the server's own controllers use it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/options.hpp>
#include <kube/names/object_key.hpp>

#include "documents/ids.hpp"
#include "objects/object_rules.hpp"
#include "resources/resource.hpp"
#include "storage/store.hpp"

namespace kube::apiserver {

/// @par Thread safety   All functions may be called from any thread.
class ObjectService {
 public:
  ObjectService(Store& store, Ids& ids, std::shared_ptr<Clock> clock)
      : store_(store), ids_(ids), clock_(std::move(clock)) {}

  Collection& collection(const Resource& resource) { return store_.collection(resource.storage); }

  /// Stores a new object, of the version of `resource`, in a namespace ("" for cluster-wide kinds).
  Result<ObjectPtr> create(const Resource& resource, std::string_view namespace_,
                           json::Value object, bool dry_run = false);

  /// Puts an object as it is, status included, over the one that is there, if there is one. One
  /// whose status says nothing gets what a new object gets; a namespace always does. A uid and a
  /// creationTimestamp are kept. With a generateName and no name it is a new object, of a
  /// name that no other has.
  Result<ObjectPtr> put(const Resource& resource, std::string_view namespace_, json::Value object);

  /// Makes the next state from the current one. Called again when another write came between.
  using Change = std::function<Result<json::Value>(const json::Value& current)>;
  /// Answers with the object now stored; when the change removed the last finalizer, with the
  /// state that was asked for.
  Result<ObjectPtr> update(const Resource& resource, const ObjectKey& key, Part part,
                           const Change& change, bool dry_run = false);

  struct Removal {
    ObjectPtr object{};    ///< The last or the present state.
    bool removed = false;  ///< false: it is terminating.

    explicit operator bool() const { return object != nullptr; }
  };
  Result<Removal> remove(const Resource& resource, const ObjectKey& key,
                         const DeleteOptions& request);

  /// A copy of a NotFound error when there is none.
  Result<ObjectPtr> get(const Resource& resource, const ObjectKey& key);

  /// NotFound when a namespace does not exist, Forbidden when it is being deleted and `resource`
  /// would get a new object `name` in it.
  Result<void> check_namespace(const Resource& resource, std::string_view namespace_,
                               std::string_view name);

  std::string now_text() const;

 private:
  /// A new object, by its name or a generated one.
  Result<ObjectPtr> add(const Write& write, std::string_view namespace_, json::Value object,
                        bool dry_run);
  // Null from these, and an empty Removal: another write came first.
  Result<ObjectPtr> add_named(const Write& write, std::string_view namespace_, json::Value object,
                              bool dry_run);
  Result<ObjectPtr> replace(const Resource& resource, const ObjectPtr& before, json::Value next,
                            bool dry_run);
  Result<Removal> remove_once(const Resource& resource, const ObjectKey& key,
                              const DeleteOptions& request);

  Store& store_;
  Ids& ids_;
  std::shared_ptr<Clock> clock_;
};

}  // namespace kube::apiserver
