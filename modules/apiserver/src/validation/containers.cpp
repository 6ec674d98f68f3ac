// SPDX-License-Identifier: Apache-2.0
//
// The containers of a pod.
#include "validation/containers.hpp"

#include <algorithm>
#include <map>

#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kMessagePolicies[] = {"File", "FallbackToLogsOnError"};
constexpr std::string_view kResizePolicies[] = {"NotRequired", "RestartContainer"};
constexpr std::string_view kResizeResources[] = {"cpu", "memory"};
constexpr std::string_view kRestartPolicies[] = {"Always", "Never", "OnFailure"};
constexpr std::string_view kRestartActions[] = {"Restart", "RestartAllContainers"};
constexpr std::string_view kExitCodeOperators[] = {"In", "NotIn"};
constexpr std::string_view kMountPropagations[] = {"Bidirectional", "HostToContainer", "None"};
constexpr std::string_view kReadOnlyModes[] = {"Disabled", "Enabled", "IfPossible"};
constexpr std::string_view kMountOptions[] = {"nodev", "noexec", "nosuid"};
constexpr std::string_view kRunningFields[] = {"lifecycle", "livenessProbe", "readinessProbe",
                                               "startupProbe"};

bool is_listed(Words words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

void check_container_name(const Place& container) {
  check_name(container, "name", meta::validate_dns1123_label);
}

void check_container_port(const Place& port, std::set<std::string_view>& names) {
  const std::string_view name = port.text("name");
  if (!name.empty()) {
    const meta::Problems problems = meta::validate_port_name(name);
    port.problems("name", problems);
    if (problems.empty() && !names.insert(name).second) port.duplicate("name");
  }
  const std::int64_t number = port.number("containerPort").value_or(0);
  if (number == 0) {
    port.required("containerPort");
  } else {
    for (const std::string& problem : formats::port_number(number))
      port.invalid("containerPort", problem);
  }
  const std::int64_t host = port.number("hostPort").value_or(0);
  if (host != 0) {
    for (const std::string& problem : formats::port_number(host)) port.invalid("hostPort", problem);
  }
  if (!port.is_empty("protocol") && !is_listed(kProtocols, port.text("protocol")))
    port.not_supported("protocol", kProtocols);
}

void check_container_ports(const Place& container) {
  std::set<std::string_view> names;
  container.each("ports", [&](const Place& port) { check_container_port(port, names); });
}

// Names or paths of the other list of a container: mounts and devices may not share them.
std::map<std::string_view, std::string_view> paths_by_name(const Place& container,
                                                           std::string_view list,
                                                           std::string_view path) {
  std::map<std::string_view, std::string_view> out;
  for (const json::Value& each : container.list(list))
    out[each.string_at({"name"})] = each.string_at({path});
  return out;
}

struct OtherPaths {
  std::map<std::string_view, std::string_view> by_name;
  std::set<std::string_view> paths;

  explicit OtherPaths(std::map<std::string_view, std::string_view> found)
      : by_name(std::move(found)) {
    for (const auto& [name, path] : by_name) paths.insert(path);
  }
};

void check_mount_modes(const Place& container, const Place& mount) {
  const FieldPath list = container.path("volumeMounts");
  const std::string_view propagation = mount.text("mountPropagation");
  if (mount.has("mountPropagation")) {
    const FieldPath path = list.child("mountPropagation");
    if (!is_listed(kMountPropagations, propagation))
      mount.report(FieldError::not_supported(path, propagation, texts_of(kMountPropagations)));
    if (propagation == "Bidirectional" &&
        !container.value().true_at({"securityContext", "privileged"}))
      mount.report(FieldError::forbidden(
          path, "Bidirectional mount propagation is available only to privileged containers"));
  }
  const std::string_view mode = mount.text("recursiveReadOnly");
  const FieldPath path = list.child("recursiveReadOnly");
  if (!mount.has("recursiveReadOnly") || mode == "Disabled") return;
  if (!is_listed(kReadOnlyModes, mode)) {
    mount.report(FieldError::not_supported(path, mode, texts_of(kReadOnlyModes)));
    return;
  }
  if (!mount.is_true("readOnly"))
    mount.report(FieldError::forbidden(path, "may only be specified when readOnly is true"));
  if (!propagation.empty() && propagation != "None")
    mount.report(FieldError::forbidden(
        path, "may only be specified when mountPropagation is None or not specified"));
}

void check_mount_options(const Place& mount) {
  const json::Array& options = mount.list("bindMountOptions");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string_view option = options[i].string_or_empty();
    const FieldPath path = mount.path("bindMountOptions", i);
    if (!is_listed(kMountOptions, option))
      mount.report(FieldError::not_supported(path, option, texts_of(kMountOptions)));
    if (!seen.insert(option).second) mount.report(FieldError::duplicate(path, option));
  }
  if (!options.empty() && mount.walk().pod.image_volumes.contains(mount.text("name")))
    mount.invalid("bindMountOptions", "bindMountOptions may not be used with image volumes");
}

void check_mount_paths(const Place& container, const Place& mount) {
  const FieldPath list = container.path("volumeMounts");
  const std::string_view sub_path = mount.text("subPath");
  const std::string_view expression = mount.text("subPathExpr");
  if (!sub_path.empty())
    report_problems(mount, list.child("subPath"), sub_path, formats::descending_path(sub_path));
  if (expression.empty()) return;
  if (!sub_path.empty())
    mount.invalid("subPathExpr", "subPathExpr and subPath are mutually exclusive");
  report_problems(mount, list.child("subPathExpr"), expression,
                  formats::descending_path(expression));
}

void check_mounts(const Place& container) {
  const PodFacts& pod = container.walk().pod;
  const OtherPaths devices(paths_by_name(container, "volumeDevices", "devicePath"));
  std::set<std::string_view> paths;
  container.each("volumeMounts", [&](const Place& mount) {
    const std::string_view name = mount.text("name");
    const std::string_view path = mount.text("mountPath");
    if (name.empty()) mount.required("name");
    if (!pod.volumes.contains(name)) mount.report(FieldError::not_found(mount.path("name"), name));
    if (path.empty()) mount.required("mountPath");
    if (!paths.insert(path).second) mount.invalid("mountPath", path, "must be unique");
    if (devices.by_name.contains(name))
      mount.invalid("name", "must not already exist in volumeDevices");
    if (devices.paths.contains(path))
      mount.invalid("mountPath", "must not already exist as a path in volumeDevices");
    check_mount_paths(container, mount);
    check_mount_modes(container, mount);
    check_mount_options(mount);
  });
}

void check_device(const Place& device, const OtherPaths& mounts, std::set<std::string_view>& names,
                  std::set<std::string_view>& paths) {
  const PodFacts& pod = device.walk().pod;
  const std::string_view name = device.text("name");
  const std::string_view path = device.text("devicePath");
  const bool known = pod.volumes.contains(name);
  if (name.empty()) device.required("name");
  if (names.contains(name)) device.invalid("name", "must be unique");
  if (known && !pod.claim_volumes.contains(name))
    device.invalid("name",
                   "can only use volume source type of PersistentVolumeClaim or Ephemeral for "
                   "block mode");
  if (!known) device.report(FieldError::not_found(device.path("name"), name));
  if (path.empty()) device.required("devicePath");
  if (paths.contains(path)) device.invalid("devicePath", path, "must be unique");
  if (!path.empty() && !formats::path_without_backsteps(path).empty()) {
    device.invalid("devicePath", "can not contain backsteps ('..')");
  } else {
    paths.insert(path);
  }
  if (mounts.by_name.contains(name))
    device.invalid("name", "must not already exist in volumeMounts");
  if (mounts.paths.contains(path))
    device.invalid("devicePath", "must not already exist as a path in volumeMounts");
  if (!name.empty()) names.insert(name);
}

void check_devices(const Place& container) {
  const OtherPaths mounts(paths_by_name(container, "volumeMounts", "mountPath"));
  std::set<std::string_view> names;
  std::set<std::string_view> paths;
  container.each("volumeDevices",
                 [&](const Place& device) { check_device(device, mounts, names, paths); });
}

void check_resize_policies(const Place& container) {
  const FieldPath path = container.path("resizePolicy");
  const bool never = container.parent()->text("restartPolicy") == "Never";
  std::set<std::string_view> resources;
  const json::Array& list = container.list("resizePolicy");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string_view resource = list[i].string_at({"resourceName"});
    const std::string_view policy = list[i].string_at({"restartPolicy"});
    if (!resources.insert(resource).second)
      container.report(FieldError::duplicate(path.index(i), resource));
    if (resource.empty()) {
      container.report(FieldError::required(path, {}));
    } else if (!is_listed(kResizeResources, resource)) {
      container.report(FieldError::not_supported(path, resource, texts_of(kResizeResources)));
    }
    if (policy.empty()) {
      container.report(FieldError::required(path, {}));
    } else if (!is_listed(kResizePolicies, policy)) {
      container.report(FieldError::not_supported(path, policy, texts_of(kResizePolicies)));
    }
    if (never && policy != "NotRequired")
      container.report(FieldError::invalid(
          path, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
  }
}

void check_restart_rules(const Place& container) {
  constexpr std::size_t kMaxRules = 20;
  constexpr std::size_t kMaxValues = 255;
  const std::size_t count = container.list("restartPolicyRules").size();
  if (!container.has("restartPolicy")) {
    if (count != 0)
      container.required("restartPolicy", "must specify restartPolicy when restart rules are used");
  } else if (!is_listed(kRestartPolicies, container.text("restartPolicy"))) {
    container.not_supported("restartPolicy", kRestartPolicies);
  }
  if (count > kMaxRules)
    container.report(FieldError::too_many(container.path("restartPolicyRules"), count, kMaxRules));
  container.each("restartPolicyRules", [&](const Place& rule) {
    if (!is_listed(kRestartActions, rule.text("action")))
      rule.not_supported("action", kRestartActions);
    if (!rule.has("exitCodes")) rule.required("exitCodes", "must be specified");
    rule.each("exitCodes", [&](const Place& codes) {
      if (!is_listed(kExitCodeOperators, codes.text("operator")))
        codes.not_supported("operator", kExitCodeOperators);
      const std::size_t values = codes.list("values").size();
      if (values > kMaxValues)
        codes.report(FieldError::too_many(codes.path("values"), values, kMaxValues));
    });
  });
}

// Host ports that two ports of the containers share.
void check_host_ports(const FieldPath& list, const Place& spec, std::size_t at,
                      const json::Value& container, std::set<std::string>& taken) {
  const json::Array& ports = container.array_at({"ports"});
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::int64_t port = ports[i].int_at({"hostPort"}).value_or(0);
    if (port == 0) continue;
    const std::string_view protocol = ports[i].string_at({"protocol"});
    std::string key(protocol.empty() ? "TCP" : protocol);
    key.append("/").append(ports[i].string_at({"hostIP"})).append("/").append(std::to_string(port));
    if (taken.insert(key).second) continue;
    spec.report(
        FieldError::duplicate(list.index(at).child("ports").index(i).child("hostPort"), key));
  }
}

void walk_running_fields(const Place& container) {
  for (const std::string_view field : kRunningFields) container.into(field);
}

void check_init_container(const Place& container) {
  container.apply();
  const bool sidecar = container.text("restartPolicy") == "Always";
  check_restart_rules(container);
  if (sidecar) return;
  const json::Array& policies = container.list("resizePolicy");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (policies[i].string_at({"restartPolicy"}) == "RestartContainer")
      container.report(FieldError::invalid(
          container.path("resizePolicy", i).child("restartPolicy"), "RestartContainer",
          "must not be set to 'RestartContainer' for non-sidecar initContainers"));
  }
}

constexpr std::string_view kForbiddenInEphemeral[] = {
    "ports",         "resources",      "resizePolicy", "restartPolicy", "restartPolicyRules",
    "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"};

void check_ephemeral_container(const Place& container) {
  for (const std::string_view field : kForbiddenInEphemeral) {
    if (!container.is_empty(field))
      container.forbidden(field, "cannot be set for an Ephemeral Container");
  }
  const json::Array& mounts = container.list("volumeMounts");
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    for (const std::string_view field : {"subPath", "subPathExpr"}) {
      if (!mounts[i].string_at({field}).empty())
        container.report(FieldError::forbidden(container.path("volumeMounts", i).child(field),
                                               "cannot be set for an Ephemeral Container"));
    }
  }
}

constexpr Rule kContainerRules[] = {rules::call(check_container_name),
                                    rules::required("image"),
                                    rules::one_of("terminationMessagePolicy", kMessagePolicies),
                                    rules::call("ports", check_container_ports),
                                    rules::into("env"),
                                    rules::into("envFrom"),
                                    rules::call("volumeMounts", check_mounts),
                                    rules::call("volumeDevices", check_devices),
                                    rules::one_of("imagePullPolicy", kPullPolicies),
                                    rules::into("resources"),
                                    rules::call("resizePolicy", check_resize_policies),
                                    rules::into("securityContext"),
                                    rules::skip("lifecycle"),
                                    rules::skip("livenessProbe"),
                                    rules::skip("readinessProbe"),
                                    rules::skip("startupProbe"),
                                    rules::skip("restartPolicyRules")};

constexpr TypeRules kContainerTypes[] = {
    {"core.v1.Container", kContainerRules},
    {"core.v1.EphemeralContainer", kContainerRules},
};

}  // namespace

void check_image_spaces(const Place& container) {
  const std::string_view image = container.text("image");
  const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  if (!image.empty() && (is_space(image.front()) || is_space(image.back())))
    container.invalid("image", "must not have leading or trailing whitespace");
}

void check_containers(const Place& spec) {
  if (spec.is_empty("containers")) {
    spec.required("containers");
    return;
  }
  std::set<std::string_view> names;
  spec.each("containers", [&](const Place& container) {
    container.apply();
    if (!names.insert(container.text("name")).second) container.duplicate("name");
    walk_running_fields(container);
    check_restart_rules(container);
  });
  std::set<std::string> taken;
  const json::Array& list = spec.list("containers");
  for (std::size_t i = 0; i < list.size(); ++i)
    check_host_ports(spec.path("containers"), spec, i, list[i], taken);
}

void check_init_containers(const Place& spec) {
  std::set<std::string_view> names;
  for (const json::Value& each : spec.list("containers")) names.insert(each.string_at({"name"}));
  spec.each("initContainers", [&](const Place& container) {
    check_init_container(container);
    const std::string_view name = container.text("name");
    if (names.contains(name)) {
      container.duplicate("name");
    } else if (!name.empty()) {
      names.insert(name);
    }
    std::set<std::string> taken;
    check_host_ports(spec.path("initContainers"), spec, 0, container.value(), taken);
    if (container.text("restartPolicy") == "Always") {
      walk_running_fields(container);
      return;
    }
    for (const std::string_view field : kRunningFields) {
      if (container.has(field))
        container.forbidden(field,
                            "may not be set for init containers without restartPolicy=Always");
    }
  });
}

void check_ephemeral_containers(const Place& spec) {
  std::set<std::string_view> others;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const json::Value& each : spec.list(list)) others.insert(each.string_at({"name"}));
  }
  std::set<std::string_view> names = others;
  spec.each("ephemeralContainers", [&](const Place& container) {
    container.apply();
    check_image_spaces(container);
    if (!names.insert(container.text("name")).second) container.duplicate("name");
    const std::string_view target = container.text("targetContainerName");
    if (!target.empty() && !others.contains(target))
      container.report(FieldError::not_found(container.path("targetContainerName"), target));
    check_ephemeral_container(container);
  });
}

std::span<const TypeRules> container_types() {
  return kContainerTypes;
}

}  // namespace kube::apiserver
