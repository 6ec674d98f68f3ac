// SPDX-License-Identifier: Apache-2.0
//
// Empties and removes namespaces that are being deleted, as the namespace controller does: pods
// first, then the rest, then the namespace.
#pragma once

#include <string>

#include <kube/base/executor.hpp>

#include "names/serving_names.hpp"
#include "objects/object_service.hpp"
#include "objects/reconciler.hpp"
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
  /// What remains of a resource after a sweep. Changed: also objects that were written meanwhile.
  enum class Left { Nothing, Terminating, Changed };
  Left empty_out(const Resource& resource, const std::string& name);
  Left sweep_kinds(const ResourceTable& table, const std::string& name, bool first);
  void sweep(const std::string& name);

  ResourceRegistry& registry_;
  ObjectService& objects_;
  Collection& namespaces_;
  Reconciler sweeps_;
};

}  // namespace kube::apiserver
