// SPDX-License-Identifier: Apache-2.0
//
// What a pod may ask of the operating system of its node.
#include "validation/checks.hpp"
#include "validation/pods.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kSystems[] = {"linux", "windows"};
constexpr std::string_view kNotOnWindows[] = {"appArmorProfile",     "seLinuxOptions",
                                              "seccompProfile",      "fsGroup",
                                              "fsGroupChangePolicy", "sysctls",
                                              "runAsUser",           "runAsGroup",
                                              "supplementalGroups",  "supplementalGroupsPolicy",
                                              "seLinuxChangePolicy"};
constexpr std::string_view kNotInWindowsContainers[] = {"appArmorProfile",
                                                        "seLinuxOptions",
                                                        "seccompProfile",
                                                        "capabilities",
                                                        "readOnlyRootFilesystem",
                                                        "privileged",
                                                        "allowPrivilegeEscalation",
                                                        "procMount",
                                                        "runAsUser",
                                                        "runAsGroup"};

void forbid_fields(const Place& spec, const FieldPath& path, const json::Value& context,
                   Words fields, std::string_view detail) {
  for (const std::string_view field : fields) {
    if (context.at_path({field}) != nullptr)
      spec.report(FieldError::forbidden(path.child(field), std::string(detail)));
  }
}

template <class Visit>
void each_container_context(const Place& spec, const Visit& visit) {
  for (const std::string_view list : kContainerLists) {
    const json::Array& containers = spec.list(list);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const json::Value* context = containers[i].at_path({"securityContext"});
      if (context != nullptr) visit(spec.path(list, i).child("securityContext"), *context);
    }
  }
}

void check_linux(const Place& spec) {
  constexpr std::string_view kField[] = {"windowsOptions"};
  constexpr std::string_view kText = "windows options cannot be set for a linux pod";
  if (const json::Value* context = spec.find("securityContext"))
    forbid_fields(spec, spec.path("securityContext"), *context, kField, kText);
  each_container_context(spec, [&](const FieldPath& path, const json::Value& context) {
    forbid_fields(spec, path, context, kField, kText);
  });
}

void check_windows(const Place& spec) {
  constexpr std::string_view kText = "cannot be set for a windows pod";
  if (const json::Value* context = spec.find("securityContext"))
    forbid_fields(spec, spec.path("securityContext"), *context, kNotOnWindows, kText);
  spec.each("securityContext", [&](const Place& context) {
    constexpr std::string_view kGroups = "supplementalGroups";
    if (!context.has(kGroups) && context.is_emptied(kGroups))
      context.forbidden(kGroups, std::string(kText));
  });
  if (spec.has("hostUsers")) spec.forbidden("hostUsers", std::string(kText));
  for (const std::string_view field : {"hostPID", "hostIPC"})
    if (spec.is_true(field)) spec.forbidden(field, std::string(kText));
  if (spec.has("shareProcessNamespace"))
    spec.forbidden("shareProcessNamespace", std::string(kText));
  each_container_context(spec, [&](const FieldPath& path, const json::Value& context) {
    forbid_fields(spec, path, context, kNotInWindowsContainers, kText);
  });
}

}  // namespace

void check_host_processes(const Place& spec) {
  const json::Value* pod =
      spec.value().at_path({"securityContext", "windowsOptions", "hostProcess"});
  std::size_t count = 0;
  std::size_t on_host = 0;
  for (const std::string_view list : kContainerLists) {
    const json::Array& containers = spec.list(list);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const json::Value* own =
          containers[i].at_path({"securityContext", "windowsOptions", "hostProcess"});
      ++count;
      if (own != nullptr && pod != nullptr && !(*own == *pod))
        spec.report(FieldError::invalid(
            spec.path(list, i)
                .child("securityContext")
                .child("windowsOptions")
                .child("hostProcess"),
            *own,
            "pod hostProcess value must be identical if both are specified, was " +
                json::dump(*pod)));
      const json::Value* used = own != nullptr ? own : pod;
      if (used != nullptr && *used == json::Value(true)) ++on_host;
    }
  }
  if (on_host == 0) return;
  if (on_host != count)
    spec.report(FieldError::invalid(
        spec.path(), "",
        "If pod contains any hostProcess containers then all containers must be HostProcess "
        "containers"));
  if (!spec.is_true("hostNetwork"))
    spec.invalid("hostNetwork", false,
                 "hostNetwork must be true if pod contains any hostProcess containers");
}

void check_system(const Place& spec) {
  const json::Value* system = spec.find("os");
  if (system == nullptr) return;
  const std::string_view name = system->string_at({"name"});
  if (name.empty()) {
    spec.report(FieldError::required(spec.path("os").child("name"), {}));
  } else if (name == "linux") {
    check_linux(spec);
  } else if (name == "windows") {
    check_windows(spec);
  } else {
    spec.report(FieldError::not_supported(spec.path("os"), name, texts_of(kSystems)));
  }
}

}  // namespace kube::apiserver
