// SPDX-License-Identifier: Apache-2.0
#include "pods.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace kube::bench {
namespace {

using namespace core::v1;

constexpr std::int64_t kStart = 1793179800;

// The same numbers on every machine.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : state_(seed * 2654435761u + 12345) {}
  unsigned below(unsigned bound) {
    state_ = state_ * 1664525 + 1013904223;
    return static_cast<unsigned>(std::uint64_t{state_} * bound >> 32);
  }
  bool one_in(unsigned chances) { return below(chances) == 0; }
  std::string letters(std::size_t count,
                      std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789") {
    std::string text;
    while (text.size() < count) text += alphabet[below(static_cast<unsigned>(alphabet.size()))];
    return text;
  }
  std::string hex(std::size_t count) { return letters(count, "0123456789abcdef"); }
  std::string uid() { return hex(8) + '-' + hex(4) + "-4" + hex(3) + '-' + hex(4) + '-' + hex(12); }

 private:
  std::uint32_t state_;
};

// Fields of one manager, in the form in which the server keeps them.
std::string controller_fields(const Pod& pod) {
  std::string text = R"({"f:metadata":{"f:annotations":{".":{})";
  for (const auto& [key, value] : pod.metadata.annotations) text += ",\"f:" + key + "\":{}";
  text += R"(},"f:generateName":{},"f:labels":{".":{})";
  for (const auto& [key, value] : pod.metadata.labels) text += ",\"f:" + key + "\":{}";
  text += R"(},"f:ownerReferences":{".":{},"k:{\"uid\":\")" + pod.metadata.owner_references[0].uid +
          R"(\"}":{}}},"f:spec":{"f:containers":{)";
  for (const auto& container : pod.spec.containers) {
    if (text.back() == '}') text += ',';
    text += R"("k:{\"name\":\")" + container.name + R"(\"}":{".":{},"f:args":{},"f:env":{".":{})";
    for (const auto& variable : container.env)
      text += R"(,"k:{\"name\":\")" + variable.name + R"(\"}":{".":{},"f:name":{},"f:value":{}})";
    text += R"(},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":)"
            R"({".":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}},)"
            R"("f:terminationMessagePath":{},"f:terminationMessagePolicy":{}})";
  }
  return text + R"(},"f:dnsPolicy":{},"f:enableServiceLinks":{},"f:restartPolicy":{},)"
                R"("f:schedulerName":{},"f:securityContext":{},"f:serviceAccount":{},)"
                R"("f:serviceAccountName":{},"f:terminationGracePeriodSeconds":{}}})";
}

std::string kubelet_fields(const Pod& pod) {
  std::string text = R"({"f:status":{"f:conditions":{)";
  for (const auto& condition : pod.status.conditions) {
    if (text.back() == '}') text += ',';
    text +=
        R"("k:{\"type\":\")" + condition.type +
        R"(\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}})";
  }
  return text +
         R"(},"f:containerStatuses":{},"f:hostIP":{},"f:hostIPs":{},"f:phase":{},"f:podIP":{},)"
         R"("f:podIPs":{".":{},"k:{\"ip\":\")" +
         pod.status.pod_ip + R"(\"}":{".":{},"f:ip":{}}},"f:startTime":{}}})";
}

Probe probe_of(const char* path, Dice& dice) {
  Probe probe{
      .timeout_seconds = 1, .period_seconds = 10, .success_threshold = 1, .failure_threshold = 3};
  auto& get = probe.http_get.ensure();
  get.path = path;
  get.port = static_cast<std::int32_t>(8080 + dice.below(4));
  get.scheme = "HTTP";
  return probe;
}

Container container_of(unsigned number, Dice& dice) {
  static constexpr std::array kNames{"web", "metrics-sidecar", "log-forwarder"};
  Container container{.name = kNames[number % kNames.size()],
                      .image = "registry.example.com/team/" + std::string(kNames[number]) + ":v1." +
                               std::to_string(dice.below(40)) + "." + std::to_string(dice.below(9)),
                      .args = {"--listen=:8080", "--log-level=info"}};
  if (dice.one_in(2)) container.args.push_back("--config=/etc/web/config.yaml");
  container.ports.push_back({.name = "http", .container_port = 8080, .protocol = "TCP"});
  for (unsigned i = 3 + dice.below(6); i > 0; --i) {
    EnvVar variable{.name = "SETTING_" + dice.letters(4, "ABCDEFGH")};
    if (dice.one_in(3)) {
      auto& source = variable.value_from.ensure().field_ref.ensure();
      source.api_version = "v1";
      source.field_path = "metadata.namespace";
    } else {
      variable.value = "value-" + dice.letters(4 + dice.below(20));
    }
    container.env.push_back(std::move(variable));
  }
  container.resources.requests = {{"cpu", meta::Quantity::must_parse("250m")},
                                  {"memory", meta::Quantity::must_parse("512Mi")}};
  container.resources.limits = {{"memory", meta::Quantity::must_parse("1Gi")}};
  container.volume_mounts.push_back({.name = "config", .mount_path = "/etc/web"});
  container.volume_mounts.push_back(
      {.name = "kube-api-access",
       .read_only = true,
       .mount_path = "/var/run/secrets/kubernetes.io/serviceaccount"});
  if (number == 0) container.readiness_probe = probe_of("/readyz", dice);
  if (dice.one_in(2)) container.liveness_probe = probe_of("/livez", dice);
  if (dice.one_in(2)) {
    auto& context = container.security_context.ensure();
    context.run_as_non_root = true;
    context.allow_privilege_escalation = false;
  }
  container.termination_message_path = "/dev/termination-log";
  container.termination_message_policy = "File";
  container.image_pull_policy = "IfNotPresent";
  return container;
}

// The token that every pod gets.
Volume token_volume() {
  Volume volume{.name = "kube-api-access"};
  auto& projected = volume.projected.ensure();
  projected.default_mode = 420;
  projected.sources.resize(3);
  auto& token = projected.sources[0].service_account_token.ensure();
  token.expiration_seconds = 3607;
  token.path = "token";
  auto& bundle = projected.sources[1].config_map.ensure();
  bundle.name = "kube-root-ca.crt";
  bundle.items.push_back({.key = "ca.crt", .path = "ca.crt"});
  auto& fields = projected.sources[2].downward_api.ensure();
  fields.items.push_back({.path = "namespace"});
  auto& source = fields.items[0].field_ref.ensure();
  source.api_version = "v1";
  source.field_path = "metadata.namespace";
  return volume;
}

void fill_metadata(Pod& pod, Dice& dice) {
  auto& metadata = pod.metadata;
  const std::string hash = dice.letters(10);
  const std::string app = "web-" + dice.letters(3 + dice.below(12));
  metadata.generate_name = app + '-' + hash + '-';
  metadata.name = metadata.generate_name + dice.letters(5);
  metadata.namespace_ = "team-" + dice.letters(4);
  metadata.uid = dice.uid();
  metadata.resource_version = std::to_string(912000000 + dice.below(999999));
  metadata.creation_timestamp = meta::Time(kStart + dice.below(86400), 0);
  metadata.labels = {{"app.kubernetes.io/name", app},
                     {"app.kubernetes.io/instance", app + "-production"},
                     {"pod-template-hash", hash}};
  for (unsigned i = dice.below(5); i > 0; --i)
    metadata.labels["example.com/" + dice.letters(6)] = dice.letters(3 + dice.below(18));
  metadata.annotations = {{"checksum/config", dice.hex(64)}};
  for (unsigned i = dice.below(3); i > 0; --i)
    metadata.annotations["annotations.example.com/" + dice.letters(5)] =
        dice.letters(20 + dice.below(60));
  metadata.owner_references.push_back({.api_version = "apps/v1",
                                       .kind = "ReplicaSet",
                                       .name = app + '-' + hash,
                                       .uid = dice.uid(),
                                       .controller = true,
                                       .block_owner_deletion = true});
}

void fill_spec(Pod& pod, Dice& dice) {
  auto& spec = pod.spec;
  for (unsigned i = 0, count = 1 + dice.below(2); i < count; ++i)
    spec.containers.push_back(container_of(i, dice));
  Volume config{.name = "config"};
  config.config_map.ensure().name = "web-config";
  config.config_map->default_mode = 420;
  spec.volumes.push_back(std::move(config));
  spec.volumes.push_back(token_volume());
  if (dice.one_in(3)) {
    Volume scratch{.name = "scratch"};
    scratch.empty_dir.ensure();
    spec.volumes.push_back(std::move(scratch));
  }
  spec.restart_policy = "Always";
  spec.termination_grace_period_seconds = 30;
  spec.dns_policy = "ClusterFirst";
  spec.service_account_name = "web";
  spec.service_account = "web";
  spec.node_name = "node-" + dice.hex(4) + ".zone-a.example.com";
  spec.security_context.ensure();
  spec.scheduler_name = "default-scheduler";
  for (const char* key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    spec.tolerations.push_back(
        {.key = key, .operator_ = "Exists", .effect = "NoExecute", .toleration_seconds = 300});
  }
  spec.priority = 0;
  spec.enable_service_links = true;
  spec.preemption_policy = "PreemptLowerPriority";
}

void fill_status(Pod& pod, Dice& dice) {
  auto& status = pod.status;
  status.phase = "Running";
  const meta::Time started(pod.metadata.creation_timestamp.unix_seconds() + 3, 0);
  for (const char* type :
       {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"})
    status.conditions.push_back({.type = type, .status = "True", .last_transition_time = started});
  status.host_ip =
      "10.0." + std::to_string(dice.below(256)) + '.' + std::to_string(dice.below(256));
  status.host_ips.push_back({status.host_ip});
  status.pod_ip =
      "10.244." + std::to_string(dice.below(256)) + '.' + std::to_string(dice.below(256));
  status.pod_ips.push_back({status.pod_ip});
  status.start_time = started;
  for (const auto& container : pod.spec.containers) {
    ContainerStatus one{.name = container.name, .ready = true, .image = container.image};
    one.image_id = "registry.example.com/team/web@sha256:" + dice.hex(64);
    one.container_id = "containerd://" + dice.hex(64);
    one.started = true;
    one.state.running.ensure().started_at = started;
    status.container_statuses.push_back(std::move(one));
  }
  status.qos_class = "Burstable";
}

}  // namespace

Pod running_pod(unsigned number) {
  Dice dice(number);
  Pod pod;
  fill_metadata(pod, dice);
  fill_spec(pod, dice);
  fill_status(pod, dice);
  const auto manage = [&](const char* manager, std::string fields, std::string subresource) {
    pod.metadata.managed_fields.push_back({.manager = manager,
                                           .operation = "Update",
                                           .api_version = "v1",
                                           .time = pod.metadata.creation_timestamp,
                                           .fields_type = "FieldsV1",
                                           .fields_v1 = {std::move(fields)},
                                           .subresource = std::move(subresource)});
  };
  manage("kube-controller-manager", controller_fields(pod), "");
  manage("kubelet", kubelet_fields(pod), "status");
  return pod;
}

}  // namespace kube::bench
