// SPDX-License-Identifier: Apache-2.0
//
// Removes pods whose grace period is over, as the kubelet of a real cluster does.
#pragma once

#include <memory>
#include <string>

#include "names/serving_names.hpp"
#include "objects/object_service.hpp"
#include "objects/reconciler.hpp"
#include "resources/resource_table.hpp"

namespace kube::apiserver {

/// @par Thread safety   observe() may be called from any thread.
class GracefulDeletions {
 public:
  GracefulDeletions(Store& store, ResourceRegistry& registry, ObjectService& objects,
                    Executor& executor);

  void observe(const Committed& committed);

 private:
  void finish(const std::string& key);

  ObjectService& objects_;
  Collection& pods_;
  std::shared_ptr<const Resource> resource_;
  Reconciler removals_;
};

}  // namespace kube::apiserver
