// SPDX-License-Identifier: Apache-2.0
#include "objects/pod_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <kube/names/go_text.hpp>

#include "documents/metadata.hpp"
#include "kinds/fields.hpp"
#include "kinds/pod_preparation.hpp"
#include "validation/own_diff.hpp"
#include "validation/place.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldErrors;
using meta::FieldPath;

constexpr std::string_view kResizedLists[] = {"containers", "initContainers"};
constexpr std::string_view kAmountLists[] = {"requests", "limits"};
constexpr std::string_view kResizable[] = {"cpu", "memory"};

const json::Value& part_at(const json::Value& object,
                           std::initializer_list<std::string_view> path) {
  static const json::Value none;
  const json::Value* found = object.at_path(path);
  return found == nullptr ? none : *found;
}

bool is_static(const json::Value& pod) {
  return pod.at_path({"metadata", "annotations", "kubernetes.io/config.mirror"}) != nullptr;
}

// An error of the whole object, whose path is empty.
FieldErrors refused_whole(std::string why) {
  FieldError error = FieldError::forbidden(FieldPath(), std::move(why));
  error.field.clear();
  return {std::move(error)};
}

// Takes the resources of containers, as long as they have the same names. What is wrong with other
// lists is found later.
void take_resources(const json::Object& sent, json::Object& kept, std::string_view list) {
  const json::Value* given = sent.find(list);
  json::Value* taken = kept.find(list);
  if (given == nullptr || !given->is_array() || taken == nullptr || !taken->is_array()) return;
  const json::Array& from = *given->if_array();
  for (std::size_t i = 0; i < from.size(); ++i) {
    json::Value& container = (*taken->if_array())[i];
    if (from[i].string_at({"name"}) != container.string_at({"name"})) {
      *taken = *given;
      return;
    }
    if (!from[i].is_object() || !container.is_object()) continue;
    for (const std::string_view key : {"resources", "resizePolicy"})
      serving::copy_member(*from[i].if_object(), *container.if_object(), key);
  }
}

bool same_sizes(const json::Value& one, const json::Value& other) {
  return std::ranges::all_of(kResizedLists, [&](std::string_view list) {
    return one.array_at({"spec", list}).size() == other.array_at({"spec", list}).size();
  });
}

FieldErrors ephemeral_errors(const Write& write, const json::Value& object) {
  if (is_static(*write.before))
    return refused_whole("static pods do not support ephemeral containers");
  const json::Array& now = object.array_at({"spec", "ephemeralContainers"});
  FieldErrors errors;
  const auto check = [&](const Place& old) {
    const std::string_view name = old.text("name");
    const auto same = std::ranges::find_if(
        now, [&](const json::Value& each) { return each.string_at({"name"}) == name; });
    if (same != now.end() && *same == old.value()) return;
    std::string why = "existing ephemeral containers " + go::quote(name);
    if (same == now.end()) {
      why += " may not be removed\n";
    } else {
      const Place changed(old.walk(), old.type(), *same);
      why += " may not be changed\n" + own_diff(old.shown_whole(), changed.shown_whole());
    }
    errors.push_back(
        FieldError::forbidden(FieldPath("spec").child("ephemeralContainers"), std::move(why)));
  };
  Walk walk;
  Place(walk, *write.resource.type, *write.before).each("spec", [&](const Place& spec) {
    spec.each("ephemeralContainers", check);
  });
  return errors;
}

// Whether a list of amounts lacks what an older one has.
bool lacks(const json::Value& amounts, const json::Value& old) {
  if (!old.is_object()) return false;
  return std::ranges::any_of(*old.if_object(), [&](const auto& amount) {
    return amounts.at_path({amount.first}) == nullptr;
  });
}

FieldErrors removed_amounts(const json::Value& resources, const json::Value& old,
                            const FieldPath& path, std::string_view what) {
  FieldErrors errors;
  for (const std::string_view list : kAmountLists) {
    if (!lacks(part_at(resources, {list}), part_at(old, {list}))) continue;
    errors.push_back(FieldError::forbidden(
        path.child(list),
        std::string(what).append("resource ").append(list).append(" cannot be removed")));
  }
  return errors;
}

// Whether two resources differ in what a pod keeps as long as it runs.
bool differ_in_fixed(const json::Value& resources, const json::Value& old) {
  const auto fixed = [](const json::Value& from) {
    json::Object out;
    if (!part_at(from, {"claims"}).is_null()) out.set("claims", part_at(from, {"claims"}));
    for (const std::string_view list : kAmountLists) {
      const json::Value& amounts = part_at(from, {list});
      if (!amounts.is_object()) continue;
      json::Object rest = *amounts.if_object();
      for (const std::string_view name : kResizable) rest.erase(name);
      if (!rest.empty()) out.set(list, std::move(rest));
    }
    return json::Value(std::move(out));
  };
  return fixed(resources) != fixed(old);
}

// Containers stay where they are: an error for each that does not.
FieldErrors order_errors(const json::Value& object, const json::Value& before) {
  FieldErrors errors;
  for (const std::string_view list : kResizedLists) {
    const FieldPath path = FieldPath("spec").child(list);
    const json::Array& now = object.array_at({"spec", list});
    const json::Array& old = before.array_at({"spec", list});
    if (now.size() != old.size()) {
      errors.push_back(FieldError::forbidden(
          path, std::string(list) + " may not be added or removed on resize"));
      continue;
    }
    for (std::size_t i = 0; i < old.size(); ++i) {
      if (now[i].string_at({"name"}) == old[i].string_at({"name"})) continue;
      errors.push_back(
          FieldError::forbidden(path.index(i).child("name"),
                                std::string(list) + " may not be renamed or reordered on resize"));
    }
  }
  return errors;
}

FieldErrors removals(const json::Value& object, const json::Value& before) {
  FieldErrors errors;
  for (const std::string_view list : {"initContainers", "containers"}) {
    const json::Array& now = object.array_at({"spec", list});
    const json::Array& old = before.array_at({"spec", list});
    for (std::size_t i = 0; i < old.size(); ++i) {
      FieldErrors more =
          removed_amounts(part_at(now[i], {"resources"}), part_at(old[i], {"resources"}),
                          FieldPath("spec").child(list).index(i).child("resources"), "");
      std::ranges::move(more, std::back_inserter(errors));
    }
  }
  return errors;
}

bool is_fixed_kept(const json::Value& container, const json::Value& old) {
  return part_at(container, {"resizePolicy"}) == part_at(old, {"resizePolicy"}) &&
         !differ_in_fixed(part_at(container, {"resources"}), part_at(old, {"resources"}));
}

FieldErrors init_container_errors(const json::Value& container, const json::Value& old,
                                  const FieldPath& path) {
  FieldErrors errors;
  if (!is_fixed_kept(container, old)) {
    errors.push_back(FieldError::forbidden(
        path, "only cpu and memory resources for init or sidecar containers are mutable"));
  }
  if (container == old || container.string_at({"restartPolicy"}) == "Always") return errors;
  for (const json::Value& policy : container.array_at({"resizePolicy"})) {
    if (policy.string_at({"restartPolicy"}) != "RestartContainer") continue;
    errors.push_back(FieldError::forbidden(
        path,
        "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"));
  }
  return errors;
}

// What containers have besides cpu and memory stays.
FieldErrors fixed_errors(const json::Value& object, const json::Value& before) {
  FieldErrors errors;
  const FieldPath spec("spec");
  const json::Array& containers = object.array_at({"spec", "containers"});
  const json::Array& old = before.array_at({"spec", "containers"});
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (!is_fixed_kept(containers[i], old[i]))
      errors.push_back(FieldError::forbidden(spec, "only cpu and memory resources are mutable"));
  }
  const json::Array& init = object.array_at({"spec", "initContainers"});
  const json::Array& old_init = before.array_at({"spec", "initContainers"});
  for (std::size_t i = 0; i < old_init.size(); ++i) {
    FieldErrors more =
        init_container_errors(init[i], old_init[i], spec.child("initContainers").index(i));
    std::ranges::move(more, std::back_inserter(errors));
  }
  return errors;
}

// The kubelet of a running pod shows by its status whether it can resize it.
bool is_resizable(const json::Value& pod) {
  for (const json::Value& status : pod.array_at({"status", "containerStatuses"})) {
    if (status.at_path({"state", "running"}) != nullptr)
      return status.at_path({"resources"}) != nullptr;
  }
  return true;
}

FieldErrors pod_resource_errors(const json::Value& object, const json::Value& before) {
  const json::Value& now = part_at(object, {"spec", "resources"});
  const json::Value& old = part_at(before, {"spec", "resources"});
  FieldErrors errors =
      removed_amounts(now, old, FieldPath("spec").child("resources"), "pod-level ");
  if (differ_in_fixed(now, old)) {
    errors.push_back(FieldError::forbidden(
        FieldPath("spec"), "only cpu and memory resources are mutable at pod-level"));
  }
  return errors;
}

FieldErrors resize_errors(const json::Value& object, const json::Value& before) {
  if (is_static(before)) return refused_whole("static pods cannot be resized");
  if (before.string_at({"spec", "os", "name"}) == "windows")
    return refused_whole("windows pods cannot be resized");
  FieldErrors errors;
  const auto append = [&errors](FieldErrors more) {
    std::ranges::move(more, std::back_inserter(errors));
  };
  const FieldPath spec("spec");
  const std::string_view quality = before.string_at({"status", "qosClass"});
  if ((quality.empty() ? serving::qos_class(before) : quality) != serving::qos_class(object)) {
    errors.push_back(FieldError::invalid(spec, object.string_at({"status", "qosClass"}),
                                         "Pod QOS Class may not change as a result of resizing"));
  }
  if (!is_resizable(before)) {
    errors.push_back(FieldError::forbidden(spec, "Pod running on node without support for resize"));
  }
  append(pod_resource_errors(object, before));
  FieldErrors order = order_errors(object, before);
  if (order.empty()) {
    append(removals(object, before));
    append(fixed_errors(object, before));
  }
  append(std::move(order));
  return errors;
}

// A term of a node selector grows, or stays empty.
bool only_adds(const json::Value& term, const json::Value& old) {
  bool was_empty = true;
  bool is_empty = true;
  for (const std::string_view list : {"matchExpressions", "matchFields"}) {
    const json::Array& now = term.array_at({list});
    const json::Array& had = old.array_at({list});
    was_empty = was_empty && had.empty();
    is_empty = is_empty && now.empty();
    if (now.size() < had.size() || !std::equal(had.begin(), had.end(), now.begin())) return false;
  }
  return is_empty || !was_empty;
}

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kTerms = "nodeSelectorTerms";

void check_node_affinity(const Place& spec, const json::Value& before) {
  const std::initializer_list<std::string_view> path = {"affinity", "nodeAffinity", kRequired,
                                                        kTerms};
  const json::Array& old = part_at(before, {"spec"}).array_at(path);
  const json::Array& now = spec.value().array_at(path);
  json::Value shown;
  spec.each("affinity", [&](const Place& affinity) {
    affinity.each("nodeAffinity", [&](const Place& nodes) {
      nodes.each(kRequired, [&](const Place& selector) { shown = selector.shown_own(kTerms); });
    });
  });
  const FieldPath terms =
      spec.path("affinity").child("nodeAffinity").child(kRequired).child(kTerms);
  if (!old.empty() && old.size() != now.size()) {
    spec.report(FieldError::invalid(
        terms, std::move(shown),
        "no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
    return;
  }
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (only_adds(now[i], old[i])) continue;
    const json::Array* items = shown.if_array();
    spec.report(FieldError::invalid(terms.index(i),
                                    items != nullptr && i < items->size() ? (*items)[i] : shown,
                                    "only additions are allowed (no mutations or deletions)"));
  }
}

// A pod that waits at a gate may choose fewer nodes than before.
FieldErrors node_choice_errors(const Write& write, const json::Value& object) {
  const json::Value& before = *write.before;
  if (before.array_at({"spec", "schedulingGates"}).empty() ||
      serving::same_member(object, before, {"spec"}))
    return {};
  Walk walk;
  walk.emptied = write.asked.emptied();
  Place(walk, *write.resource.type, object).each("spec", [&](const Place& spec) {
    const json::Value& old = part_at(before, {"spec", "nodeSelector"});
    const bool narrows =
        !old.is_object() || std::ranges::all_of(*old.if_object(), [&](const auto& label) {
          return part_at(spec.value(), {"nodeSelector", label.first}) == label.second;
        });
    if (!narrows) {
      spec.invalid("nodeSelector",
                   "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
    }
    check_node_affinity(spec, before);
  });
  return std::move(walk.errors);
}

}  // namespace

void keep_but_containers(const Write& write, json::Value& next) {
  const json::Value& before = *write.before;
  const bool resizes = write.part == Part::Resize;
  if (resizes && !same_sizes(next, before)) return;
  json::Object& sent = serving::spec_in(next);
  json::Object kept = serving::spec_of(before);
  if (!resizes) {
    serving::copy_member(sent, kept, "ephemeralContainers");
  } else {
    for (const std::string_view list : kResizedLists) take_resources(sent, kept, list);
    const json::Value* resources = sent.find("resources");
    if (resources != nullptr && !resources->is_null()) kept.set("resources", *resources);
  }
  sent = std::move(kept);
  for (const std::string_view key : {"labels", "annotations", "finalizers", "ownerReferences"})
    serving::copy_member(*serving::find_metadata(before), serving::metadata_of(next), key);
}

FieldErrors pod_change_errors(const Write& write, const json::Value& object) {
  const Resource& resource = write.resource;
  if (!builtin::kPods.is(resource.gvk.group, resource.plural)) return {};
  switch (write.part) {
    case Part::Main:
      return node_choice_errors(write, object);
    case Part::Ephemeral:
      return ephemeral_errors(write, object);
    case Part::Resize:
      return resize_errors(object, *write.before);
    default:
      return {};
  }
}

}  // namespace kube::apiserver
