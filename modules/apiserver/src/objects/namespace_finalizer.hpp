// SPDX-License-Identifier: Apache-2.0
//
// Empties and removes namespaces that are being deleted, as the namespace controller does: pods
// first, then the rest, then the namespace.
#pragma once

#include <set>
#include <string>

#include <kube/base/executor.hpp>

#include "objects/object_service.hpp"
#include "resources/resource_table.hpp"

namespace kube::apiserver {

/// @par Thread safety   observe() may be called from any thread; work is done on the executor,
///   which runs one task at a time.
class NamespaceFinalizer {
 public:
  NamespaceFinalizer(Store& store, ResourceRegistry& registry, ObjectService& objects,
                     Executor& executor);

  void observe(const Committed& committed);

 private:
  void schedule(const std::string& name);
  void sweep(const std::string& name);
  void finish(const StoredObject& found);

  ResourceRegistry& registry_;
  ObjectService& objects_;
  Executor& executor_;
  Collection& namespaces_;
  Mutex mutex_;
  std::set<std::string> scheduled_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::apiserver
