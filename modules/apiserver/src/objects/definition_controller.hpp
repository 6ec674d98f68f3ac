// SPDX-License-Identifier: Apache-2.0
//
// Keeps the table of resources in line with the CustomResourceDefinitions, writes their conditions,
// and deletes the objects of a definition that is being deleted.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <kube/base/executor.hpp>

#include "names/serving_names.hpp"
#include "objects/object_service.hpp"
#include "objects/reconciler.hpp"
#include "resources/custom_resources.hpp"
#include "resources/resource_table.hpp"

namespace kube::apiserver {

/// @par Thread safety   observe() may be called from any thread. When it returns, the table is up
///   to date, and a new definition is established, by a write after that which made it; objects
///   are deleted on the executor, which runs one task at a time.
class DefinitionController {
 public:
  DefinitionController(Store& store, ResourceRegistry& registry, ObjectService& objects,
                       Executor& executor);

  void observe(const Committed& committed);

 private:
  /// A definition, decoded.
  struct Known {
    ObjectPtr stored{};
    std::int64_t generation = 0;  ///< Of the spec, from which the resources are made.
    bool is_established = false;
    DefinedResources resources{};
  };

  void refresh();
  void sweep(const std::string& definition);

  Store& store_;
  ResourceRegistry& registry_;
  ObjectService& objects_;
  Collection& definitions_;
  std::shared_ptr<const Resource> resource_;
  /// One refresh at a time, so that the last one sees all changes.
  Mutex refresh_mutex_;
  std::map<std::string, Known> known_ KUBE_GUARDED_BY(refresh_mutex_);
  Mutex mutex_;
  /// Collections of definitions that are being deleted, with the definition's name.
  std::map<std::string, std::string> terminating_ KUBE_GUARDED_BY(mutex_);
  Reconciler sweeps_;
};

}  // namespace kube::apiserver
