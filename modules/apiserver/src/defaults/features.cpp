// SPDX-License-Identifier: Apache-2.0
//
// The fields of features that are off in kube-apiserver 1.37 unless its flags say otherwise. It
// drops what is written there.
#include "defaults/tables.hpp"

namespace kube::apiserver {
namespace {

constexpr DroppedField kFieldsOfFeatures[] = {
    // AtomicWriteVolumeUserFields
    {"core.v1.SecretVolumeSource", "defaultUser"},
    {"core.v1.ConfigMapVolumeSource", "defaultUser"},
    {"core.v1.DownwardAPIVolumeSource", "defaultUser"},
    {"core.v1.ProjectedVolumeSource", "defaultUser"},
    {"core.v1.KeyToPath", "user"},
    {"core.v1.DownwardAPIVolumeFile", "user"},
    {"core.v1.ServiceAccountTokenProjection", "user"},
    {"core.v1.ClusterTrustBundleProjection", "user"},
    {"core.v1.PodCertificateProjection", "user"},
    // ContainerStopSignals; for a container's lifecycle see drop_stop_signal()
    {"core.v1.Lifecycle", "stopSignal"},
    // CoordinatedLeaderElection
    {"coordination.v1.LeaseSpec", "strategy"},
    {"coordination.v1.LeaseSpec", "preferredHolder"},
    // DRADerivedAttributes
    {"resource.*.ExactDeviceRequest", "derivedAttributes"},
    {"resource.*.DeviceSubRequest", "derivedAttributes"},
    // DRADeviceCompatibilityGroups
    {"resource.*.DeviceCounterConsumption", "compatibilityGroups"},
    // DRAListTypeAttributes
    {"resource.*.DeviceAttribute", "bools"},
    {"resource.*.DeviceAttribute", "ints"},
    {"resource.*.DeviceAttribute", "strings"},
    {"resource.*.DeviceAttribute", "versions"},
    // DRANodeAllocatableResources
    {"core.v1.PodStatus", "nodeAllocatableResourceClaimStatuses"},
    {"resource.*.Device", "nodeAllocatableResources"},
    // DRAOptionalNodeOperations
    {"resource.*.ResourceSliceSpec", "skipNodeOperations"},
    {"resource.*.DeviceRequestAllocationResult", "skipNodeOperations"},
    // DRAPartitionableDevicesType
    {"resource.*.ResourceSliceSpec", "partitionTypeAttribute"},
    // EmptyDirVolumeMode
    {"core.v1.EmptyDirVolumeSource", "mode"},
    // EvictionRequestAPI
    {"core.v1.PodSpec", "evictionResponders"},
    // GenericWorkload
    {"core.v1.PodSpec", "schedulingGroup"},
    // GRPCContainerProbeTLS
    {"core.v1.GRPCAction", "mode"},
    // H2CContainerProbe
    {"core.v1.HTTPGetAction", "protocol"},
    // ImageVolumeWithDigest
    {"core.v1.VolumeMountStatus", "volumeStatus"},
    // InPlacePodVerticalScalingSchedulerPreemption
    {"core.v1.NodeSpec", "podPreemptionPolicy"},
    // CSIVolumeHealth
    {"core.v1.PodStatus", "volumeHealth"},
    {"storage.v1.CSINodeStatus", "storageHealth"},
    // VolumeBindMountOptions
    {"core.v1.VolumeMount", "bindMountOptions"},
    // WorkloadWithJob
    {"batch.v1.JobSpec", "scheduling"},
    // Older versions have it.
    {"discovery.v1.Endpoint", "deprecatedTopology"},
    // Kubelets have not read their configuration from the API since 1.24.
    {"core.v1.NodeSpec", "configSource"},
    {"core.v1.NodeStatus", "config"},
};

// A lifecycle that said nothing but the signal goes with it; one that was empty stays.
void drop_stop_signal(json::Object& container) {
  json::Value* lifecycle = container.find("lifecycle");
  if (lifecycle == nullptr || !lifecycle->is_object()) return;
  const json::Value* signal = lifecycle->if_object()->find("stopSignal");
  if (signal == nullptr || signal->is_null()) return;
  lifecycle->if_object()->erase("stopSignal");
  if (lifecycle->if_object()->empty()) container.erase("lifecycle");
}

constexpr TypeDefault kTypesOfFeatures[] = {
    {"core.v1.Container", drop_stop_signal},
    {"core.v1.EphemeralContainer", drop_stop_signal},
};

}  // namespace

DefaultTable feature_defaults() {
  return {{}, kTypesOfFeatures, kFieldsOfFeatures};
}

}  // namespace kube::apiserver
