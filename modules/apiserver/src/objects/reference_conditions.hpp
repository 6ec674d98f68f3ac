// SPDX-License-Identifier: Apache-2.0
//
// The conditions that say whether what an object refers to is there, which kube-apiserver itself
// writes.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <kube/json/value.hpp>

#include "documents/conditions.hpp"
#include "names/serving_names.hpp"
#include "objects/object_service.hpp"
#include "resources/resource_table.hpp"

namespace kube::apiserver {

/// Keeps the condition Dangling of FlowSchemas and Available of APIServices.
///
/// @par Thread safety   observe() may be called from any thread. When it returns, the conditions
///   are up to date, by writes after the one that it is told of.
class ReferenceConditions {
 public:
  ReferenceConditions(Store& store, ResourceRegistry& registry, ObjectService& objects);

  void observe(const Committed& committed);

 private:
  struct Rule {
    std::shared_ptr<const Resource> resource{};
    Collection* objects = nullptr;
    std::vector<Collection*> referred{};
    Condition (*condition)(Store& store, const json::Value& object) = nullptr;
  };
  void check(const Rule& rule, const StoredObject& object);

  Store& store_;
  ObjectService& objects_;
  std::array<Rule, 2> rules_;
};

}  // namespace kube::apiserver
