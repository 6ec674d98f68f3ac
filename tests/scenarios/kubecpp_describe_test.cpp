// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp describe` beside `kubectl describe`: the same objects, the whole output.
#include <regex>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "kubecpp_scenario.hpp"

namespace scenarios {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class KubecppDescribeScenario : public KubecppScenario {
 protected:
  // Ages of less than two minutes may be another second in the second run.
  static std::string without_ages(const std::string& text) {
    static const std::regex age("\\b[0-9]{1,3}s\\b");
    return std::regex_replace(text, age, "<age>");
  }
  // Both end alike and print the same.
  void expect_the_same(Arguments arguments) const {
    SCOPED_TRACE(::testing::PrintToString(arguments));
    arguments.insert(arguments.begin(), "describe");
    const auto ours = kubecpp(arguments);
    EXPECT_NE(ours.out + ours.err, "");
    if (!on_real_server()) return;  // an older kubectl prints other things
    const auto theirs = kubectl(arguments);
    EXPECT_EQ(without_ages(ours.out), without_ages(theirs.out));
    EXPECT_EQ(ours.status, theirs.status);
    const auto words = [](const std::string& err) {
      return err.starts_with("kubecpp: ") ? "error: " + err.substr(9) : err;
    };
    EXPECT_EQ(words(ours.err), words(theirs.err));
  }
  std::string uid_of(const std::string& resource, const std::string& name) const {
    return kubecpp_prints({"get", resource, name, "-o", "jsonpath={.metadata.uid}"});
  }
  void set_status(const std::string& resource, const std::string& name,
                  const std::string& status) const {
    if (!on_real_server()) return;
    kubectl_prints({"patch", resource, name, "--subresource=status", "--type=merge", "-p",
                    R"({"status":)" + status + "}"});
  }
  void add_events(const std::string& kind, const std::string& name, const std::string& uid) const {
    const std::string about = "involvedObject: {kind: " + kind + ", namespace: " + namespace_ +
                              ", name: " + name + ", uid: " + uid + "}\n";
    create("apiVersion: v1\nkind: Event\nmetadata: {name: " + name + ".first}\n" + about +
           "type: Normal\nreason: Scheduled\nmessage: \" It has a place. \"\n"
           "firstTimestamp: 2020-01-02T03:04:05Z\nlastTimestamp: 2020-01-02T03:04:05Z\n"
           "source: {component: scheduler}\n---\n"
           "apiVersion: v1\nkind: Event\nmetadata: {name: " +
           name + ".again}\n" + about +
           "type: Warning\nreason: BackOff\nmessage: again and again\ncount: 12\n"
           "firstTimestamp: 2019-01-02T03:04:05Z\nlastTimestamp: 2019-06-02T03:04:05Z\n"
           "source: {component: kubelet}\n");
  }
};

const char* const kPod = R"(apiVersion: v1
kind: Pod
metadata:
  name: web-1
  labels: {app: web, tier: front}
  annotations: {note: short, long: "a text of several lines\nwhich is shown below\n"}
spec:
  automountServiceAccountToken: false
  priority: 0
  nodeSelector: {disk: ssd}
  tolerations:
  - {key: a, operator: Exists, effect: NoSchedule, tolerationSeconds: null}
  - {key: b, value: c, effect: NoExecute, tolerationSeconds: 30}
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
  initContainers:
  - {name: prepare, image: "init:1", command: [sh, -c, "one\ntwo"]}
  containers:
  - name: main
    image: main:2
    args: [--port, "80"]
    ports: [{containerPort: 80, name: http}, {containerPort: 443}]
    resources: {limits: {cpu: 500m, memory: 64Mi}, requests: {cpu: 250m}}
    livenessProbe: {httpGet: {path: /healthz, port: http}, initialDelaySeconds: 3}
    readinessProbe: {exec: {command: [cat, /ready]}}
    startupProbe: {tcpSocket: {port: 80}}
    envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: keys, optional: true}, prefix: P_}]
    env:
    - {name: PLAIN, value: text}
    - {name: LINES, value: "one\ntwo"}
    - {name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
    - {name: CPU, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}
    - {name: MEMORY, valueFrom: {resourceFieldRef: {resource: requests.memory, divisor: 1Mi}}}
    - {name: KEY, valueFrom: {secretKeyRef: {name: keys, key: k, optional: true}}}
    - {name: SETTING, valueFrom: {configMapKeyRef: {name: settings, key: s}}}
    volumeMounts: [{name: data, mountPath: /z}, {name: keys, mountPath: /a, readOnly: true, subPath: p}]
  - {name: side, image: "side:3", securityContext: {seccompProfile: {type: RuntimeDefault}}}
  volumes:
  - {name: data, emptyDir: {}}
  - {name: keys, secret: {secretName: keys}}
  - {name: settings, configMap: {name: settings, optional: true}}
  - {name: claim, persistentVolumeClaim: {claimName: c, readOnly: true}}
  - {name: host, hostPath: {path: /var}}
  - {name: down, downwardAPI: {items: [{path: labels, fieldRef: {fieldPath: metadata.labels}}]}}
  - {name: all, projected: {sources: [{secret: {name: keys}}, {configMap: {name: settings}}]}}
  - {name: net, nfs: {server: s, path: /p}}
  - {name: driver, csi: {driver: d.example.com, volumeAttributes: {b: "2", a: "1"}}}
)";

const char* const kRunning = R"({"phase":"Running","hostIP":"10.0.0.1","podIP":"10.1.0.7",
"podIPs":[{"ip":"10.1.0.7"}],"hostIPs":[{"ip":"10.0.0.1"}],"startTime":"2024-02-03T04:05:06Z",
"conditions":[{"type":"Ready","status":"False"},{"type":"PodScheduled","status":"True"}],
"containerStatuses":[{"name":"main","image":"main:2","imageID":"sha:1","containerID":"cri://1","ready":true,
"restartCount":2,"state":{"running":{"startedAt":"2024-02-03T04:05:07Z"}},
"lastState":{"terminated":{"exitCode":137,"reason":"OOMKilled","startedAt":"2024-02-03T04:05:07Z","finishedAt":"2024-02-03T04:06:07Z"}}},
{"name":"side","image":"side:3","imageID":"","ready":false,"restartCount":0,"state":{"waiting":{"reason":"ImagePullBackOff"}}}]})";

TEST_F(KubecppDescribeScenario, Pods) {
  create(kPod);
  expect_the_same({"pod", "web-1"});
  set_status("pod", "web-1", kRunning);
  add_events("Pod", "web-1", uid_of("pod", "web-1"));
  expect_the_same({"pod/web-1"});
  expect_the_same({"po", "web-1", "--show-events=false"});
  EXPECT_THAT(kubecpp_prints({"describe", "pod", "web-1"}),
              AllOf(StartsWith("Name:"), HasSubstr("  Warning  BackOff"), HasSubstr("(x12 over ")));
}

TEST_F(KubecppDescribeScenario, ConfigMapsAndSecretsWithoutTheirValues) {
  create(
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n"
      "data: {a: plain, b: \"two\\nlines\\n\"}\nbinaryData: {c: AAECAw==}\n---\n"
      "apiVersion: v1\nkind: Secret\nmetadata: {name: keys, labels: {app: web}}\n"
      "type: Opaque\nstringData: {password: hunter2, empty: \"\", one: x, two: xx}\n");
  expect_the_same({"secret", "keys"});
  EXPECT_THAT(kubecpp_prints({"describe", "secret", "keys"}),
              AllOf(HasSubstr("password:  7 bytes"), Not(HasSubstr("hunter2")),
                    Not(HasSubstr("aHVudGVyMg"))));
  const std::string map = kubecpp_prints({"describe", "configmap", "settings"});
  EXPECT_THAT(map, AllOf(HasSubstr("b:\n----\ntwo\nlines\n"), HasSubstr("Events:  <none>")));
  if (on_real_server()) {
    EXPECT_EQ(map, kubectl_prints({"describe", "configmap", "settings"}));
  }
}

TEST_F(KubecppDescribeScenario, Services) {
  create(
      "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n"
      "  selector: {app: web, tier: front}\n  ports:\n"
      "  - {name: http, port: 80, targetPort: http}\n  - {name: tls, port: 443}\n---\n"
      "apiVersion: v1\nkind: Service\nmetadata: {name: out}\n"
      "spec: {type: ExternalName, externalName: example.com}\n---\n"
      "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {name: web-x, labels: "
      "{kubernetes.io/service-name: web}}\naddressType: IPv4\n"
      "ports: [{name: http, port: 8080, protocol: TCP}]\nendpoints:\n"
      "- {addresses: [10.1.0.1], conditions: {ready: true}}\n"
      "- {addresses: [10.1.0.2], conditions: {ready: false}}\n"
      "- {addresses: [10.1.0.3]}\n- {addresses: [10.1.0.4]}\n- {addresses: [10.1.0.5]}\n");
  expect_the_same({"svc", "web"});
  expect_the_same({"svc", "out"});
  EXPECT_THAT(kubecpp_prints({"describe", "svc", "web"}),
              HasSubstr("10.1.0.1:8080,10.1.0.3:8080,10.1.0.4:8080 + 1 more..."));
}

TEST_F(KubecppDescribeScenario, Deployments) {
  const std::string pods =
      "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web "
      "HASH}}\n"
      "    spec:\n      nodeSelector: {disk: ssd}\n      containers:\n"
      "      - {name: main, image: \"IMAGE\", ports: [{containerPort: 80}]}\n"
      "      volumes: [{name: data, emptyDir: {medium: Memory, sizeLimit: 1Gi}}]\n";
  const auto with = [&pods](const std::string& hash, const std::string& image) {
    return std::regex_replace(std::regex_replace(pods, std::regex(" HASH"), hash),
                              std::regex("IMAGE"), image);
  };
  create("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 3\n" +
         with("", "main:2"));
  const std::string owner =
      ", ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, controller: true, "
      "uid: " +
      uid_of("deployment", "web") + "}]}\nspec:\n  replicas: 1\n";
  create("apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web-old, labels: {app: web}" +
         owner + with(", pod-template-hash: old", "main:1") +
         "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web-new, labels: {app: "
         "web}" +
         owner + with(", pod-template-hash: new", "main:2"));
  set_status("deployment", "web",
             R"({"replicas":3,"updatedReplicas":2,"unavailableReplicas":1,"availableReplicas":2,
             "readyReplicas":2,"conditions":[{"type":"Available","status":"True","reason":"Enough"}]})");
  add_events("Deployment", "web", uid_of("deployment", "web"));
  expect_the_same({"deployment", "web"});
  EXPECT_THAT(kubecpp_prints({"describe", "deploy", "web"}),
              AllOf(HasSubstr(" web-old (0/1 replicas created)\nNewReplicaSet: "),
                    HasSubstr(" web-new (0/1 replicas created)\nEvents:\n")));
}

TEST_F(KubecppDescribeScenario, NodesAndNamespaces) {
  const std::string node = namespace_ + "-node";
  create("apiVersion: v1\nkind: Node\nmetadata: {name: " + node +
         ", labels: {node-role.kubernetes.io/worker: \"\"}}\nspec:\n  podCIDR: 10.9.0.0/24\n"
         "  podCIDRs: [10.9.0.0/24]\n"
         "  taints: [{key: z, effect: NoSchedule}, {key: a, value: b, effect: NoExecute}]\n");
  set_status("node", node,
             R"({"capacity":{"cpu":"4","memory":"8Gi","pods":"110","example.com/gpu":"2"},
             "addresses":[{"type":"InternalIP","address":"10.0.0.1"}],
             "nodeInfo":{"architecture":"amd64","osImage":"Debian"},
             "conditions":[{"type":"Ready","status":"True","reason":"Well","message":"it is",
             "lastHeartbeatTime":"2024-02-03T04:05:07Z","lastTransitionTime":"2024-02-03T04:05:07Z"}]})");
  create("apiVersion: v1\nkind: Pod\nmetadata: {name: there}\nspec:\n  nodeName: " + node +
         "\n  automountServiceAccountToken: false\n  containers:\n"
         "  - {name: a, image: i, resources: {requests: {cpu: 250m, memory: 1Gi}, limits: {cpu: "
         "1}}}\n  - {name: b, image: i, resources: {requests: {cpu: 100m}}}\n"
         "  initContainers: [{name: c, image: i, resources: {requests: {cpu: \"2\"}}}]\n");
  expect_the_same({"node", node});
  EXPECT_THAT(kubecpp_prints({"describe", "node", node}),
              HasSubstr(on_real_server() ? "2 (50%)" : "2 (0%)"));
  remove("node", node);
  expect_the_same({"namespace", namespace_});
}

TEST_F(KubecppDescribeScenario, OtherObjectsFieldByField) {
  create(
      "apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: held, labels: {a: b}}\n"
      "spec: {holderIdentity: me, leaseDurationSeconds: 30, renewTime: "
      "\"2024-02-03T04:05:07.000000Z\"}\n");
  add_events("Lease", "held", uid_of("lease", "held"));
  expect_the_same({"lease", "held"});
  const std::string group = namespace_ + ".example.com";
  create(
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: "
      "widgets." +
      group + "}\nspec:\n  group: " + group + R"(
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
)");
  ASSERT_TRUE(eventually([&] { return kubecpp({"get", "widgets." + group}).status == 0; }));
  create("apiVersion: " + group + R"(/v1
kind: Widget
metadata: {name: w, annotations: {note: "text"}}
spec: {size: 3, apiURL: u, clusterIPs: [a, b], podUID: p, ratio: 1.5, list: [], empty: {}, none: "", yes: true, nothing: [~], deep: [[1, {b: 2, a: [c]}]], items: [{name: x, on: true}, {name: y}], x-y: z, a_b: c, HTTPServer: s}
)");
  expect_the_same({"widgets." + group, "w"});
  remove("customresourcedefinition", "widgets." + group);
}

TEST_F(KubecppDescribeScenario, SeveralObjectsPrefixesAndWhatDoesNotExist) {
  create(
      "apiVersion: v1\nkind: Secret\nmetadata: {name: red-1, labels: {color: red}}\n---\n"
      "apiVersion: v1\nkind: Secret\nmetadata: {name: red-2, labels: {color: red}}\n---\n"
      "apiVersion: v1\nkind: Secret\nmetadata: {name: blue}\n");
  expect_the_same({"secrets"});
  expect_the_same({"secret", "-l", "color=red", "--chunk-size=1"});
  expect_the_same({"secret", "red"});
  expect_the_same({"secret", "red-1", "blue"});
  expect_the_same({"secret/red-1", "secret/none", "secret/blue"});
  expect_the_same({"secret", "none"});
  expect_the_same({"lease"});
  const std::string file =
      folder_.write("red.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: red-2}\n");
  expect_the_same({"-f", file});
}

}  // namespace
}  // namespace scenarios
