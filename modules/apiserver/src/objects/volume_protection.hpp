// SPDX-License-Identifier: Apache-2.0
//
// Lets go of deleted volumes and claims that nothing uses, as the controller manager of a real
// cluster does.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "names/serving_names.hpp"
#include "objects/object_service.hpp"
#include "objects/reconciler.hpp"
#include "resources/resource_table.hpp"

namespace kube::apiserver {

/// Removes the finalizer that admission gave to a claim, a volume or a class of attributes: from a
/// claim when no pod that has not ended names it, from a volume when it is not bound.
///
/// @par Thread safety   observe() may be called from any thread; work is done on the executor.
class VolumeProtection {
 public:
  VolumeProtection(Store& store, ResourceRegistry& registry, ObjectService& objects,
                   Executor& executor);

  void observe(const Committed& committed);

 private:
  struct Kind {
    std::string_view finalizer;
    Collection* objects;
    std::shared_ptr<const Resource> resource;
  };
  void release(const std::string& name);
  bool is_used(const Kind& kind, const StoredObject& object) const;
  void look_again(const std::string& namespace_);

  ObjectService& objects_;
  Collection& pods_;
  std::array<Kind, 3> kinds_;
  /// By collection and key.
  Reconciler releases_;
};

}  // namespace kube::apiserver
