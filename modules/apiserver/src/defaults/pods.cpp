// SPDX-License-Identifier: Apache-2.0
//
// The defaults of containers, volumes and pods.
#include <algorithm>
#include <string>
#include <string_view>

#include "defaults/image_reference.hpp"
#include "defaults/members.hpp"
#include "defaults/tables.hpp"

namespace kube::apiserver {
namespace {

constexpr FieldDefault kPodFields[] = {
    {"core.v1.PodSpec", "restartPolicy", "Always"},
    {"core.v1.PodSpec", "dnsPolicy", "ClusterFirst"},
    {"core.v1.PodSpec", "schedulerName", "default-scheduler"},
    {"core.v1.PodSpec", "terminationGracePeriodSeconds", 30},
    {"core.v1.PodSpec", "securityContext", JsonText{"{}"}},
    {"core.v1.Pod", "spec.enableServiceLinks", true},

    {"core.v1.Container", "terminationMessagePath", "/dev/termination-log"},
    {"core.v1.Container", "terminationMessagePolicy", "File"},
    {"core.v1.EphemeralContainer", "terminationMessagePath", "/dev/termination-log"},
    {"core.v1.EphemeralContainer", "terminationMessagePolicy", "File"},
    {"core.v1.ContainerPort", "protocol", "TCP"},
    {"core.v1.ObjectFieldSelector", "apiVersion", "v1"},
    {"core.v1.FileKeySelector", "optional", false},
    {"core.v1.Probe", "timeoutSeconds", 1},
    {"core.v1.Probe", "periodSeconds", 10},
    {"core.v1.Probe", "successThreshold", 1},
    {"core.v1.Probe", "failureThreshold", 3},
    {"core.v1.HTTPGetAction", "path", "/"},
    {"core.v1.HTTPGetAction", "scheme", "HTTP"},
    {"core.v1.GRPCAction", "service", ""},

    {"core.v1.SecretVolumeSource", "defaultMode", 0644},
    {"core.v1.ConfigMapVolumeSource", "defaultMode", 0644},
    {"core.v1.DownwardAPIVolumeSource", "defaultMode", 0644},
    {"core.v1.ProjectedVolumeSource", "defaultMode", 0644},
    {"core.v1.ServiceAccountTokenProjection", "expirationSeconds", 3600},
    {"core.v1.HostPathVolumeSource", "type", ""},
    {"core.v1.ISCSIVolumeSource", "iscsiInterface", "default"},
    {"core.v1.ISCSIPersistentVolumeSource", "iscsiInterface", "default"},
    {"core.v1.RBDVolumeSource", "pool", "rbd"},
    {"core.v1.RBDVolumeSource", "user", "admin"},
    {"core.v1.RBDVolumeSource", "keyring", "/etc/ceph/keyring"},
    {"core.v1.RBDPersistentVolumeSource", "pool", "rbd"},
    {"core.v1.RBDPersistentVolumeSource", "user", "admin"},
    {"core.v1.RBDPersistentVolumeSource", "keyring", "/etc/ceph/keyring"},
    {"core.v1.AzureDiskVolumeSource", "cachingMode", "ReadWrite"},
    {"core.v1.AzureDiskVolumeSource", "fsType", "ext4"},
    {"core.v1.AzureDiskVolumeSource", "readOnly", false},
    {"core.v1.AzureDiskVolumeSource", "kind", "Shared"},
    {"core.v1.ScaleIOVolumeSource", "storageMode", "ThinProvisioned"},
    {"core.v1.ScaleIOVolumeSource", "fsType", "xfs"},
    {"core.v1.ScaleIOPersistentVolumeSource", "storageMode", "ThinProvisioned"},
    {"core.v1.ScaleIOPersistentVolumeSource", "fsType", "xfs"},
};

std::string_view pull_policy(std::string_view image) {
  return is_moving_image(image) ? "Always" : "IfNotPresent";
}

void default_pull_policy(json::Object& container) {
  if (text_in(container, "imagePullPolicy").empty())
    container.set("imagePullPolicy", pull_policy(text_in(container, "image")));
}

void default_image_volume(json::Object& image) {
  if (text_in(image, "pullPolicy").empty())
    image.set("pullPolicy", pull_policy(text_in(image, "reference")));
}

// A volume without a source is an empty directory.
void default_volume_source(json::Object& volume) {
  const bool has_source = std::ranges::any_of(std::as_const(volume), [](const auto& member) {
    return member.first != "name" && !member.second.is_null();
  });
  if (!has_source) volume.set("emptyDir", json::Object{});
}

// Two names of one field, of which serviceAccountName counts.
void keep_service_accounts_equal(json::Object& spec) {
  std::string name(text_in(spec, "serviceAccountName"));
  if (name.empty()) name = text_in(spec, "serviceAccount");
  if (name.empty()) return;
  spec.set("serviceAccountName", name);
  spec.set("serviceAccount", name);
}

// Requests that are not written are the limits. Templates stay as they are.
void default_requests(json::Object& container) {
  const json::Object* resources = object_in(container, "resources");
  const json::Object* limits = resources == nullptr ? nullptr : object_in(*resources, "limits");
  if (limits == nullptr || limits->empty()) return;
  const json::Object copy = *limits;
  add_missing(copy, ensure_object(ensure_object(container, "resources"), "requests"));
}

// What beta and alpha versions of init containers left behind.
void drop_old_annotations(json::Object& object) {
  json::Value* metadata = object.find("metadata");
  json::Value* annotations = metadata == nullptr || !metadata->is_object()
                                 ? nullptr
                                 : metadata->if_object()->find("annotations");
  if (annotations == nullptr || !annotations->is_object()) return;
  for (const std::string_view name :
       {"pod.beta.kubernetes.io/init-containers", "pod.alpha.kubernetes.io/init-containers",
        "pod.beta.kubernetes.io/init-container-statuses",
        "pod.alpha.kubernetes.io/init-container-statuses"}) {
    annotations->if_object()->erase(name);
  }
  if (annotations->if_object()->empty()) metadata->if_object()->erase("annotations");
}

// In the network of its node, a container is reached at the ports that it opens.
void default_host_ports(json::Object& container) {
  for_each_object(container, "ports", [](json::Object& port) {
    if (number_in(port, "hostPort") != 0) return;
    if (const std::int64_t number = number_in(port, "containerPort"); number != 0)
      port.set("hostPort", number);
  });
}

void default_pod(json::Object& pod) {
  json::Object& spec = ensure_object(pod, "spec");
  if (number_in(spec, "terminationGracePeriodSeconds") < 0)
    spec.set("terminationGracePeriodSeconds", 1);
  const json::Value* host_network = spec.find("hostNetwork");
  const bool in_host_network = host_network != nullptr && *host_network == json::Value(true);
  for (const std::string_view list : {"containers", "initContainers"}) {
    for_each_object(spec, list, default_requests);
    if (in_host_network) for_each_object(spec, list, default_host_ports);
  }
}

// Two forms of one field, of which the single address counts.
void keep_pod_addresses_equal(json::Object& status) {
  const std::string single(text_in(status, "podIP"));
  const json::Value* list = status.find("podIPs");
  const bool has_list = list != nullptr && list->is_array() && !list->if_array()->empty();
  const std::string first(has_list ? list->if_array()->front().string_at({"ip"})
                                   : std::string_view{});
  if (single.empty() && has_list) status.set("podIP", first);
  if (!single.empty() && single != first)
    status.set("podIPs", json::Array{json::Object{{"ip", single}}});
}

constexpr TypeDefault kPodTypes[] = {
    {"core.v1.Pod", default_pod},
    {"core.v1.Pod", drop_old_annotations},
    {"core.v1.PodTemplateSpec", drop_old_annotations},
    {"core.v1.PodSpec", keep_service_accounts_equal},
    {"core.v1.PodStatus", keep_pod_addresses_equal},
    {"core.v1.Volume", default_volume_source},
    {"core.v1.ImageVolumeSource", default_image_volume},
    {"core.v1.Container", default_pull_policy},
    {"core.v1.EphemeralContainer", default_pull_policy},
};

}  // namespace

DefaultTable pod_defaults() {
  return {kPodFields, kPodTypes};
}

}  // namespace kube::apiserver
