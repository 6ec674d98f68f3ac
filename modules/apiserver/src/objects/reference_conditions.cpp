// SPDX-License-Identifier: Apache-2.0
#include "objects/reference_conditions.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include <kube/names/go_text.hpp>

namespace kube::apiserver {
namespace {

Condition dangling(Store& store, const json::Value& schema) {
  const std::string level(schema.string_at({"spec", "priorityLevelConfiguration", "name"}));
  const std::string start =
      "This FlowSchema references the PriorityLevelConfiguration object named " + go::quote(level);
  if (store.collection(builtin::kPriorityLevels.storage()).get(level))
    return {"Dangling", "False", "Found", start + " and it exists"};
  return {"Dangling", "True", "NotFound", start + " but there is no such object"};
}

bool has_port(const json::Value& service, std::int64_t port) {
  return std::ranges::any_of(service.array_at({"spec", "ports"}), [port](const json::Value& each) {
    return each.int_at({"port"}) == port;
  });
}

bool has_slices(Store& store, const std::string& namespace_, const std::string& service) {
  const auto slices = store.collection(builtin::kEndpointSlices.storage()).snapshot({namespace_});
  return std::ranges::any_of(slices.objects, [&](const ObjectPtr& slice) {
    return std::ranges::any_of(slice->labels, [&](const auto& label) {
      return label.first == "kubernetes.io/service-name" && label.second == service;
    });
  });
}

Condition available(Store& store, const json::Value& api) {
  const json::Value* const reference = api.at_path({"spec", "service"});
  if (reference == nullptr || !reference->is_object())
    return {"Available", "True", "Local", "Local APIServices are always available"};
  const std::string namespace_(reference->string_at({"namespace"}));
  const std::string name(reference->string_at({"name"}));
  const std::string which = "service/" + name + " in " + go::quote(namespace_);
  const auto not_available = [](std::string_view reason, std::string why) {
    return Condition{"Available", "False", reason, std::move(why)};
  };
  const ObjectPtr found =
      store.collection(builtin::kServices.storage()).get(namespace_ + "/" + name);
  if (!found) return not_available("ServiceNotFound", which + " is not present");
  const auto service = json::parse("{" + std::string(found->body));
  if (service && service->string_at({"spec", "type"}) == "ClusterIP") {
    const std::int64_t port = reference->int_at({"port"}).value_or(443);
    if (!has_port(*service, port)) {
      return not_available("ServicePortError",
                           which + " is not listening on port " + std::to_string(port));
    }
    if (!has_slices(store, namespace_, name))
      return not_available("EndpointsNotFound", "cannot find endpointslices for " + which);
  }
  return not_available("FailedDiscoveryCheck", "the embedded API server forwards no requests");
}

}  // namespace

ReferenceConditions::ReferenceConditions(Store& store, ResourceRegistry& registry,
                                         ObjectService& objects)
    : store_(store), objects_(objects) {
  const auto rule = [&](const OwnResource& resource, std::initializer_list<OwnResource> referred,
                        decltype(Rule::condition) condition) {
    Rule out{
        registry.table()->find(resource), &store.collection(resource.storage()), {}, condition};
    for (const OwnResource& each : referred)
      out.referred.push_back(&store.collection(each.storage()));
    return out;
  };
  rules_ = {rule(builtin::kFlowSchemas, {builtin::kPriorityLevels}, dangling),
            rule(builtin::kApiServices, {builtin::kServices, builtin::kEndpointSlices}, available)};
}

void ReferenceConditions::observe(const Committed& committed) {
  for (const Rule& rule : rules_) {
    if (&committed.collection == rule.objects) {
      if (committed.event->type != EventType::Deleted) check(rule, *committed.event->object);
    } else if (rule.objects->size() != 0 &&
               std::ranges::find(rule.referred, &committed.collection) != rule.referred.end()) {
      for (const ObjectPtr& object : rule.objects->snapshot({}).objects) check(rule, *object);
    }
  }
}

// It looks again when another write came first, so that the last one to write has seen all others.
void ReferenceConditions::check(const Rule& rule, const StoredObject& object) {
  objects_.update_same(*rule.resource, object, [&](json::Value& next) {
    set_condition(next, rule.condition(store_, next), objects_.now_text());
  });
}

}  // namespace kube::apiserver
