// SPDX-License-Identifier: Apache-2.0
//
// Pods, alone and in templates.
#include <map>
#include <set>

#include <kube/names/go_text.hpp>

#include "validation/checks.hpp"
#include "warnings/table.hpp"

namespace kube::apiserver {
namespace {

constexpr std::string_view kNoSelector = "a null labelSelector results in matching no pod";
constexpr std::string_view kSeccompGone =
    R"(non-functional in v1.27+; use the "seccompProfile" field instead)";

constexpr std::string_view kAppArmorKey = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kAppArmorOld =
    R"(deprecated since v1.30; use the "appArmorProfile" field instead)";

/// An annotation that has become a field.
struct OldAnnotation {
  std::string_view key;
  std::string_view text;
};

constexpr OldAnnotation kOldAnnotations[] = {
    {"scheduler.alpha.kubernetes.io/critical-pod",
     R"(non-functional in v1.16+; use the "priorityClassName" field instead)"},
    {"security.alpha.kubernetes.io/sysctls",
     R"(non-functional in v1.11+; use the "sysctls" field instead)"},
    {"security.alpha.kubernetes.io/unsafe-sysctls",
     R"(non-functional in v1.11+; use the "sysctls" field instead)"}};

// Says `text` of an annotation of the pod or template that has the spec.
void warn_of_annotation(const Place& spec, std::string_view key, std::string_view text,
                        Warnings& out) {
  const Place& owner = *spec.parent();
  if (owner.value().at_path({"metadata", "annotations", key}) != nullptr)
    out.push_back(warning_at(owner.path("metadata").child("annotations").key(key), text));
}

void warn_of_old_annotations(const Place& spec, Warnings& out) {
  for (const OldAnnotation& old : kOldAnnotations) warn_of_annotation(spec, old.key, old.text, out);
}

void warn_of_node_labels(const Place& spec, Warnings& out) {
  for (const auto& [label, value] : spec.map("nodeSelector")) {
    const std::string_view text = node_label_warning(label);
    if (!text.empty()) out.push_back(warning_at(spec.path("nodeSelector").key(label), text));
  }
}

// Pods are matched with other pods after their volumes and containers.
void walk_node_affinity(const Place& spec, Warnings& out) {
  const auto check_values = [&](const Place& expression) {
    const json::Array& values = expression.list("values");
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string value(values[i].string_or_empty());
      for (const std::string& problem : meta::validate_label_value(value))
        out.push_back(warning_at(expression.path("values", i), value + " is invalid, " + problem));
    }
  };
  const auto check = [&](const Place& term) { warn_of_node_expressions(term, out); };
  // The values of required terms are checked by validation.
  const auto check_preferred = [&](const Place& term) {
    check(term);
    term.each("matchExpressions", check_values);
  };
  spec.each("affinity", [&](const Place& affinity) {
    affinity.each("nodeAffinity", [&](const Place& nodes) {
      nodes.each("requiredDuringSchedulingIgnoredDuringExecution",
                 [&](const Place& required) { required.each("nodeSelectorTerms", check); });
      nodes.each("preferredDuringSchedulingIgnoredDuringExecution",
                 [&](const Place& preferred) { preferred.each("preference", check_preferred); });
    });
  });
}

void warn_of_selector(const Place& term, Warnings& out) {
  if (!term.has("labelSelector"))
    out.push_back(warning_at(term.path("labelSelector"), kNoSelector));
}

void warn_of_spread(const Place& constraint, Warnings& out) {
  const std::string_view key = constraint.text("topologyKey");
  const std::string_view text = node_label_warning(key);
  if (!text.empty())
    out.push_back(
        warning_at(constraint.path("topologyKey"), std::string(key) + " is " + std::string(text)));
  warn_of_selector(constraint, out);
}

void warn_of_aliases(const Place& spec, Warnings& out) {
  std::set<std::string_view> seen;
  spec.each("hostAliases", [&](const Place& alias) {
    const std::string_view ip = alias.text("ip");
    if (!seen.insert(ip).second)
      out.push_back(warning_at(alias.path("ip"), "duplicate ip " + go::quote(ip)));
  });
}

void warn_of_pull_secrets(const Place& spec, Warnings& out) {
  std::set<std::string_view> seen;
  spec.each("imagePullSecrets", [&](const Place& secret) {
    const std::string_view name = secret.text("name");
    if (!seen.insert(name).second)
      out.push_back(warning_at(secret.path("name"), "duplicate name " + go::quote(name)));
  });
  spec.each("imagePullSecrets", [&](const Place& secret) {
    if (secret.is_empty("name"))
      out.push_back(warning_at(secret.path("name"), "invalid empty name \"\""));
  });
}

void warn_of_overhead(const Place& spec, Warnings& out) {
  for (const std::string_view resource : {"memory", "ephemeral-storage"})
    warn_of_fraction(spec, "overhead", resource, out);
}

void warn_of_pod_seccomp(const Place& spec, Warnings& out) {
  if (spec.value().at_path({"securityContext", "seccompProfile"}) == nullptr)
    warn_of_annotation(spec, "seccomp.security.alpha.kubernetes.io/pod", kSeccompGone, out);
}

void warn_of_security_annotations(const Place& container, Warnings& out) {
  const Place& spec = *container.parent();
  const std::string name(container.text("name"));
  if (container.value().at_path({"securityContext", "seccompProfile"}) == nullptr)
    warn_of_annotation(spec, "container.seccomp.security.alpha.kubernetes.io/" + name, kSeccompGone,
                       out);
  // The annotation of a pod becomes the field.
  const bool in_template = spec.parent()->parent() != nullptr;
  if (in_template && spec.value().at_path({"securityContext", "appArmorProfile"}) == nullptr &&
      container.value().at_path({"securityContext", "appArmorProfile"}) == nullptr)
    warn_of_annotation(spec, std::string(kAppArmorKey) + name, kAppArmorOld, out);
}

void warn_of_amounts(const Place& container, Warnings& out) {
  container.each("resources", [&](const Place& amounts) {
    for (const std::string_view resource : {"memory", "ephemeral-storage"})
      for (const std::string_view field : {"limits", "requests"})
        warn_of_fraction(amounts, field, resource, out);
  });
}

// A variable may be set again from its value before.
void warn_of_variables(const Place& container, Warnings& out) {
  std::set<std::string_view> seen;
  container.each("env", [&](const Place& variable) {
    const std::string_view name = variable.text("name");
    if (seen.insert(name).second) return;
    const std::string before = "$(" + std::string(name) + ")";
    const std::string_view value = variable.text("value");
    if (!variable.has("valueFrom") && value != before &&
        value.find(before) != std::string_view::npos)
      return;
    out.push_back(warning_at(variable.path(), "hides previous definition of " + go::quote(name) +
                                                  ", which may be dropped when using apply"));
  });
}

/// A port of one of the pod's containers.
struct PodPort {
  std::string path;
  std::int64_t port = 0;
  std::int64_t host_port = 0;
  std::string_view protocol;
  std::string_view host_ip;
};

std::string_view port_conflict(const PodPort& one, const PodPort& other) {
  if (one.port != other.port || one.protocol != other.protocol) return {};
  if (one.host_ip == other.host_ip && one.host_port == other.host_port)
    return ": duplicate port definition with ";
  if (one.host_port == 0 || other.host_port == 0) return ": overlapping port definition with ";
  if (one.host_port == other.host_port && one.host_ip.empty() != other.host_ip.empty())
    return ": dangerously ambiguous port definition with ";
  return {};
}

void warn_of_ports(const Place& spec, Warnings& out) {
  std::vector<PodPort> ports;
  const auto check = [&](const Place& place) {
    const PodPort port{place.path().to_string(), place.number("containerPort").value_or(0),
                       place.number("hostPort").value_or(0), place.text("protocol"),
                       place.text("hostIP")};
    if (!port.host_ip.empty() && port.host_port == 0)
      out.push_back(
          port.path + ": hostIP set without hostPort: {Name:" + std::string(place.text("name")) +
          " HostPort:0 ContainerPort:" + std::to_string(port.port) +
          " Protocol:" + std::string(port.protocol) + " HostIP:" + std::string(port.host_ip) + "}");
    for (const PodPort& other : ports) {
      const std::string_view conflict = port_conflict(port, other);
      if (!conflict.empty()) out.push_back(port.path + std::string(conflict) + other.path);
    }
    ports.push_back(port);
  };
  for (const std::string_view containers : kContainerLists)
    spec.each(containers, [&](const Place& container) { container.each("ports", check); });
}

// A port is found by its name.
void warn_of_port_names(const Place& spec, Warnings& out) {
  std::map<std::string_view, std::string> first;
  const auto check = [&](const Place& port) {
    const std::string_view name = port.text("name");
    if (name.empty()) return;
    const auto [found, is_new] = first.emplace(name, port.path().to_string());
    if (!is_new)
      out.push_back(warning_at(port.path(), "duplicate port name " + go::quote(name) + " with " +
                                                found->second +
                                                ", services and probes that select ports by name "
                                                "will use " +
                                                found->second));
  };
  for (const std::string_view list : kContainerLists)
    spec.each(list, [&](const Place& container) { container.each("ports", check); });
}

void warn_of_servers(const Place& spec, Warnings& out) {
  spec.each("dnsConfig", [&](const Place& config) { warn_of_ip(config, "nameservers", out); });
  spec.each("hostAliases", [&](const Place& alias) { warn_of_ip(alias, "ip", out); });
}

void warn_of_grace_period(const Place& spec, Warnings& out) {
  if (spec.number("terminationGracePeriodSeconds").value_or(0) < 0)
    out.push_back(warning_at(spec.path("terminationGracePeriodSeconds"),
                             "must be >= 0; negative values are invalid and will be treated as 1"));
}

constexpr Warning kPodSpec[] = {warn_with(warn_of_node_labels),
                                warn_with(walk_node_affinity),
                                {"topologySpreadConstraints"},
                                warn_with(warn_of_old_annotations),
                                {"volumes"},
                                warn_with(warn_of_aliases),
                                warn_with(warn_of_pull_secrets),
                                warn_with(warn_of_overhead),
                                warn_with(warn_of_pod_seccomp),
                                {"initContainers"},
                                {"containers"},
                                {"ephemeralContainers"},
                                warn_with(warn_of_ports),
                                warn_with(warn_of_port_names),
                                warn_with(warn_of_grace_period),
                                {"affinity"},
                                warn_with(warn_of_servers)};
constexpr Warning kContainer[] = {warn_with(warn_of_security_annotations),
                                  warn_with(warn_of_amounts), warn_with(warn_of_variables)};
constexpr Warning kAffinity[] = {{"podAffinity"}, {"podAntiAffinity"}};
constexpr Warning kPodAffinity[] = {{"requiredDuringSchedulingIgnoredDuringExecution"},
                                    {"preferredDuringSchedulingIgnoredDuringExecution"}};
constexpr Warning kSpreadConstraint[] = {warn_with(warn_of_spread)};
constexpr Warning kPodTerm[] = {warn_with(warn_of_selector)};

constexpr TypeWarnings kPodWarnings[] = {
    {"core.v1.PodSpec", kPodSpec},
    {"core.v1.Container", kContainer},
    {"core.v1.EphemeralContainer", kContainer},
    {"core.v1.TopologySpreadConstraint", kSpreadConstraint},
    {"core.v1.Affinity", kAffinity},
    {"core.v1.PodAffinity", kPodAffinity},
    {"core.v1.PodAntiAffinity", kPodAffinity},
    {"core.v1.PodAffinityTerm", kPodTerm},
};

// A profile in the words of the annotation.
std::string app_armor_text(const json::Value& profile) {
  const std::string_view type = profile.string_at({"type"});
  if (type == "Unconfined") return "unconfined";
  if (type == "RuntimeDefault") return "runtime/default";
  return "localhost/" + std::string(profile.string_at({"localhostProfile"}));
}

}  // namespace

void warn_of_app_armor(const Place& pod, Warnings& out) {
  pod.each("spec", [&](const Place& spec) {
    if (spec.value().string_at({"os", "name"}) == "windows") return;
    const json::Value* of_pod = spec.value().at_path({"securityContext", "appArmorProfile"});
    for (const std::string_view list : kContainerLists) {
      spec.each(list, [&](const Place& container) {
        if (container.value().at_path({"securityContext", "appArmorProfile"}) != nullptr) return;
        const std::string key = std::string(kAppArmorKey) + std::string(container.text("name"));
        const json::Value* text = pod.value().at_path({"metadata", "annotations", key});
        if (text == nullptr) return;
        if (of_pod == nullptr || app_armor_text(*of_pod) != text->string_or_empty())
          warn_of_annotation(spec, key, kAppArmorOld, out);
      });
    }
  });
}

std::span<const TypeWarnings> pod_warnings() {
  return kPodWarnings;
}

}  // namespace kube::apiserver
