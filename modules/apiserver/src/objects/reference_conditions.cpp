// SPDX-License-Identifier: Apache-2.0
#include "objects/reference_conditions.hpp"

#include <string>

#include <kube/names/go_text.hpp>

namespace kube::apiserver {
namespace {

Condition is_dangling(const json::Value& schema, const Collection& levels) {
  const std::string level(schema.string_at({"spec", "priorityLevelConfiguration", "name"}));
  const std::string start =
      "This FlowSchema references the PriorityLevelConfiguration object named " + go::quote(level);
  if (levels.get(level)) return {"Dangling", "False", "Found", start + " and it exists"};
  return {"Dangling", "True", "NotFound", start + " but there is no such object"};
}

Condition is_available(const json::Value& api, const Collection& services) {
  const json::Value* const service = api.at_path({"spec", "service"});
  if (service == nullptr || !service->is_object())
    return {"Available", "True", "Local", "Local APIServices are always available"};
  const std::string namespace_(service->string_at({"namespace"}));
  const std::string name(service->string_at({"name"}));
  if (!services.get(namespace_ + "/" + name)) {
    return {"Available", "False", "ServiceNotFound",
            "service/" + name + " in " + go::quote(namespace_) + " is not present"};
  }
  return {"Available", "False", "FailedDiscoveryCheck",
          "the embedded API server forwards no requests"};
}

}  // namespace

ReferenceConditions::ReferenceConditions(Store& store, ResourceRegistry& registry,
                                         ObjectService& objects)
    : objects_(objects) {
  const auto kind = [&](const OwnResource& resource, const OwnResource& referred,
                        decltype(Kind::condition) condition) {
    return Kind{registry.table()->find(resource), &store.collection(resource.storage()),
                &store.collection(referred.storage()), condition};
  };
  kinds_ = {kind(builtin::kFlowSchemas, builtin::kPriorityLevels, is_dangling),
            kind(builtin::kApiServices, builtin::kServices, is_available)};
}

void ReferenceConditions::observe(const Committed& committed) {
  for (const Kind& kind : kinds_) {
    if (&committed.collection == kind.objects) {
      if (committed.event->type != EventType::Deleted) check(kind, *committed.event->object);
    } else if (&committed.collection == kind.referred && kind.objects->size() != 0) {
      for (const ObjectPtr& object : kind.objects->snapshot({}).objects) check(kind, *object);
    }
  }
}

// It looks again when another write came first, so that the last one to write has seen all others.
void ReferenceConditions::check(const Kind& kind, const StoredObject& object) {
  objects_.update_same(*kind.resource, object, [&](json::Value& next) {
    set_condition(next, kind.condition(next, *kind.referred), objects_.now_text());
  });
}

}  // namespace kube::apiserver
