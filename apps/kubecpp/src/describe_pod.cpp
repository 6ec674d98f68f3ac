// SPDX-License-Identifier: Apache-2.0
#include "describe_pod.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/names/quantity.hpp>

#include "describe_containers.hpp"
#include "describe_volumes.hpp"

namespace kubecpp {
namespace {

namespace json = kube::json;
using json::Value;
using Text = std::string;

Text toleration_text(const Value& toleration) {
  const Text key(toleration.string_at({"key"}));
  const Text value(toleration.string_at({"value"}));
  const Text effect(toleration.string_at({"effect"}));
  Text text = key + (value.empty() ? "" : "=" + value) + (effect.empty() ? "" : ":" + effect);
  if (toleration.string_at({"operator"}) == "Exists" && value.empty())
    text += key.empty() && effect.empty() ? "op=Exists" : " op=Exists";
  if (const auto tolerated = toleration.int_at({"tolerationSeconds"}))
    text += " for " + std::to_string(*tolerated) + "s";
  return text;
}

void add_placement(const Value& spec, const Text& indent, Description& out) {
  out.labels(indent + "Node-Selectors", spec.at_path({"nodeSelector"}));
  std::vector<Text> tolerations;
  for (const Value& each : objects_by(spec.array_at({"tolerations"}), "key"))
    tolerations.push_back(toleration_text(each));
  out.lines(indent + "Tolerations", tolerations);
}

void add_spread(const Value& spec, const Text& indent, Description& out) {
  std::vector<Text> lines;
  for (const Value& each :
       objects_by(spec.array_at({"topologySpreadConstraints"}), "topologyKey")) {
    Text line = Text(each.string_at({"topologyKey"})) + ":" +
                Text(each.string_at({"whenUnsatisfiable"})) + " when max skew " +
                std::to_string(each.int_at({"maxSkew"}).value_or(0)) + " is exceeded";
    if (const Value* selector = each.at_path({"labelSelector"}))
      line += " for selector " + label_selector_text(*selector);
    lines.push_back((lines.empty() ? "" : indent) + line);
  }
  if (!lines.empty()) out.lines(indent + "Topology Spread Constraints", lines);
}

void add_conditions(const Value& pod, Description& out) {
  const json::Array& conditions = pod.array_at({"status", "conditions"});
  const json::Array& gates = pod.array_at({"spec", "readinessGates"});
  if (!gates.empty()) out.add(0, "Readiness Gates:\n  Type\tStatus\n");
  for (const Value& gate : gates) {
    const std::string_view type = gate.string_at({"conditionType"});
    const auto found = std::ranges::find_if(
        conditions, [type](const Value& each) { return each.string_at({"type"}) == type; });
    out.add(1, Text(type) + " \t" +
                   (found == conditions.end() ? "<none>" : Text(found->string_at({"status"}))) +
                   " \n");
  }
  if (!conditions.empty()) out.add(0, "Conditions:\n  Type\tStatus\n");
  for (const Value& each : conditions) {
    out.add(1, Text(each.string_at({"type"})) + " \t" + Text(each.string_at({"status"})) + " \n");
  }
}

void add_head(const Value& pod, Description& out) {
  const std::string_view phase = pod.string_at({"status", "phase"});
  out.field(0, "Name", pod.string_at({"metadata", "name"}));
  out.field(0, "Namespace", pod.string_at({"metadata", "namespace"}));
  if (const auto priority = pod.int_at({"spec", "priority"}))
    out.field(0, "Priority", std::to_string(*priority));
  out.optional_field(0, "Priority Class Name", pod.string_at({"spec", "priorityClassName"}));
  out.optional_field(0, "Runtime Class Name", pod.string_at({"spec", "runtimeClassName"}));
  out.optional_field(0, "Service Account", pod.string_at({"spec", "serviceAccountName"}));
  const Text node(pod.string_at({"spec", "nodeName"}));
  out.field(0, "Node",
            node.empty() ? "<none>" : node + "/" + Text(pod.string_at({"status", "hostIP"})));
  if (const std::string_view start = pod.string_at({"status", "startTime"}); !start.empty())
    out.field(0, "Start Time", rfc1123_time(start));
  out.labels("Labels", pod.at_path({"metadata", "labels"}));
  out.annotations("Annotations", pod.at_path({"metadata", "annotations"}));
  const std::string_view deleted = pod.string_at({"metadata", "deletionTimestamp"});
  if (!deleted.empty() && phase != "Failed" && phase != "Succeeded") {
    out.field(0, "Status", "Terminating (lasts " + time_since(deleted) + ")");
    out.field(
        0, "Termination Grace Period",
        std::to_string(pod.int_at({"metadata", "deletionGracePeriodSeconds"}).value_or(0)) + "s");
  } else {
    out.field(0, "Status", phase);
  }
  out.optional_field(0, "Reason", pod.string_at({"status", "reason"}));
  out.optional_field(0, "Message", pod.string_at({"status", "message"}));
}

enum class Qos { BestEffort, Burstable, Guaranteed };

// Of a resource: whether request and limit are the same, and not zero.
Qos qos_of(const Value& resources, const char* resource) {
  const auto quantity = [&](const char* kind) {
    return kube::meta::Quantity::parse(resources.string_at({kind, resource}))
        .value_or(kube::meta::Quantity());
  };
  const auto request = quantity("requests");
  if (request != quantity("limits")) return Qos::Burstable;
  return request == kube::meta::Quantity() ? Qos::BestEffort : Qos::Guaranteed;
}

Qos qos_of(const Value* resources) {
  if (resources == nullptr) return Qos::BestEffort;
  const Qos cpu = qos_of(*resources, "cpu");
  return cpu == qos_of(*resources, "memory") ? cpu : Qos::Burstable;
}

// What the server computes when it creates the pod: a status need not have it.
std::string_view qos_class_of(const Value& pod) {
  if (const auto known = pod.string_at({"status", "qosClass"}); !known.empty()) return known;
  std::optional<Qos> qos;
  const Value* own = pod.at_path({"spec", "resources"});
  if (own != nullptr && (own->at_path({"requests"}) || own->at_path({"limits"}))) {
    qos = qos_of(own);
  } else {
    for (const char* list : {"initContainers", "containers"}) {
      for (const Value& container : pod.array_at({"spec", list})) {
        const Qos one = qos_of(container.at_path({"resources"}));
        qos = qos.value_or(one) == one ? one : Qos::Burstable;
      }
    }
  }
  switch (qos.value_or(Qos::BestEffort)) {
    case Qos::Burstable:
      return "Burstable";
    case Qos::Guaranteed:
      return "Guaranteed";
    default:
      return "BestEffort";
  }
}

void add_addresses(const Value& pod, Description& out) {
  out.field(0, "IP", pod.string_at({"status", "podIP"}));
  const json::Array& addresses = pod.array_at({"status", "podIPs"});
  out.add(0, addresses.empty() ? "IPs:\t<none>\n" : "IPs:\n");
  for (const Value& each : addresses) out.field(1, "IP", each.string_at({"ip"}));
  for (const Value& owner : pod.array_at({"metadata", "ownerReferences"})) {
    if (!owner.true_at({"controller"})) continue;
    out.field(0, "Controlled By",
              Text(owner.string_at({"kind"})) + "/" + Text(owner.string_at({"name"})));
  }
  out.optional_field(0, "NominatedNodeName", pod.string_at({"status", "nominatedNodeName"}));
}

}  // namespace

void describe_pod(const Value& pod, Description& out) {
  static const Value none = json::Object{};
  const Value* found = pod.at_path({"spec"});
  const Value& spec = found == nullptr ? none : *found;
  add_head(pod, out);
  describe_profile(spec, 0, out);
  add_addresses(pod, out);
  if (const Value* resources = spec.at_path({"resources"})) {
    out.add(0, "Resources:\n");
    describe_resources(*resources, 1, out);
  }
  if (!spec.array_at({"initContainers"}).empty()) {
    describe_containers("Init Containers", spec.array_at({"initContainers"}), &pod,
                        "initContainerStatuses", out);
  }
  describe_containers("Containers", spec.array_at({"containers"}), &pod, "containerStatuses", out);
  if (!spec.array_at({"ephemeralContainers"}).empty()) {
    describe_containers("Ephemeral Containers", spec.array_at({"ephemeralContainers"}), &pod,
                        "ephemeralContainerStatuses", out);
  }
  add_conditions(pod, out);
  describe_volumes(spec.array_at({"volumes"}), false, out);
  out.field(0, "QoS Class", qos_class_of(pod));
  add_placement(spec, "", out);
  add_spread(spec, "", out);
}

void describe_pod_template(const Value& pod_template, Description& out) {
  static const Value none = json::Object{};
  const Value* found = pod_template.at_path({"spec"});
  const Value& spec = found == nullptr ? none : *found;
  out.add(0, "Pod Template:\n");
  out.labels("  Labels", pod_template.at_path({"metadata", "labels"}));
  const Value* annotations = pod_template.at_path({"metadata", "annotations"});
  if (annotations != nullptr && annotations->is_object() && !annotations->if_object()->empty())
    out.annotations("  Annotations", annotations);
  out.optional_field(1, "Service Account", spec.string_at({"serviceAccountName"}));
  if (!spec.array_at({"initContainers"}).empty())
    describe_containers("Init Containers", spec.array_at({"initContainers"}), nullptr, "", out);
  describe_containers("Containers", spec.array_at({"containers"}), nullptr, "", out);
  describe_volumes(spec.array_at({"volumes"}), true, out);
  add_spread(spec, "  ", out);
  out.optional_field(1, "Priority Class Name", spec.string_at({"priorityClassName"}));
  add_placement(spec, "  ", out);
}

}  // namespace kubecpp
