// SPDX-License-Identifier: Apache-2.0
//
// Annotations that say something of a pod.
#include <kube/codec/go_problems.hpp>

#include "validation/changes.hpp"
#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/pods.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kAppArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kLocal = "localhost/";

std::string_view annotation_of(const json::Value& object, std::string_view key) {
  return object.string_at({"metadata", "annotations", key});
}

void check_seccomp_annotation(const Place& place, const FieldPath& path, std::string_view value) {
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
  if (!key.starts_with(kAppArmorPrefix)) return;
  const std::string_view container = key.substr(kAppArmorPrefix.size());
  if (!has_container(pod, container))
    pod.report(FieldError::invalid(path.key(key), container, "container not found"));
  if (value.empty() || value == "runtime/default" || value == "unconfined" ||
      value.starts_with(kLocal))
    return;
  pod.report(FieldError::invalid(path.key(key), value,
                                 "invalid AppArmor profile name: \"" + std::string(value) + "\""));
}

constexpr std::string_view kPodSeccomp = "seccomp.security.alpha.kubernetes.io/pod";
constexpr std::string_view kContainerSeccomp = "container.seccomp.security.alpha.kubernetes.io/";

/// A kind of profiles, in fields and in annotations.
struct ProfileKind {
  std::string_view field;
  std::string_view name;
  bool of_docker = false;  ///< The default may also be that of Docker.
};

constexpr ProfileKind kSeccomp{"seccompProfile", "seccomp", true};
constexpr ProfileKind kAppArmor{"appArmorProfile", "apparmor"};

// `path` is where the server reports the field.
void check_same_profile(const Place& place, const FieldPath& path, const ProfileKind& kind,
                        const json::Value& profile, std::string_view annotation) {
  const std::string_view type = profile.string_at({"type"});
  const auto report = [&](std::string_view field, std::string_view what) {
    place.report(FieldError::forbidden(
        path.child(field),
        std::string(kind.name) + " " + std::string(what) + " in annotation and field must match"));
  };
  const bool is_default =
      annotation == "runtime/default" || (kind.of_docker && annotation == "docker/default");
  const bool is_local = annotation.starts_with(kLocal);
  if ((type == "Unconfined" && annotation != "unconfined") ||
      (type == "RuntimeDefault" && !is_default) || (type == "Localhost" && !is_local)) {
    report("type", "type");
  } else if (type == "Localhost" &&
             annotation.substr(kLocal.size()) != profile.string_at({"localhostProfile"})) {
    report("localhostProfile", "profile");
  }
}

void check_container_profiles(const Place& pod, const ProfileKind& kind, std::string_view prefix,
                              const json::Value* of_pod) {
  pod.each("spec", [&](const Place& spec) {
    for (const std::string_view list : kContainerLists) {
      spec.each(list, [&](const Place& container) {
        const json::Value* own = container.value().at_path({"securityContext", kind.field});
        const json::Value* profile = own != nullptr ? own : of_pod;
        const std::string key = std::string(prefix) + std::string(container.text("name"));
        const json::Value* annotation = pod.value().at_path({"metadata", "annotations", key});
        if (profile != nullptr && annotation != nullptr)
          check_same_profile(pod, container.path("securityContext").child(kind.field), kind,
                             *profile, annotation->string_or_empty());
      });
    }
  });
}

// Tolerations were an annotation before they were a field.
void check_toleration_annotation(const Place& pod, const FieldPath& path) {
  constexpr std::string_view kKey = "scheduler.alpha.kubernetes.io/tolerations";
  const std::string_view text = annotation_of(pod.value(), kKey);
  if (text.empty()) return;
  auto read = json::parse(text);
  if (!read || !(read->is_array() || read->is_null())) {
    const std::string problem = go::json_problem(text);
    if (!problem.empty()) pod.report(FieldError::invalid(path, kKey, problem));
    return;
  }
  json::Object members;
  members["tolerations"] = *std::move(read);
  const json::Value holder(std::move(members));
  const FieldPath list = path.child(kKey);
  pod.each("spec", [&](const Place& spec) {
    Place(spec.walk(), spec.type(), holder)
        .each(
            "tolerations", [](const Place& toleration) { toleration.apply(); }, &list);
  });
}

}  // namespace

void check_profile_annotations(const Place& pod) {
  const json::Value* context = pod.value().at_path({"spec", "securityContext"});
  const auto of_pod = [&](const ProfileKind& kind) {
    return context == nullptr ? nullptr : context->at_path({kind.field});
  };
  const json::Value* seccomp = of_pod(kSeccomp);
  const json::Value* annotation = pod.value().at_path({"metadata", "annotations", kPodSeccomp});
  if (seccomp != nullptr && annotation != nullptr)
    check_same_profile(pod, pod.path("spec").child("securityContext").child(kSeccomp.field),
                       kSeccomp, *seccomp, annotation->string_or_empty());
  check_container_profiles(pod, kSeccomp, kContainerSeccomp, nullptr);
  if (pod.value().string_at({"spec", "os", "name"}) != "windows")
    check_container_profiles(pod, kAppArmor, kAppArmorPrefix, of_pod(kAppArmor));
}

void check_pod_annotations_change(const Place& pod, const json::Value& before) {
  const FieldPath path = pod.path("metadata").child("annotations");
  const auto report = [&](std::string_view key, std::string_view verb) {
    std::string_view what;
    if (key.starts_with(kAppArmorPrefix)) {
      what = " AppArmor annotations";
    } else if (key == kMirror) {
      what = " mirror pod annotation";
    } else {
      return;
    }
    pod.report(
        FieldError::forbidden(path.key(key), "may not " + std::string(verb) + std::string(what)));
  };
  const auto each_of = [](const json::Value& object, const auto& visit) {
    const json::Value* annotations = object.at_path({"metadata", "annotations"});
    if (annotations == nullptr || !annotations->is_object()) return;
    for (const auto& [key, value] : *annotations->if_object()) visit(key, value);
  };
  each_of(before, [&](std::string_view key, const json::Value& value) {
    const json::Value* now = pod.value().at_path({"metadata", "annotations", key});
    if (now == nullptr || !(*now == value)) report(key, "remove or update");
  });
  each_of(pod.value(), [&](std::string_view key, const json::Value&) {
    if (before.at_path({"metadata", "annotations", key}) == nullptr) report(key, "add");
  });
}

void check_pod_annotations(const Place& place, const FieldPath& path) {
  constexpr std::string_view kCost = "controller.kubernetes.io/pod-deletion-cost";
  const json::Value* annotations = place.value().at_path({"metadata", "annotations"});
  if (annotations == nullptr || !annotations->is_object()) return;
  if (annotations->if_object()->contains(kMirror) &&
      place.value().string_at({"spec", "nodeName"}).empty())
    place.report(FieldError::invalid(path.key(kMirror), annotation_of(place.value(), kMirror),
                                     "must set spec.nodeName if mirror pod annotation is set"));
  check_toleration_annotation(place, path);
  if (annotations->if_object()->contains(kCost)) {
    const std::string_view cost = annotation_of(place.value(), kCost);
    if (!formats::is_int32(cost) || (cost.size() > 1 && cost[0] == '0'))
      place.report(FieldError::invalid(path.key(kCost), cost, "must be a 32bit integer"));
  }
  for (const auto& [key, value] : *annotations->if_object()) {
    const std::string_view text = value.string_or_empty();
    if (key == kPodSeccomp || key.starts_with(kContainerSeccomp))
      check_seccomp_annotation(place, path.child(key), text);
    check_app_armor_annotation(place, path, key, text);
  }
}

}  // namespace kube::apiserver
