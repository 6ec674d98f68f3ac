// SPDX-License-Identifier: Apache-2.0
//
// The rules of create, update and delete between a request and the store, used by the HTTP
// handlers, the in-process calls and the server's own controllers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/options.hpp>
#include <kube/names/object_key.hpp>

#include "documents/ids.hpp"
#include "names/serving_names.hpp"
#include "objects/object_rules.hpp"
#include "objects/service_allocator.hpp"
#include "resources/resource.hpp"
#include "storage/store.hpp"

namespace kube::apiserver {

/// @par Thread safety   All functions may be called from any thread.
class ObjectService {
 public:
  ObjectService(Store& store, Ids& ids, std::shared_ptr<Clock> clock, AddressRange addresses)
      : store_(store), ids_(ids), clock_(std::move(clock)), allocator_(addresses) {}

  Collection& collection(const Resource& resource) { return store_.collection(resource.storage); }

  /// Stores a new object in the version of `resource`, in a namespace ("" for cluster-wide kinds).
  Result<ObjectPtr> create(const Resource& resource, std::string_view namespace_,
                           json::Value object, bool dry_run = false, const Asked& asked = {});

  /// Stores an object as it is, status included, replacing an existing one. An object with an empty
  /// status gets that of a new object; a namespace always does. A uid and a creationTimestamp are
  /// kept. With a generateName and no name it creates an object with a free name.
  Result<ObjectPtr> put(const Resource& resource, std::string_view namespace_, json::Value object);

  /// Returns the next state from the current one. Called again when another write came first.
  using Change = std::function<Result<json::Value>(const json::Value& current)>;
  /// Returns the stored object; when the change removed the last finalizer, the requested state.
  Result<ObjectPtr> update(const Resource& resource, const ObjectKey& key, Part part,
                           const Change& change, bool dry_run = false, const Asked& asked = {});

  /// Changes an object, unless another one has its name by now. A missing object is no error.
  void update_same(const Resource& resource, const StoredObject& object,
                   const std::function<void(json::Value& next)>& change);

  struct Removal {
    ObjectPtr object{};    ///< The last or the current state.
    bool removed = false;  ///< false: it is terminating.

    explicit operator bool() const { return object != nullptr; }
  };
  Result<Removal> remove(const Resource& resource, const ObjectKey& key,
                         const DeleteOptions& request);

  /// Fails with NotFound.
  Result<ObjectPtr> get(const Resource& resource, const ObjectKey& key);

  /// Fails with NotFound when the namespace does not exist, with Forbidden when it is being deleted
  /// and `resource` would get a new object `name` in it.
  Result<void> check_namespace(const Resource& resource, std::string_view namespace_,
                               std::string_view name);

  std::string now_text() const;

  /// What services may take.
  const AddressRange& addresses() const { return allocator_.range(); }
  /// Sees each commit of the store.
  void observe(const Committed& committed) { allocator_.observe(committed); }

 private:
  /// What is known of a document that is ready for the store.
  struct Ready {
    ServiceAllocator::Hold hold;  ///< Of what it has taken; by its end the document is stored.
    bool dropped = false;         ///< It had a field of a feature that is off.
  };
  Result<Ready> make_ready(const Write& write, json::Value& object, bool dry_run);
  /// Stores a new object under its name or a generated one.
  Result<ObjectPtr> add(const Write& write, std::string_view namespace_, json::Value object,
                        bool dry_run);
  // These return null, or an empty Removal, when another write came first.
  Result<ObjectPtr> add_named(const Write& write, std::string_view namespace_, json::Value object,
                              bool dry_run);
  Result<ObjectPtr> replace(const Resource& resource, const ObjectPtr& before, json::Value next,
                            bool dry_run);
  Result<Removal> remove_once(const Resource& resource, const ObjectKey& key,
                              const DeleteOptions& request);

  Store& store_;
  Ids& ids_;
  std::shared_ptr<Clock> clock_;
  ServiceAllocator allocator_;
};

}  // namespace kube::apiserver
