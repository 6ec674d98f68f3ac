// SPDX-License-Identifier: Apache-2.0
//
// Removes pods whose grace period is over, in place of the kubelet that a real cluster has.
#pragma once

#include <map>
#include <string>

#include <kube/base/executor.hpp>

#include "objects/object_service.hpp"
#include "resources/resource_table.hpp"

namespace kube::apiserver {

/// @par Thread safety   observe() may be called from any thread.
class GracefulDeletions {
 public:
  GracefulDeletions(Store& store, ResourceRegistry& registry, ObjectService& objects,
                    Executor& executor);

  void observe(const Committed& committed);

 private:
  struct Pending {
    std::int64_t grace;
    Timer timer;
  };
  void finish(const ObjectKey& key, const std::string& uid);

  ObjectService& objects_;
  Executor& executor_;
  Collection& pods_;
  std::shared_ptr<const Resource> resource_;
  Mutex mutex_;
  std::map<std::string, Pending> pending_ KUBE_GUARDED_BY(mutex_);  ///< By uid.
};

}  // namespace kube::apiserver
