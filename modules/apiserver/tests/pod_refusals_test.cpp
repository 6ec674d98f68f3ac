// SPDX-License-Identifier: Apache-2.0
//
// What pods, and the kinds that have them, are refused for. The errors were recorded from
// kube-apiserver 1.37.1.
#include "refusal_fixture.hpp"

namespace kube::apiserver::test {
namespace {

const std::vector<Refusal> kPodRefusals =
    {
        {"/api/v1/namespaces/t/pods",
         R"({"metadata":{"name":"a"},"spec":{"containers":[]}})",
         {"spec.containers: Required value"}},
        {"/api/v1/namespaces/t/pods",
         R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"a.b","ports":[{"containerPort":70000,"name":"a--b"},{"hostPort":-1,"protocol":"X"}],"env":[{"name":"a=b"},{"name":""}],"volumeMounts":[{"name":"x","mountPath":""}],"terminationMessagePolicy":"X","imagePullPolicy":"X"},{"name":"a.b","image":" x"}]}})",
         {"spec.containers[0].name: Invalid value: \"a.b\": must not contain dots",
          "spec.containers[0].image: Required value",
          "spec.containers[0].terminationMessagePolicy: Unsupported value: \"X\": supported "
          "values: \"File\", \"FallbackToLogsOnError\"",
          "spec.containers[0].ports[0].name: Invalid value: \"a--b\": must not contain "
          "consecutive hyphens",
          "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 "
          "and 65535, inclusive",
          "spec.containers[0].ports[1].containerPort: Required value",
          "spec.containers[0].ports[1].hostPort: Invalid value: -1: must be between 1 and "
          "65535, inclusive",
          "spec.containers[0].ports[1].protocol: Unsupported value: \"X\": supported values: "
          "\"SCTP\", \"TCP\", \"UDP\"",
          "spec.containers[0].env[0].name: Invalid value: \"a=b\": a valid environment variable "
          "name must consist only of printable ASCII characters other than '='",
          "spec.containers[0].env[1].name: Required value",
          "spec.containers[0].volumeMounts[0].name: Not found: \"x\"",
          "spec.containers[0].volumeMounts[0].mountPath: Required value",
          "spec.containers[0].imagePullPolicy: Unsupported value: \"X\": supported values: "
          "\"Always\", \"IfNotPresent\", \"Never\"",
          "spec.containers[1].name: Invalid value: \"a.b\": must not contain dots",
          "spec.containers[1].name: Duplicate value: \"a.b\"",
          "spec.containers[1].image: Invalid value: \" x\": must not have leading or trailing "
          "whitespace"}},
        {"/api/v1/namespaces/t/pods",
         R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"x","livenessProbe":{},"startupProbe":{"successThreshold":2,"tcpSocket":{"port":0}},"readinessProbe":{"httpGet":{"port":1,"scheme":"x"},"exec":{"command":["a"]},"periodSeconds":-1},"lifecycle":{"preStop":{"sleep":{"seconds":50}},"postStart":{"exec":{}},"stopSignal":"SIGTERM"}}]}})",
         {"spec.containers[0].lifecycle.postStart.exec.command: Required value",
          "spec.containers[0].lifecycle.preStop.sleep: Invalid value: 50: must be non-negative "
          "and less than terminationGracePeriodSeconds (30)",
          "spec.containers[0].livenessProbe: Required value: must specify a handler type",
          "spec.containers[0].readinessProbe.httpGet: Forbidden: may not specify more than 1 "
          "handler type",
          "spec.containers[0].readinessProbe.periodSeconds: Invalid value: -1: must be greater "
          "than or equal to 0",
          "spec.containers[0].startupProbe.tcpSocket.port: Invalid value: 0: must be between 1 "
          "and 65535, inclusive",
          "spec.containers[0].startupProbe.successThreshold: Invalid value: 2: must be 1"}},
        {"/api/v1/namespaces/t/pods",
         R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"x","env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"foo"}}},{"name":"B","valueFrom":{}},{"name":"C","value":"x","valueFrom":{"configMapKeyRef":{"name":"x","key":""}}},{"name":"D","valueFrom":{"resourceFieldRef":{"resource":"foo"}}},{"name":"E","valueFrom":{"fieldRef":{"fieldPath":"status.phase"}}}],"envFrom":[{}]}]}})",
         {"spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: \"foo\": error "
          "converting fieldPath: field label not supported: foo",
          "spec.containers[0].env[1].valueFrom: Invalid value: \"\": must specify one of: "
          "`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
          "spec.containers[0].env[2].valueFrom.configMapKeyRef.key: Required value",
          "spec.containers[0].env[2].valueFrom: Invalid value: \"\": may not be specified when "
          "`value` is not empty",
          "spec.containers[0].env[3].valueFrom.resourceFieldRef.resource: Unsupported value: "
          "\"foo\": supported values: \"limits.cpu\", \"limits.ephemeral-storage\", "
          "\"limits.memory\", "
          "\"requests.cpu\", \"requests.ephemeral-storage\", \"requests.memory\"",
          "spec.containers[0].env[4].valueFrom.fieldRef.fieldPath: Unsupported value: "
          "\"status.phase\": supported values: \"metadata.name\", \"metadata.namespace\", "
          "\"metadata.uid\", \"spec.nodeName\", \"spec.serviceAccountName\", \"status.hostIP\", "
          "\"status.hostIPs\", \"status.podIP\", \"status.podIPs\"",
          "spec.containers[0].envFrom: Invalid value: \"\": must specify one of: `configMapRef` "
          "or `secretRef`"}},
        {"/api/v1/namespaces/t/pods",
         R"({"metadata":{"name":"a"},"spec":{"volumes":[{"name":"v","hostPath":{"path":"a/../b"},"emptyDir":{}},{"name":"w","configMap":{}},{"name":"d"},{"name":"d"},{"name":"p","projected":{"sources":[{"secret":{"items":[{"key":"a","path":"../x"}]}}]}},{"name":"q","downwardAPI":{"items":[{"path":"/a"}]}},{"name":"h","hostPath":{"path":""}},{"name":"n","nfs":{"path":"a"}},{"name":"s","secret":{"secretName":"s","defaultMode":512}}],"containers":[{"name":"c","image":"x","volumeMounts":[{"name":"w","mountPath":"/a","subPath":"/x"},{"name":"d","mountPath":"/a","mountPropagation":"Bidirectional"}]}]}})",
         {"spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type",
          "spec.volumes[1].configMap.name: Required value",
          "spec.volumes[3].name: Duplicate value: \"d\"",
          "spec.volumes[4].projected.sources[0].secret.name: Required value",
          "spec.volumes[4].projected.sources[0].secret.items[0].path: Invalid value: \"../x\": "
          "must not contain '..'",
          "spec.volumes[5].downwardAPI.path: Invalid value: \"/a\": must be a relative path",
          "spec.volumes[5].downwardAPI: Required value: one of fieldRef and resourceFieldRef "
          "is required",
          "spec.volumes[6].hostPath.path: Required value",
          "spec.volumes[7].nfs.server: Required value",
          "spec.volumes[7].nfs.path: Invalid value: \"a\": must be an absolute path",
          "spec.volumes[8].secret.defaultMode: Invalid value: 512: must be a number between 0 "
          "and 0777 (octal), both inclusive",
          "spec.containers[0].volumeMounts[0].name: Not found: \"w\"",
          "spec.containers[0].volumeMounts.subPath: Invalid value: \"/x\": must be a relative "
          "path",
          "spec.containers[0].volumeMounts[1].mountPath: Invalid value: \"/a\": must be unique",
          "spec.containers[0].volumeMounts.mountPropagation: Forbidden: Bidirectional mount "
          "propagation is available only to privileged containers"}},
        {"/api/v1/namespaces/t/pods",
         R"({"metadata":{"name":"a"},"spec":{"initContainers":[{"name":"c","image":"x","livenessProbe":{"exec":{"command":["a"]}},"restartPolicy":"Foo"}],"containers":[{"name":"c","image":"x","resources":{"limits":{"cpu":1},"requests":{"cpu":2},"claims":[{"name":"q"}]}},{"name":"e","image":"x","resources":{"requests":{"foo":1}}},{"name":"f","image":"x","resources":{"limits":{"nvidia.com/gpu":"1500m"},"requests":{"nvidia.com/gpu":"1500m"}}},{"name":"g","image":"x","resources":{"requests":{"nvidia.com/gpu":1}}}]}})",
         {"spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or "
          "equal to cpu limit of 1",
          "spec.containers[0].resources.claims[0]: Not found: \"q\": must be one of the names in "
          "pod.spec.resourceClaims which is empty",
          "spec.containers[1].resources.requests[foo]: Invalid value: \"foo\": must be a "
          "standard resource type or fully qualified",
          "spec.containers[1].resources.requests[foo]: Invalid value: \"foo\": must be a "
          "standard resource for containers",
          "spec.containers[2].resources.limits[nvidia.com/gpu]: Invalid value: \"1500m\": must "
          "be an integer",
          "spec.containers[2].resources.requests[nvidia.com/gpu]: Invalid value: \"1500m\": must "
          "be an integer",
          "spec.containers[3].resources.limits: Required value: Limit must be set for non "
          "overcommitable resources",
          "spec.initContainers[0].restartPolicy: Unsupported value: \"Foo\": supported values: "
          "\"Always\", \"Never\", \"OnFailure\"",
          "spec.initContainers[0].name: Duplicate value: \"c\"",
          "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers "
          "without restartPolicy=Always"}},
        {"/api/v1/namespaces/t/pods",
         R"({"metadata":{"name":"a"},"spec":{"resourceClaims":[{"name":"a"}],"securityContext":{"fsGroup":-1,"seccompProfile":{"type":"RuntimeDefault","localhostProfile":"x"},"sysctls":[{"name":"a b"},{"name":""}]},"containers":[{"name":"c","image":"x","securityContext":{"runAsUser":-1,"allowPrivilegeEscalation":false,"capabilities":{"add":["CAP_SYS_ADMIN"]},"procMount":"Unmasked","seccompProfile":{"type":""}}}]}})",
         {"spec.resourceClaims[0]: Invalid value: "
          "{\"Name\":\"a\",\"ResourceClaimName\":null,\"Resourc"
          "eClaimTemplateName\":null}: must specify one of: `resourceClaimName`, "
          "`resourceClaimTemplateName`",
          "spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 "
          "and 2147483647, inclusive",
          "spec.containers[0].securityContext.procMount: Invalid value: \"Unmasked\": "
          "`hostUsers` must be false to use `Unmasked`",
          "spec.containers[0].securityContext.seccompProfile.type: Required value: type is "
          "required when seccompProfile is set",
          "spec.containers[0].securityContext: Invalid value: "
          "{\"Capabilities\":{\"Add\":[\"CAP_SYS_ADMIN\"],\"Drop\":null},\"Privileged\":null,"
          "\"SELinuxOpti"
          "ons\":null,\"WindowsOptions\":null,\"RunAsUser\":-1,\"RunAsGroup\":null,"
          "\"RunAsNonRoot\":"
          "null"
          ",\"ReadOnlyRootFilesystem\":null,\"AllowPrivilegeEscalation\":false,\"ProcMount\":"
          "\"Unmaske"
          "d\",\"SeccompProfile\":{\"Type\":\"\",\"LocalhostProfile\":null},\"AppArmorProfile\":"
          "null}: "
          "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
          "spec.securityContext.fsGroup: Invalid value: -1: must be between 0 and 2147483647, "
          "inclusive",
          "spec.securityContext.sysctls[0].name: Invalid value: \"a b\": must have at most 253 "
          "characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9"
          "]*[a-z0-9])?$",
          "spec.securityContext.sysctls[1].name: Required value",
          "spec.securityContext.seccompProfile.localhostProfile: Invalid value: "
          "{\"Type\":\"RuntimeDefault\",\"LocalhostProfile\":\"x\"}: can only be set when seccomp "
          "type "
          "is Localhost"}},
        {"/api/v1/namespaces/t/pods",
         R"({"metadata":{"name":"a"},"spec":{"restartPolicy":"X","tolerations":[{"operator":"Foo","effect":"Bar"},{"key":"a","operator":"Exists","value":"b"},{"key":"a","tolerationSeconds":5}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In"},{"key":"b","operator":"X"}],"matchFields":[{"key":"x","operator":"In","values":["a","b"]}]}]}},"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":0,"podAffinityTerm":{"topologyKey":"a","labelSelector":{"matchExpressions":[{"key":"a","operator":"Exists","values":["b"]}]}}}]}},"topologySpreadConstraints":[{"maxSkew":0,"whenUnsatisfiable":"Foo"},{"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule","matchLabelKeys":["a"]}],"containers":[{"name":"c","image":"x"}]}})",
         {"spec.restartPolicy: Unsupported value: \"X\": supported values: \"Always\", "
          "\"OnFailure\", \"Never\"",
          "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelect"
          "orTerms[0].matchExpressions[0].values: Required value: must be specified when "
          "`operator` is 'In' or 'NotIn'",
          "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelect"
          "orTerms[0].matchExpressions[1].operator: Invalid value: \"X\": not a valid selector "
          "operator",
          "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelect"
          "orTerms[0].matchFields[0].values: Required value: must be only one value when "
          "`operator` is 'In' or 'NotIn' for node field selector",
          "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelect"
          "orTerms[0].matchFields[0].key: Invalid value: \"x\": not a valid field selector key",
          "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].wei"
          "ght: Invalid value: 0: must be in the range 1-100",
          "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].pod"
          "AffinityTerm.labelSelector.matchExpressions[0].values: Forbidden: may not be "
          "specified when `operator` is 'Exists' or 'DoesNotExist'",
          "spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than "
          "zero",
          "spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty",
          "spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: \"Foo\": "
          "supported values: \"DoNotSchedule\", \"ScheduleAnyway\"",
          "spec.topologySpreadConstraints[1].matchLabelKeys: Forbidden: must not be specified "
          "when labelSelector is not set",
          "spec.tolerations[0].operator: Invalid value: \"Foo\": operator must be Exists when "
          "`key` is empty, which means \"match all values and all keys\"",
          "spec.tolerations[0].operator: Unsupported value: \"Foo\": supported values: \"Equal\", "
          "\"Exists\"",
          "spec.tolerations[0].effect: Unsupported value: \"Bar\": supported values: "
          "\"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\"",
          "spec.tolerations[1].operator: Invalid value: \"b\": value must be empty when "
          "`operator` is 'Exists'",
          "spec.tolerations[2].effect: Invalid value: \"\": effect must be 'NoExecute' when "
          "`tolerationSeconds` is set"}},
        {"/api/v1/namespaces/t/pods",
         R"({"metadata":{"name":"a"},"spec":{"hostNetwork":true,"dnsPolicy":"None","hostAliases":[{"ip":"x","hostnames":["a"]}],"hostname":"a.b","subdomain":"a.b","activeDeadlineSeconds":0,"os":{"name":"x"},"readinessGates":[{"conditionType":"a/b/c"}],"containers":[{"name":"c","image":"x","ports":[{"containerPort":80,"hostPort":81},{"containerPort":81,"hostPort":81}]}]}})",
         {"spec.containers[0].ports[1].hostPort: Duplicate value: \"TCP//81\"",
          "spec.containers[0].ports[0].hostPort: Invalid value: 81: must match `containerPort` "
          "when `hostNetwork` is true",
          "spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
          "spec.readinessGates[0].conditionType: Invalid value: \"a/b/c\": a valid label key "
          "must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
          "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex "
          "used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional "
          "DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
          "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, "
          "inclusive",
          "spec.hostname: Invalid value: \"a.b\": must not contain dots",
          "spec.subdomain: Invalid value: \"a.b\": must not contain dots",
          "spec.hostAliases[0].ip: Invalid value: \"x\": must be a valid IP address, (e.g. "
          "10.9.8.7 or 2001:db8::ffff)",
          "spec.os: Unsupported value: \"x\": supported values: \"linux\", \"windows\""}},
        {"/api/v1/namespaces/t/pods",
         R"({"metadata":{"name":"a"},"spec":{"os":{"name":"windows"},"securityContext":{"runAsUser":1},"hostPID":true,"shareProcessNamespace":true,"containers":[{"name":"c","image":"x","securityContext":{"readOnlyRootFilesystem":true}}]}})",
         {"spec.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID "
          "cannot both be enabled",
          "spec.securityContext.runAsUser: Forbidden: cannot be set for a windows pod",
          "spec.hostPID: Forbidden: cannot be set for a windows pod",
          "spec.shareProcessNamespace: Forbidden: cannot be set for a windows pod",
          "spec.containers[0].securityContext.readOnlyRootFilesystem: Forbidden: cannot be set "
          "for a windows pod"}},
        {"/api/v1/namespaces/t/pods",
         R"({"metadata":{"name":"a","annotations":{"controller.kubernetes.io/pod-deletion-cost":"x"}},"spec":{"dnsConfig":{"nameservers":["a","1.2.3.4","1.2.3.5","1.2.3.6"],"options":[{}]},"schedulingGates":[{"name":"a"},{"name":"a"}],"nodeName":"b","hostnameOverride":"c","containers":[{"name":"c","image":"x"}],"ephemeralContainers":[{"name":"c","image":"y","ports":[{"containerPort":1}],"targetContainerName":"d"}]}})",
         {"metadata.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "
          "\"x\": must be a 32bit integer",
          "spec.ephemeralContainers[0].name: Duplicate value: \"c\"",
          "spec.ephemeralContainers[0].targetContainerName: Not found: \"d\"",
          "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral "
          "Container",
          "spec.dnsConfig.nameservers: Invalid value: [\"a\",\"1.2.3.4\",\"1.2.3.5\",\"1.2.3.6\"]: "
          "must not have more than 3 nameservers",
          "spec.dnsConfig.nameservers[0]: Invalid value: \"a\": must be a valid IP address, "
          "(e.g. 10.9.8.7 or 2001:db8::ffff)",
          "spec.dnsConfig.options[0]: Required value: must not be empty",
          "spec.schedulingGates[1]: Duplicate value: \"a\"",
          "spec.ephemeralContainers: Forbidden: cannot be set on create",
          "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"}},
        {"/apis/apps/v1/namespaces/t/deployments",
         R"({"metadata":{"name":"a"},"spec":{"strategy":{"type":"Foo"},"replicas":-1,"template":{"metadata":{"labels":{"app":"b"}},"spec":{"containers":[{"name":"a.b","image":"x"}]}}}})",
         {"spec.replicas: Invalid value: -1: must be greater than or equal to 0",
          "spec.selector: Required value",
          "spec.template.metadata.labels: Invalid value: {\"app\":\"b\"}: `selector` does not "
          "match template `labels`",
          "spec.template.spec.containers[0].name: Invalid value: \"a.b\": must not contain dots",
          "spec.strategy: Unsupported value: {\"Type\":\"Foo\",\"RollingUpdate\":null}: supported "
          "values: \"Recreate\", \"RollingUpdate\""}},
        {"/apis/apps/v1/namespaces/t/deployments",
         R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"app":"a"}},"strategy":{"type":"Recreate","rollingUpdate":{"maxSurge":1}},"progressDeadlineSeconds":1,"minReadySeconds":2,"template":{"metadata":{"labels":{"app":"b"}},"spec":{"restartPolicy":"Never","activeDeadlineSeconds":5,"containers":[{"name":"a"}]}}}})",
         {"spec.template.metadata.labels: Invalid value: {\"app\":\"b\"}: `selector` does not "
          "match template `labels`",
          "spec.template.spec.containers[0].image: Required value",
          "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: "
          "\"Always\"",
          "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in "
          "ReplicaSet is not Supported",
          "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` "
          "is 'Recreate'",
          "spec.progressDeadlineSeconds: Invalid value: 1: must be greater than minReadySeconds"}},
        {"/apis/apps/v1/namespaces/t/deployments",
         R"({"metadata":{"name":"a"},"spec":{"selector":{},"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":"0%"}},"template":{"metadata":{"labels":{"app":"a.b!"}},"spec":{"containers":[{"name":"a","image":"x"}]}}}})",
         {"spec.selector: Invalid value: {}: empty selector is invalid for deployment",
          "spec.template.labels: Invalid value: \"a.b!\": a valid label must be an empty string "
          "or consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
          "an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
          "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
          "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"0%\": may not be 0 when "
          "`maxSurge` is 0"}},
        {"/apis/apps/v1/namespaces/t/deployments",
         R"({"metadata":{"name":"a"},"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"In"}]},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"x"}]}}}})",
         {"spec.selector.matchExpressions[0].values: Required value: must be specified when "
          "`operator` is 'In' or 'NotIn'",
          "spec.selector: Invalid value: "
          "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\"}]}: "
          "invalid label selector"}},
        {"/apis/apps/v1/namespaces/t/replicasets",
         R"({"metadata":{"name":"a"},"spec":{"template":{"spec":{}}}})",
         {"spec.selector: Required value",
          "spec.template.metadata.labels: Invalid value: null: `selector` does not match "
          "template `labels`",
          "spec.template.spec.containers: Required value"}},
        {"/apis/apps/v1/namespaces/t/daemonsets",
         R"({"metadata":{"name":"a"},"spec":{"updateStrategy":{"type":"Foo"},"selector":{},"template":{"spec":{"restartPolicy":"OnFailure","containers":[{"name":"a","image":"x"}]}}}})",
         {"spec.selector: Invalid value: {}: empty selector is invalid for daemonset",
          "spec.template.spec.restartPolicy: Unsupported value: \"OnFailure\": supported values: "
          "\"Always\"",
          "spec.updateStrategy: Unsupported value: {\"Type\":\"Foo\",\"RollingUpdate\":null}: "
          "supported values: \"RollingUpdate\", \"OnDelete\""}},
        {"/apis/apps/v1/namespaces/t/daemonsets",
         R"({"metadata":{"name":"a"},"spec":{"updateStrategy":{"rollingUpdate":{"maxUnavailable":0,"maxSurge":0}},"selector":{"matchLabels":{"a":"c"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"x"}]}}}})",
         {"spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match "
          "template `labels`",
          "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when "
          "maxSurge is 0"}},
        {"/apis/apps/v1/namespaces/t/statefulsets",
         R"({"metadata":{"name":"a"},"spec":{"updateStrategy":{"type":"Foo"},"podManagementPolicy":"Foo","serviceName":"a.b","volumeClaimTemplates":[{"metadata":{"name":"d"},"spec":{}}],"template":{"metadata":{"labels":{"app":"b"}},"spec":{"hostname":"a.b","volumes":[{"name":"z","configMap":{}}],"containers":[{"name":"a","image":"x","volumeMounts":[{"name":"d","mountPath":"/a"},{"name":"e","mountPath":"/a"}]}]}}}})",
         {"spec.podManagementPolicy: Invalid value: \"Foo\": must be 'OrderedReady' or 'Parallel'",
          "spec.updateStrategy: Invalid value: {\"Type\":\"Foo\",\"RollingUpdate\":null}: must be "
          "'RollingUpdate' or 'OnDelete'",
          "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access "
          "mode is required",
          "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
          "spec.serviceName: Invalid value: \"a.b\": must not contain dots",
          "spec.selector: Required value",
          "spec.template.metadata.labels: Invalid value: {\"app\":\"b\"}: `selector` does not "
          "match template `labels`",
          "spec.template.spec.volumes[1].configMap.name: Required value",
          "spec.template.spec.containers[0].volumeMounts[1].name: Not found: \"e\"",
          "spec.template.spec.containers[0].volumeMounts[1].mountPath: Invalid value: \"/a\": "
          "must be unique"}},
        {"/apis/apps/v1/namespaces/t/statefulsets",
         R"({"metadata":{"name":"a.b"},"spec":{"updateStrategy":{"type":"OnDelete","rollingUpdate":{"partition":1}},"selector":{"matchLabels":{"a":"b"}},"persistentVolumeClaimRetentionPolicy":{"whenScaled":"X"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"x"}]}}}})",
         {"metadata.name: Invalid value: \"a.b\": must not contain dots",
          "spec.updateStrategy.rollingUpdate: Invalid value: "
          "{\"Partition\":1,\"MaxUnavailable\":null}: only allowed for updateStrategy "
          "'RollingUpdate'",
          "spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: \"X\": "
          "supported values: \"Retain\", \"Delete\""}},
        {"/api/v1/namespaces/t/replicationcontrollers",
         R"({"metadata":{"name":"a"},"spec":{"replicas":-1,"selector":{"a":"b"},"template":{"metadata":{"labels":{"c":"d"}},"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"x"}]}}}})",
         {"spec.template.metadata.labels: Invalid value: {\"c\":\"d\"}: `selector` does not match "
          "template `labels`",
          "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: "
          "\"Always\"",
          "spec.replicas: Invalid value: -1: must be greater than or equal to 0"}},
        {"/api/v1/namespaces/t/replicationcontrollers",
         R"({"metadata":{"name":"a"},"spec":{"minReadySeconds":-1}})",
         {"spec.selector: Required value", "spec.template: Required value",
          "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"}},
        {"/apis/batch/v1/namespaces/t/jobs",
         R"({"metadata":{"name":"a"},"spec":{"template":{"spec":{"containers":[{"name":"a","image":"x"}]}}}})",
         {"spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
          "\"Never\""}},
        {"/apis/batch/v1/namespaces/t/jobs",
         R"({"metadata":{"name":"a"},"spec":{"parallelism":-1,"backoffLimitPerIndex":1,"completionMode":"X","podReplacementPolicy":"X","managedBy":"x","template":{"spec":{"restartPolicy":"Always","containers":[{"name":"a"}]}}}})",
         {"spec.parallelism: Invalid value: -1: must be greater than or equal to 0",
          "spec.managedBy: Invalid value: \"x\": must be a domain-prefixed path (such as "
          "\"acme.io/foo\")",
          "spec.completionMode: Unsupported value: \"X\": supported values: \"NonIndexed\", "
          "\"Indexed\"",
          "spec.podReplacementPolicy: Unsupported value: \"X\": supported values: \"Failed\", "
          "\"TerminatingOrFailed\"",
          "spec.template.spec.containers[0].image: Required value",
          "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
          "\"Never\""}},
        {"/apis/batch/v1/namespaces/t/jobs",
         R"({"metadata":{"name":"a"},"spec":{"completionMode":"Indexed","maxFailedIndexes":5,"successPolicy":{"rules":[{}]},"podFailurePolicy":{"rules":[{"action":"Foo"},{"onExitCodes":{"operator":"In","values":[0,2,1],"containerName":"z"},"action":"Ignore"}]},"template":{"spec":{"restartPolicy":"OnFailure","containers":[{"name":"a","image":"x"}]}}}})",
         {"spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
          "spec.maxFailedIndexes: Invalid value: 5: must be less than or equal to completions",
          "spec.podFailurePolicy.rules[0].action: Unsupported value: \"Foo\": supported values: "
          "\"Count\", \"FailIndex\", \"FailJob\", \"Ignore\"",
          "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and "
          "OnPodConditions is required",
          "spec.podFailurePolicy.rules[1].onExitCodes.containerName: Invalid value: \"z\": must "
          "be one of the container or initContainer names in the pod template",
          "spec.podFailurePolicy.rules[1].onExitCodes.values[0]: Invalid value: 0: must not be "
          "0 for the In operator",
          "spec.podFailurePolicy.rules[1].onExitCodes.values: Invalid value: [0,2,1]: must be "
          "ordered",
          "spec.successPolicy.rules[0]: Required value: at least one of succeededCount or "
          "succeededIndexes must be specified",
          "spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" is "
          "supported when podFailurePolicy is specified"}},
        {"/apis/batch/v1/namespaces/t/jobs",
         R"({"metadata":{"name":"a"},"spec":{"manualSelector":true,"selector":{"matchLabels":{"a":"b"}},"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"x"}]}}}})",
         {"spec.template.metadata.labels: Invalid value: null: `selector` does not match "
          "template `labels`"}},
        {"/apis/batch/v1/namespaces/t/cronjobs",
         R"({"metadata":{"name":"a"},"spec":{"schedule":"* * * *","concurrencyPolicy":"X","timeZone":"Foo Bar","startingDeadlineSeconds":-1,"jobTemplate":{"spec":{"template":{"spec":{"containers":[{"name":"a","image":"x"}]}}}}}})",
         {"spec.schedule: Invalid value: \"* * * *\": expected exactly 5 fields, found 4: [* * * "
          "*]",
          "spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
          "spec.timeZone: Invalid value: \"Foo Bar\": unknown time zone Foo Bar",
          "spec.concurrencyPolicy: Unsupported value: \"X\": supported values: \"Allow\", "
          "\"Forbid\", \"Replace\"",
          "spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "
          "\"OnFailure\", \"Never\""}},
        {"/apis/batch/v1/namespaces/t/cronjobs",
         R"({"metadata":{"name":"a2345678901234567890123456789012345678901234567890123"},"spec":{"timeZone":"local","jobTemplate":{"spec":{"selector":{"matchLabels":{"a":"b"}},"manualSelector":true,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"a","image":"x"}]}}}}}})",
         {"spec.timeZone: Invalid value: \"local\": timeZone must be an explicit time zone as "
          "defined in https://www.iana.org/time-zones",
          "spec.timeZone: Invalid value: \"local\": unknown time zone local",
          "spec.jobTemplate.spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"b\"}}: "
          "`selector` will be auto-generated",
          "spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "
          "\"nil\", \"false\"",
          "metadata.name: Invalid value: \"a2345678901234567890123456789012345678901234567890123"
          "\": must be no more than 52 characters",
          "spec.schedule: Required value"}},

};

INSTANTIATE_TEST_SUITE_P(Pods, Refusals, ::testing::ValuesIn(kPodRefusals), name_of);

}  // namespace
}  // namespace kube::apiserver::test
