// SPDX-License-Identifier: Apache-2.0
//
// The defaults of the groups that are neither core nor of workloads.
#include <string_view>

#include <kube/base/ascii.hpp>

#include "defaults/members.hpp"
#include "defaults/tables.hpp"

namespace kube::apiserver {
namespace {

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";

constexpr FieldDefault kGroupFields[] = {
    {"admissionregistration.*.ValidatingWebhook", "failurePolicy", "Fail"},
    {"admissionregistration.*.ValidatingWebhook", "matchPolicy", "Equivalent"},
    {"admissionregistration.*.ValidatingWebhook", "namespaceSelector", JsonText{"{}"}},
    {"admissionregistration.*.ValidatingWebhook", "objectSelector", JsonText{"{}"}},
    {"admissionregistration.*.ValidatingWebhook", "timeoutSeconds", 10},
    {"admissionregistration.*.MutatingWebhook", "failurePolicy", "Fail"},
    {"admissionregistration.*.MutatingWebhook", "matchPolicy", "Equivalent"},
    {"admissionregistration.*.MutatingWebhook", "namespaceSelector", JsonText{"{}"}},
    {"admissionregistration.*.MutatingWebhook", "objectSelector", JsonText{"{}"}},
    {"admissionregistration.*.MutatingWebhook", "timeoutSeconds", 10},
    {"admissionregistration.*.MutatingWebhook", "reinvocationPolicy", "Never"},
    {"admissionregistration.*.RuleWithOperations", "scope", "*"},
    {"admissionregistration.*.NamedRuleWithOperations", "scope", "*"},
    {"admissionregistration.*.ServiceReference", "port", 443},
    {"admissionregistration.*.ValidatingAdmissionPolicySpec", "failurePolicy", "Fail"},
    {"admissionregistration.*.MutatingAdmissionPolicySpec", "failurePolicy", "Fail"},
    {"admissionregistration.*.MatchResources", "matchPolicy", "Equivalent"},
    {"admissionregistration.*.MatchResources", "namespaceSelector", JsonText{"{}"}},
    {"admissionregistration.*.MatchResources", "objectSelector", JsonText{"{}"}},
    {"admissionregistration.v1alpha1.ParamRef", "parameterNotFoundAction", "Deny"},

    {"apiextensions.v1.CustomResourceDefinition", "spec.conversion",
     JsonText{R"({"strategy":"None"})"}},
    {"apiextensions.v1.ServiceReference", "port", 443},
    {"apiregistration.v1.ServiceReference", "port", 443},

    {"authentication.v1.TokenRequestSpec", "expirationSeconds", 3600},

    {"certificates.*.PodCertificateRequestSpec", "maxExpirationSeconds", 86'400},

    {"discovery.*.EndpointPort", "name", ""},
    {"discovery.*.EndpointPort", "protocol", "TCP"},

    {"flowcontrol.v1.FlowSchemaSpec", "matchingPrecedence", 1000},
    {"flowcontrol.v1.ExemptPriorityLevelConfiguration", "nominalConcurrencyShares", 0},
    {"flowcontrol.v1.ExemptPriorityLevelConfiguration", "lendablePercent", 0},
    {"flowcontrol.v1.LimitedPriorityLevelConfiguration", "nominalConcurrencyShares", 30},
    {"flowcontrol.v1.LimitedPriorityLevelConfiguration", "lendablePercent", 0},
    {"flowcontrol.v1.QueuingConfiguration", "queues", 64},
    {"flowcontrol.v1.QueuingConfiguration", "handSize", 8},
    {"flowcontrol.v1.QueuingConfiguration", "queueLengthLimit", 50},

    {"networking.v1.NetworkPolicyPort", "protocol", "TCP"},
    {"networking.v1.IngressClass", "spec.parameters.scope", "Cluster"},

    {"rbac.*.ClusterRoleBinding", "roleRef.apiGroup", kRbac},
    {"rbac.*.RoleBinding", "roleRef.apiGroup", kRbac},
    {"rbac.*.Subject", "apiGroup", kRbac, "kind", "User"},
    {"rbac.*.Subject", "apiGroup", kRbac, "kind", "Group"},

    {"resource.*.ExactDeviceRequest", "allocationMode", "ExactCount"},
    {"resource.*.ExactDeviceRequest", "count", 1, "allocationMode", "ExactCount"},
    {"resource.*.DeviceSubRequest", "allocationMode", "ExactCount"},
    {"resource.*.DeviceSubRequest", "count", 1, "allocationMode", "ExactCount"},
    {"resource.*.DeviceToleration", "operator", "Equal"},
    {"resource.v1alpha3.ResourcePoolStatusRequestSpec", "limit", 100},

    {"scheduling.*.PriorityClass", "preemptionPolicy", "PreemptLowerPriority"},
    {"scheduling.*.PodGroupSpec", "disruptionMode", JsonText{R"({"single":{}})"}},
    {"scheduling.*.CompositePodGroupSpec", "disruptionMode", JsonText{R"({"single":{}})"}},

    {"storage.*.StorageClass", "reclaimPolicy", "Delete"},
    {"storage.*.StorageClass", "volumeBindingMode", "Immediate"},
    {"storage.*.CSIDriver", "spec.attachRequired", true},
    {"storage.*.CSIDriver", "spec.podInfoOnMount", false},
    {"storage.*.CSIDriver", "spec.storageCapacity", false},
    {"storage.*.CSIDriver", "spec.fsGroupPolicy", "ReadWriteOnceWithFSType"},
    {"storage.*.CSIDriver", "spec.volumeLifecycleModes", JsonText{R"(["Persistent"])"}},
    {"storage.*.CSIDriver", "spec.requiresRepublish", false},
    {"storage.*.CSIDriver", "spec.seLinuxMount", false},
    {"storage.*.CSIDriver", "spec.preventPodSchedulingIfMissing", false},
};

// A request of resource.k8s.io/v1beta1 without a class has alternatives instead.
void default_device_request(json::Object& request) {
  if (text_in(request, "deviceClassName").empty()) return;
  if (text_in(request, "allocationMode").empty()) request.set("allocationMode", "ExactCount");
  if (text_in(request, "allocationMode") == "ExactCount" && number_in(request, "count") == 0)
    request.set("count", 1);
}

void default_policy_types(json::Object& policy) {
  json::Object& spec = ensure_object(policy, "spec");
  if (!is_empty_in(spec, "policyTypes")) return;
  json::Array types{"Ingress"};
  if (!is_empty_in(spec, "egress")) types.emplace_back("Egress");
  spec.set("policyTypes", std::move(types));
}

void default_names(json::Object& definition) {
  json::Object& names = ensure_object(ensure_object(definition, "spec"), "names");
  const std::string kind(text_in(names, "kind"));
  if (text_in(names, "singular").empty()) names.set("singular", ascii::to_lower(kind));
  if (text_in(names, "listKind").empty() && !kind.empty()) names.set("listKind", kind + "List");
}

constexpr TypeDefault kGroupTypes[] = {
    {"apiextensions.v1.CustomResourceDefinition", default_names},
    {"networking.v1.NetworkPolicy", default_policy_types},
    {"resource.v1beta1.DeviceRequest", default_device_request},
};

}  // namespace

DefaultTable group_defaults() {
  return {kGroupFields, kGroupTypes};
}

}  // namespace kube::apiserver
