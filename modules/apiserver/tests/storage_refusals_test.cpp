// SPDX-License-Identifier: Apache-2.0
//
// What volumes, configuration and the objects of a cluster are refused for. The errors were
// recorded from kube-apiserver 1.37.1.
#include "refusal_fixture.hpp"

namespace kube::apiserver::test {
namespace {

const std::vector<Refusal> kStorageRefusals = {
    {"/api/v1/namespaces/t/persistentvolumeclaims",
     R"({"metadata":{"name":"a"},"spec":{"accessModes":["Foo"],"volumeMode":"X","dataSource":{"kind":"X","name":""}}})",
     {"spec.accessModes: Unsupported value: \"Foo\": supported values: \"ReadOnlyMany\", "
      "\"ReadWriteMany\", \"ReadWriteOnce\", \"ReadWriteOncePod\"",
      "spec.resources[storage]: Required value",
      "spec.volumeMode: Unsupported value: \"X\": supported values: \"Block\", \"Filesystem\""}},
    {"/api/v1/namespaces/t/persistentvolumeclaims",
     R"({"metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce","ReadWriteOncePod"],"resources":{"requests":{"storage":0}}}})",
     {"spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes",
      "spec.resources[storage]: Invalid value: \"0\": must be greater than zero"}},
    {"/api/v1/namespaces/t/persistentvolumeclaims",
     R"({"metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"dataSource":{"kind":"PersistentVolumeClaim","name":"b"},"dataSourceRef":{"kind":"PersistentVolumeClaim","name":"c"}}})",
     {"spec: Invalid value: {}: must match dataSourceRef"}},
    {"/api/v1/namespaces/t/persistentvolumeclaims",
     R"({"metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},"dataSourceRef":{"kind":"X","name":""}}})",
     {"spec.dataSource.name: Required value",
      "spec.dataSource: Invalid value: \"X\": must be 'PersistentVolumeClaim' when referencing "
      "the default apiGroup",
      "spec.dataSourceRef.name: Required value",
      "spec.dataSourceRef: Invalid value: \"X\": must be 'PersistentVolumeClaim' when referencing "
      "the default apiGroup"}},
    {"/api/v1/persistentvolumes",
     R"({"metadata":{"name":"a"},"spec":{"capacity":{}}})",
     {"spec.accessModes: Required value", "spec.capacity: Required value",
      "spec.capacity: Unsupported value: {}: supported values: \"storage\"",
      "spec: Required value: must specify a volume type"}},
    {"/apis/apps/v1/namespaces/t/statefulsets",
     R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},"volumeClaimTemplates":[{"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}]}})",
     {"spec.template.spec.volumes[0].persistentVolumeClaim.claimName: Required value",
      "spec.template.spec.volumes[0].name: Required value"}},
    {"/apis/autoscaling/v1/namespaces/t/horizontalpodautoscalers",
     R"({"metadata":{"name":"a"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},"minReplicas":0,"maxReplicas":3}})",
     {"spec.metrics: Forbidden: must specify at least one Object or External metric to support "
      "scaling to zero replicas"}},
    {"/apis/autoscaling/v2/namespaces/t/horizontalpodautoscalers",
     R"({"metadata":{"name":"a"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},"maxReplicas":3,"behavior":{"scaleUp":{"policies":[]}}}})",
     {"spec.behavior.scaleUp.policies: Required value: must specify at least one Policy"}},
    {"/apis/resource.k8s.io/v1/namespaces/t/resourceclaimtemplates",
     R"({"metadata":{"name":"a"},"spec":{"metadata":{"finalizers":[]}}})",
     {"spec.metadata.finalizers: Forbidden: cannot be set"}},
    {"/apis/networking.k8s.io/v1/ipaddresses",
     R"({"metadata":{"name":"a"},"spec":{"parentRef":{"resource":"services","name":"s"}}})",
     {"metadata.name: Invalid value: \"a\": must be a valid IP address, (e.g. 10.9.8.7 or "
      "2001:db8::ffff)"}},
    {"/api/v1/persistentvolumes",
     R"({"metadata":{"name":"a"},"spec":{"capacity":{"foo":1}}})",
     {"spec.accessModes: Required value",
      "spec.capacity: Unsupported value: {\"foo\":\"1\"}: supported values: \"storage\"",
      "spec: Required value: must specify a volume type"}},
    {"/api/v1/persistentvolumes",
     R"({"metadata":{"name":"a"},"spec":{"capacity":{"storage":1},"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"X","local":{"path":""},"csi":{"driver":"","volumeHandle":""}}})",
     {"spec.persistentVolumeReclaimPolicy: Unsupported value: \"X\": supported values: "
      "\"Delete\", \"Recycle\", \"Retain\"",
      "spec.local.path: Required value",
      "spec.nodeAffinity: Required value: Local volume requires node affinity",
      "spec.csi: Forbidden: may not specify more than 1 volume type"}},
    {"/apis/storage.k8s.io/v1/storageclasses",
     R"({"metadata":{"name":"a"},"provisioner":"","volumeBindingMode":"Foo","reclaimPolicy":"Recycle","allowedTopologies":[{"matchLabelExpressions":[{"key":"a","values":[]},{"key":"a","values":["b","b"]}]}]})",
     {"reclaimPolicy: Unsupported value: \"Recycle\": supported values: \"Delete\", \"Retain\"",
      "volumeBindingMode: Unsupported value: \"Foo\": supported values: \"Immediate\", "
      "\"WaitForFirstConsumer\"",
      "allowedTopologies[0].matchLabelExpressions[0].values: Required value",
      "allowedTopologies[0].matchLabelExpressions[1].values[1]: Duplicate value: \"b\"",
      "allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: \"a\"",
      "provisioner: Required value"}},
    {"/apis/storage.k8s.io/v1/csidrivers",
     R"({"metadata":{"name":"a"},"spec":{"fsGroupPolicy":"Foo","volumeLifecycleModes":["Foo"],"tokenRequests":[{"audience":"a"},{"audience":"a"}]}})",
     {"spec.fsGroupPolicy: Unsupported value: \"Foo\": supported values: \"File\", \"None\", "
      "\"ReadWriteOnceWithFSType\"",
      "spec.tokenRequests[1].audience: Duplicate value: \"a\"",
      "spec.volumeLifecycleModes: Unsupported value: \"Foo\": supported values: "
      "\"Persistent\", \"Ephemeral\""}},
    {"/api/v1/namespaces/t/secrets",
     R"({"metadata":{"name":"a"},"type":"kubernetes.io/tls","data":{"..a":""}})",
     {"data[..a]: Invalid value: \"..a\": must not start with '..'",
      "data[tls.crt]: Required value", "data[tls.key]: Required value"}},
    {"/api/v1/namespaces/t/secrets",
     R"({"metadata":{"name":"a"},"type":"kubernetes.io/dockerconfigjson","stringData":{".dockerconfigjson":"abc"}})",
     {"data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": invalid "
      "character 'a' looking for beginning of value"}},
    {"/api/v1/namespaces/t/secrets",
     R"({"metadata":{"name":"a"},"type":"kubernetes.io/basic-auth"})",
     {"data[username]: Required value", "data[password]: Required value"}},
    {"/api/v1/namespaces/t/configmaps",
     R"({"metadata":{"name":"a","finalizers":["foo"]},"data":{"..":"x","c":"d"},"binaryData":{"c":"AAAA"}})",
     {"metadata.finalizers[0]: Invalid value: \"foo\": name is neither a standard finalizer "
      "name nor is it fully qualified",
      "data[..]: Invalid value: \"..\": must not be '..'",
      "data[c]: Invalid value: \"c\": duplicate of key present in binaryData"}},
    {"/apis/scheduling.k8s.io/v1/priorityclasses",
     R"({"metadata":{"name":"system-x"},"value":5})",
     {"metadata.name: Forbidden: priority class names with 'system-' prefix are reserved "
      "for system use only. error: system-x is not a known system priority class"}},
    {"/apis/scheduling.k8s.io/v1/priorityclasses",
     R"({"metadata":{"name":"a"},"value":1000000001,"preemptionPolicy":"X"})",
     {"value: Forbidden: maximum allowed value of a user defined priority is 1000000000",
      "preemptionPolicy: Unsupported value: \"X\": supported values: \"PreemptLowerPriority\", "
      "\"Never\""}},
    {"/api/v1/namespaces/t/resourcequotas",
     R"({"metadata":{"name":"a"},"spec":{"hard":{"pods":1.5},"scopes":["Foo","BestEffort","NotBestEffort"],"scopeSelector":{"matchExpressions":[{"scopeName":"PriorityClass","operator":"In"}]}}})",
     {"spec.hard[pods]: Invalid value: \"1500m\": must be an integer",
      "spec.scopes: Invalid value: [\"Foo\",\"BestEffort\",\"NotBestEffort\"]: unsupported scope",
      "spec.scopes: Invalid value: [\"Foo\",\"BestEffort\",\"NotBestEffort\"]: conflicting scopes",
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one "
      "value when `operator` is 'In' or 'NotIn' for scope selector"}},
    {"/api/v1/namespaces/t/limitranges",
     R"({"metadata":{"name":"a"},"spec":{"limits":[{"type":"x.io/y","max":{"cpu":1},"min":{"cpu":2}},{"type":"Foo"},{"type":"Pod","default":{"cpu":1}},{"type":"PersistentVolumeClaim"}]}})",
     {"spec.limits[0].min[cpu]: Invalid value: \"2\": min value 2 is greater than max value 1",
      "spec.limits[1].type: Invalid value: \"Foo\": must be a standard limit type or fully "
      "qualified",
      "spec.limits[2].default: Forbidden: may not be specified when `type` is 'Pod'",
      "spec.limits[3].limits: Required value: either minimum or maximum storage value is "
      "required, but neither was provided"}},
    {"/api/v1/namespaces/t/endpoints",
     R"({"metadata":{"name":"a"},"subsets":[{"addresses":[{"ip":"127.0.0.1"}],"ports":[{"port":0},{"port":1,"protocol":"X"}]},{}]})",
     {"subsets[0].addresses[0].ip: Invalid value: \"127.0.0.1\": may not be in the loopback "
      "range (127.0.0.0/8, ::1/128)",
      "subsets[0].ports[0].name: Required value",
      "subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      "subsets[0].ports[1].name: Required value",
      "subsets[0].ports[1].protocol: Unsupported value: \"X\": supported values: \"SCTP\", "
      "\"TCP\", \"UDP\"",
      "subsets[1]: Required value: must specify `addresses` or `notReadyAddresses`"}},
    {"/apis/discovery.k8s.io/v1/namespaces/t/endpointslices",
     R"({"metadata":{"name":"a"},"addressType":"IPv4","endpoints":[{"addresses":[]},{"addresses":["::1"],"hostname":"a.b"}],"ports":[{"name":"a","protocol":"X"},{"name":"a"}]})",
     {"ports[0].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\"",
      "ports[1].name: Duplicate value: \"a\"",
      "endpoints[1].addresses: Invalid value: \"::1\": must be an IPv4 address",
      "endpoints[1].addresses[0]: Invalid value: \"::1\": may not be in the loopback range "
      "(127.0.0.0/8, ::1/128)",
      "endpoints[1].hostname: Invalid value: \"a.b\": must not contain dots",
      "endpoints[0].addresses: Required value"}},
    {"/apis/discovery.k8s.io/v1/namespaces/t/endpointslices",
     R"({"metadata":{"name":"a"},"addressType":"Foo","endpoints":[]})",
     {"addressType: Unsupported value: \"Foo\": supported values: \"FQDN\", \"IPv4\", \"IPv6\""}},
    {"/apis/node.k8s.io/v1/runtimeclasses",
     R"({"metadata":{"name":"a"},"handler":"a.b"})",
     {"handler: Invalid value: \"a.b\": must not contain dots"}},
    {"/api/v1/namespaces",
     R"({"metadata":{"name":"a"},"spec":{"finalizers":["foo"]}})",
     {"spec.finalizers: Invalid value: \"foo\": name is neither a standard finalizer name "
      "nor is it fully qualified"}},
    {"/api/v1/nodes",
     R"({"metadata":{"name":"a"},"spec":{"taints":[{"key":"a","effect":"Foo"},{"key":"a","effect":"NoSchedule"},{"key":"a","effect":"NoSchedule"}],"podCIDRs":["x"]}})",
     {"metadata.taints[0].effect: Unsupported value: \"Foo\": supported values: "
      "\"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"",
      "metadata.taints[2]: Duplicate value: "
      "{\"Key\":\"a\",\"Value\":\"\",\"Effect\":\"NoSchedule\",\"Ti"
      "meAdded\":null}: taints must be unique by key and effect pair",
      "spec.podCIDRs[0]: Invalid value: \"x\": must be a valid CIDR value, (e.g. 10.9.8.0/24 "
      "or 2001:db8::/64)"}},
    {"/apis/coordination.k8s.io/v1/namespaces/t/leases",
     R"({"metadata":{"name":"a"},"spec":{"leaseDurationSeconds":0,"leaseTransitions":-1,"preferredHolder":"a"}})",
     {"spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
      "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"}},
    {"/apis/certificates.k8s.io/v1/certificatesigningrequests",
     R"({"metadata":{"name":"a"},"spec":{"signerName":"x","request":"YWJj"}})",
     {"spec.request: Invalid value: \"YWJj\": PEM block type must be CERTIFICATE REQUEST",
      "spec.usages: Required value",
      "spec.signerName: Invalid value: \"x\": must be a fully qualified domain and path of "
      "the form 'example.com/signer-name'"}},
    {"/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
     R"({"metadata":{"name":"a"},"spec":{"rules":[{},{"subjects":[{"kind":"User"}],"resourceRules":[{"verbs":["x"],"apiGroups":["*","a"],"resources":["a"]}]}],"priorityLevelConfiguration":{},"matchingPrecedence":1}})",
     {"spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have "
      "matchingPrecedence 1",
      "spec.priorityLevelConfiguration.name: Required value: must reference a priority "
      "level",
      "spec.rules[0].subjects: Required value: subjects must contain at least one value",
      "spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules "
      "has to be non-empty",
      "spec.rules[1].subjects[0].user: Required value: user is required when subject kind "
      "is 'User'",
      "spec.rules[1].resourceRules[0].verbs: Unsupported value: [\"x\"]: supported values: "
      "\"create\", \"delete\", \"deletecollection\", \"get\", \"list\", \"patch\", \"proxy\", "
      "\"update\", "
      "\"watch\"",
      "spec.rules[1].resourceRules[0].apiGroups: Invalid value: [\"*\",\"a\"]: if '*' is "
      "present, must not specify other api groups",
      "spec.rules[1].resourceRules[0].namespaces: Required value: resource rules that are "
      "not cluster scoped must supply at least one namespace"}},
    {"/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
     R"({"metadata":{"name":"a"},"spec":{"type":"Limited","limited":{"lendablePercent":101,"limitResponse":{"type":"Queue","queuing":{"queues":1,"handSize":2}}}}})",
     {"spec.limited.limitResponse.queuing.handSize: Invalid value: 2: should not be "
      "greater than queues (1)",
      "spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, "
      "inclusive"}},
    {"/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
     R"({"metadata":{"name":"a"},"spec":{"type":"Limited","exempt":{},"limited":{"lendablePercent":101,"limitResponse":{"type":"Reject","queuing":{}}}}})",
     {"spec.limited.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive",
      "spec.exempt: Forbidden", "spec.limited.limitResponse.queuing: Forbidden"}},
    {"/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
     R"({"metadata":{"name":"a"},"spec":{"type":"Exempt","limited":{}}})",
     {"spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'",
      "spec.limited: Forbidden", "spec.limited.limitResponse.type: Required value"}},
    {"/apis/apiregistration.k8s.io/v1/apiservices",
     R"({"metadata":{"name":"a"},"spec":{"group":"x","version":"v1"}})",
     {"metadata.name: Invalid value: \"a\": must be `spec.version+\".\"+spec.group`: \"v1.x\"",
      "spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000",
      "spec.versionPriority: Invalid value: 0: must be positive and less than 1000"}},
    {"/api/v1/namespaces/t/podtemplates",
     R"({"metadata":{"name":"a"},"template":{"spec":{"containers":[{}]}}})",
     {"template.spec.containers[0].name: Required value",
      "template.spec.containers[0].image: Required value"}},
    {"/api/v1/namespaces/t/podtemplates",
     R"({"metadata":{"name":"a"},"template":{"spec":{"runtimeClassName":"","preemptionPolicy":"","containers":[{"name":"c","image":"i"}]}}})",
     {"template.spec.runtimeClassName: Invalid value: \"\": a lowercase RFC 1123 subdomain must "
      "consist of lower case alphanumeric characters, '-' or '.', and must start and end with an "
      "alphanumeric character (e.g. 'example.com', regex used for validation is "
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "template.spec.preemptionPolicy: Required value"}},

};

INSTANTIATE_TEST_SUITE_P(Storage, Refusals, ::testing::ValuesIn(kStorageRefusals), name_of);

}  // namespace
}  // namespace kube::apiserver::test
