// SPDX-License-Identifier: Apache-2.0
//
// Pods and templates of pods.
#include <algorithm>

#include <kube/base/join.hpp>
#include <kube/validation/object_meta_validation.hpp>

#include "validation/addresses.hpp"
#include "validation/checks.hpp"
#include "validation/containers.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"
#include "validation/pods.hpp"
#include "validation/volumes.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kPodRestartPolicies[] = {"Always", "OnFailure", "Never"};
constexpr std::string_view kDnsPolicies[] = {"ClusterFirstWithHostNet", "ClusterFirst", "Default",
                                             "None"};
constexpr std::int64_t kMaxSeconds = 2147483647;

void check_pod_metadata(const Place& pod) {
  check_pod_annotations(pod, pod.path("metadata").child("annotations"));
}

void check_images(const Place& pod) {
  pod.each("spec", [](const Place& spec) {
    for (const std::string_view list : {"containers", "initContainers"})
      spec.each(list, check_image_spaces);
  });
}

// A token is for an account that is named.
void check_tokens(const Place& pod) {
  pod.each("spec", [](const Place& spec) {
    if (!spec.is_empty("serviceAccountName")) return;
    spec.each("volumes", [](const Place& volume) {
      volume.each("projected", [](const Place& projected) {
        projected.each("sources", [](const Place& source) {
          if (source.has("serviceAccountToken"))
            source.forbidden("serviceAccountToken",
                             "must not be specified when serviceAccountName is not set");
        });
      });
    });
  });
}

void check_whole_pod(const Place& pod) {
  const FieldPath spec = pod.path("spec");
  check_tokens(pod);
  check_images(pod);
  if (pod.walk().before != nullptr) return;
  if (!pod.value().array_at({"spec", "ephemeralContainers"}).empty())
    pod.report(FieldError::forbidden(spec.child("ephemeralContainers"), "cannot be set on create"));
  if (!pod.value().string_at({"spec", "nodeName"}).empty() &&
      !pod.value().array_at({"spec", "schedulingGates"}).empty())
    pod.report(FieldError::forbidden(spec.child("nodeName"),
                                     "cannot be set until all schedulingGates have been cleared"));
  check_profile_annotations(pod);
}

void check_claim_of_pod(const Place& claim, std::set<std::string_view>& names) {
  const std::string_view name = claim.text("name");
  if (name.empty()) {
    claim.required("name");
  } else if (!names.insert(name).second) {
    claim.duplicate("name");
  } else {
    claim.problems("name", meta::validate_dns1123_label(name));
  }
  const bool by_name = claim.has("resourceClaimName");
  const bool by_template = claim.has("resourceClaimTemplateName");
  if (by_name && by_template)
    claim.report(FieldError::invalid(
        claim.path(), claim.shown_whole(),
        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"));
  if (!by_name && !by_template)
    claim.report(FieldError::invalid(
        claim.path(), claim.shown_whole(),
        "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"));
  for (const std::string_view field : {"resourceClaimName", "resourceClaimTemplateName"}) {
    if (claim.has(field))
      claim.problems(field, meta::validate_dns1123_subdomain(claim.text(field)));
  }
}

void check_resource_claims(const Place& spec) {
  std::set<std::string_view> names;
  spec.each("resourceClaims", [&](const Place& claim) { check_claim_of_pod(claim, names); });
}

void check_host_network_ports(const Place& spec) {
  if (!spec.is_true("hostNetwork")) return;
  const json::Array& containers = spec.list("containers");
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const json::Array& ports = containers[i].array_at({"ports"});
    for (std::size_t at = 0; at < ports.size(); ++at) {
      const auto host = ports[at].int_at({"hostPort"});
      // The server sets the host port of a host's network.
      if (!host || *host == 0 || *host == ports[at].int_at({"containerPort"}).value_or(0)) continue;
      spec.report(
          FieldError::invalid(spec.path("containers", i).child("ports").index(at).child("hostPort"),
                              *host, "must match `containerPort` when `hostNetwork` is true"));
    }
  }
}

void check_node_selector(const Place& spec) {
  check_labels(spec, "nodeSelector");
}

void check_shared_processes(const Place& spec) {
  if (spec.is_true("shareProcessNamespace") && spec.is_true("hostPID"))
    spec.invalid("shareProcessNamespace",
                 "ShareProcessNamespace and HostPID cannot both be enabled");
}

void check_dns_lists(const Place& config) {
  constexpr std::size_t kMaxServers = 3;
  constexpr std::size_t kMaxSearches = 32;
  constexpr std::size_t kMaxSearchChars = 2048;
  const json::Array& servers = config.list("nameservers");
  if (servers.size() > kMaxServers)
    config.invalid("nameservers", "must not have more than 3 nameservers");
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const std::string_view server = servers[i].string_or_empty();
    report_problems(config, config.path("nameservers", i), server, ip_problems(server));
  }
  const json::Array& searches = config.list("searches");
  std::size_t chars = searches.empty() ? 0 : searches.size() - 1;
  for (const json::Value& each : searches) chars += each.string_or_empty().size();
  if (searches.size() > kMaxSearches)
    config.invalid("searches", "must not have more than 32 search paths");
  if (chars > kMaxSearchChars)
    config.invalid("searches",
                   "must not have more than 2048 characters (including spaces) in the search list");
  for (std::size_t i = 0; i < searches.size(); ++i) {
    const std::string_view search = searches[i].string_or_empty();
    report_problems(config, config.path("searches", i), search, formats::search_domain(search));
  }
  const json::Array& options = config.list("options");
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i].string_at({"name"}).empty())
      config.report(FieldError::required(config.path("options", i), "must not be empty"));
  }
}

void check_dns_config(const Place& spec) {
  if (spec.text("dnsPolicy") == "None") {
    if (!spec.has("dnsConfig")) {
      spec.required("dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None");
      return;
    }
    if (spec.value().array_at({"dnsConfig", "nameservers"}).empty()) {
      spec.report(FieldError::required(
          spec.path("dnsConfig").child("nameservers"),
          "must provide at least one DNS nameserver when `dnsPolicy` is None"));
      return;
    }
  }
  spec.each("dnsConfig", check_dns_lists);
}

void check_scheduling_gates(const Place& spec) {
  const json::Array& gates = spec.list("schedulingGates");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const std::string_view name = gates[i].string_at({"name"});
    const FieldPath path = spec.path("schedulingGates", i);
    report_problems(spec, path, name, meta::validate_qualified_name(name));
    if (!seen.insert(name).second) spec.report(FieldError::duplicate(path, name));
  }
}

void check_readiness_gate(const Place& gate) {
  check_label_key(gate, "conditionType");
}

void check_host_users(const Place& spec) {
  if (!spec.has("hostUsers") || spec.is_true("hostUsers")) return;
  constexpr std::string_view kText = "when `hostUsers` is false";
  if (spec.is_true("hostNetwork")) spec.forbidden("hostNetwork", std::string(kText));
  if (spec.is_true("hostPID")) spec.forbidden("HostPID", std::string(kText));
  if (spec.is_true("hostIPC")) spec.forbidden("HostIPC", std::string(kText));
  for (const std::string_view list : kContainerLists) {
    const json::Array& containers = spec.list(list);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      if (!containers[i].array_at({"volumeDevices"}).empty())
        spec.report(
            FieldError::forbidden(spec.path(list, i).child("volumeDevices"), std::string(kText)));
    }
  }
}

void check_host_name(const Place& spec) {
  if (!spec.has("hostnameOverride")) return;
  if (spec.is_true("setHostnameAsFQDN"))
    spec.forbidden("hostnameOverride", "may not be specified when setHostnameAsFQDN is true");
  if (spec.is_true("hostNetwork"))
    spec.forbidden("hostnameOverride", "may not be specified when hostNetwork is true");
  if (spec.text("hostnameOverride").size() > 64)
    spec.report(FieldError::too_long(spec.path("hostnameOverride"), 64));
  spec.problems("hostnameOverride",
                meta::validate_dns1123_subdomain(spec.text("hostnameOverride")));
}

// A StatefulSet names the hosts of its pods itself.
void check_host_labels(const Place& spec) {
  if (stateful_set_of(spec) != nullptr) return;
  for (const std::string_view field : {"hostname", "subdomain"}) {
    if (!spec.is_empty(field)) spec.problems(field, meta::validate_dns1123_label(spec.text(field)));
  }
}

void check_host_alias(const Place& alias) {
  alias.problems("ip", ip_problems(alias.text("ip")));
  const json::Array& names = alias.list("hostnames");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i].string_or_empty();
    report_problems(alias, alias.path("hostnames", i), name,
                    meta::validate_dns1123_subdomain(name));
  }
}

void check_runtime_class_name(const Place& spec) {
  if (spec.has("runtimeClassName"))
    spec.problems("runtimeClassName",
                  meta::validate_dns1123_subdomain(spec.text("runtimeClassName")));
}

void check_overhead(const Place& spec) {
  check_limits_alone(spec, spec.map("overhead"), spec.path("overhead"));
}

// The claims of a StatefulSet take the place of volumes with their names.
std::set<std::string_view> claimed_volumes(const Place& spec) {
  std::set<std::string_view> out;
  const Place* owner = spec.parent() == nullptr ? nullptr : spec.parent()->parent();
  if (owner == nullptr) return out;
  for (const json::Value& claim : owner->list("volumeClaimTemplates"))
    out.insert(claim.string_at({"metadata", "name"}));
  return out;
}

void check_file_volumes(const Place& spec) {
  std::set<std::string_view> known;
  std::set<std::string_view> empty_dirs;
  for (const json::Value& volume : spec.list("volumes")) {
    known.insert(volume.string_at({"name"}));
    if (volume.at_path({"emptyDir"}) != nullptr) empty_dirs.insert(volume.string_at({"name"}));
  }
  for (const std::string_view name : claimed_volumes(spec)) {
    known.insert(name);
    empty_dirs.erase(name);
  }
  for (const std::string_view list : kContainerLists) {
    const json::Array& containers = spec.list(list);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const json::Array& variables = containers[i].array_at({"env"});
      for (std::size_t at = 0; at < variables.size(); ++at) {
        const json::Value* file = variables[at].at_path({"valueFrom", "fileKeyRef"});
        if (file == nullptr) continue;
        const std::string_view name = file->string_at({"volumeName"});
        const FieldPath path = spec.path(list, i)
                                   .child("env")
                                   .index(at)
                                   .child("valueFrom")
                                   .child("fileKeyRef")
                                   .child("volumeName");
        if (!known.contains(name)) {
          spec.report(FieldError::not_found(path, name));
        } else if (!empty_dirs.contains(name)) {
          spec.report(
              FieldError::invalid(path, name, "referenced volume must be of type emptyDir"));
        }
      }
    }
  }
}

constexpr Rule kPodRules[] = {rules::call(check_pod_metadata), rules::into("spec"),
                              rules::call(check_whole_pod)};
constexpr Rule kTemplateRules[] = {rules::call(check_template_metadata), rules::into("spec"),
                                   rules::call(check_profile_annotations),
                                   rules::call(check_template_containers), rules::skip("metadata")};
constexpr Rule kPodSpecRules[] = {
    rules::call("volumes", check_volumes),
    rules::call("resourceClaims", check_resource_claims),
    rules::call("containers", check_containers),
    rules::call("initContainers", check_init_containers),
    rules::call("ephemeralContainers", check_ephemeral_containers),
    rules::into("resources"),
    rules::call(check_host_network_ports),
    rules::one_of("restartPolicy", kPodRestartPolicies),
    rules::one_of("dnsPolicy", kDnsPolicies),
    rules::call(check_node_selector),
    rules::into("securityContext"),
    rules::call(check_shared_processes),
    rules::into("affinity"),
    rules::call("dnsConfig", check_dns_config),
    rules::into("readinessGates"),
    rules::call("schedulingGates", check_scheduling_gates),
    rules::call("topologySpreadConstraints", check_spread_constraints),
    rules::call(check_host_processes),
    rules::call(check_host_users),
    rules::call(check_host_name),
    rules::text("serviceAccountName", meta::validate_dns1123_subdomain),
    rules::text("nodeName", meta::validate_dns1123_subdomain),
    rules::range("activeDeadlineSeconds", 1, kMaxSeconds),
    rules::call(check_host_labels),
    rules::into("tolerations"),
    rules::into("hostAliases"),
    rules::text("priorityClassName", meta::validate_dns1123_subdomain),
    rules::call(check_runtime_class_name),
    rules::call(check_preemption_policy),
    rules::call(check_overhead),
    rules::call("os", check_system),
    rules::call(check_file_volumes)};
constexpr Rule kReadinessGateRules[] = {rules::call(check_readiness_gate)};
constexpr Rule kHostAliasRules[] = {rules::call(check_host_alias)};

constexpr TypeRules kPodTypes[] = {
    {"core.v1.Pod", kPodRules},
    {"core.v1.PodTemplateSpec", kTemplateRules},
    {"core.v1.PodSpec", kPodSpecRules},
    {"core.v1.PodReadinessGate", kReadinessGateRules},
    {"core.v1.HostAlias", kHostAliasRules},
};

}  // namespace

const Place* stateful_set_of(const Place& pod_spec) {
  const Place* pod = pod_spec.parent();
  const Place* owner = pod == nullptr ? nullptr : pod->parent();
  return owner != nullptr && owner->type().name == "apps.v1.StatefulSetSpec" ? owner : nullptr;
}

void check_template_metadata(const Place& pod) {
  if (const json::Value* labels = pod.value().at_path({"metadata", "labels"}))
    report_all(pod, meta::validate_labels(*labels, pod.path("labels")));
  if (const json::Value* annotations = pod.value().at_path({"metadata", "annotations"}))
    report_all(pod, meta::validate_annotations(*annotations, pod.path("annotations")));
  check_pod_annotations(pod, pod.path("annotations"));
}

void check_template_containers(const Place& pod) {
  if (!pod.value().array_at({"spec", "ephemeralContainers"}).empty())
    pod.report(FieldError::forbidden(pod.path("spec").child("ephemeralContainers"),
                                     "ephemeral containers not allowed in pod template"));
}

std::span<const TypeRules> pod_types() {
  return kPodTypes;
}

}  // namespace kube::apiserver
