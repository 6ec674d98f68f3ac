// SPDX-License-Identifier: Apache-2.0
//
// Annotations that say something of a pod.
#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/pods.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

std::string_view annotation_of(const json::Value& object, std::string_view key) {
  return object.string_at({"metadata", "annotations", key});
}

void check_seccomp_annotation(const Place& place, const FieldPath& path, std::string_view value) {
  constexpr std::string_view kLocal = "localhost/";
  if (value == "runtime/default" || value == "docker/default" || value == "unconfined") return;
  if (value.starts_with(kLocal)) {
    const std::string_view profile = value.substr(kLocal.size());
    report_problems(place, path, profile, formats::descending_path(profile));
  } else {
    place.report(FieldError::invalid(path, value, "must be a valid seccomp profile"));
  }
}

bool has_container(const Place& pod, std::string_view name) {
  for (const std::string_view list : kContainerLists) {
    for (const json::Value& each : pod.value().array_at({"spec", list}))
      if (each.string_at({"name"}) == name) return true;
  }
  return false;
}

void check_app_armor_annotation(const Place& pod, const FieldPath& path, std::string_view key,
                                std::string_view value) {
  constexpr std::string_view kPrefix = "container.apparmor.security.beta.kubernetes.io/";
  if (!key.starts_with(kPrefix)) return;
  const std::string_view container = key.substr(kPrefix.size());
  if (!has_container(pod, container))
    pod.report(FieldError::invalid(path.key(key), container, "container not found"));
  if (value.empty() || value == "runtime/default" || value == "unconfined" ||
      value.starts_with("localhost/"))
    return;
  pod.report(FieldError::invalid(path.key(key), value,
                                 "invalid AppArmor profile name: \"" + std::string(value) + "\""));
}

}  // namespace

void check_pod_annotations(const Place& place, const FieldPath& path) {
  constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
  constexpr std::string_view kCost = "controller.kubernetes.io/pod-deletion-cost";
  const json::Value* annotations = place.value().at_path({"metadata", "annotations"});
  if (annotations == nullptr || !annotations->is_object()) return;
  if (annotations->if_object()->contains(kMirror) &&
      place.value().string_at({"spec", "nodeName"}).empty())
    place.report(FieldError::invalid(path.key(kMirror), annotation_of(place.value(), kMirror),
                                     "must set spec.nodeName if mirror pod annotation is set"));
  if (annotations->if_object()->contains(kCost)) {
    const std::string_view cost = annotation_of(place.value(), kCost);
    if (!formats::is_int32(cost) || (cost.size() > 1 && cost[0] == '0'))
      place.report(FieldError::invalid(path.key(kCost), cost, "must be a 32bit integer"));
  }
  for (const auto& [key, value] : *annotations->if_object()) {
    const std::string_view text = value.string_or_empty();
    if (key == "seccomp.security.alpha.kubernetes.io/pod" ||
        key.starts_with("container.seccomp.security.alpha.kubernetes.io/"))
      check_seccomp_annotation(place, path.child(key), text);
    check_app_armor_annotation(place, path, key, text);
  }
}

}  // namespace kube::apiserver
