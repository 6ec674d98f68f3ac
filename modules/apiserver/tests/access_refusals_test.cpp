// SPDX-License-Identifier: Apache-2.0
//
// What services, ingresses, roles, autoscalers and admission are refused for. The errors were
// recorded from kube-apiserver 1.37.1.
#include "refusal_fixture.hpp"

namespace kube::apiserver::test {
namespace {

const std::vector<Refusal> kAccessRefusals = {
    {"/api/v1/namespaces/t/services",
     R"({"metadata":{"name":"a"},"spec":{"ports":[{"port":80},{"port":80},{"name":"a.b","port":0,"targetPort":"a--b","protocol":"X"}],"sessionAffinity":"Foo","type":"Foo"}})",
     {"spec.ports[0].name: Required value", "spec.ports[1].name: Required value",
      "spec.ports[2].name: Invalid value: \"a.b\": must not contain dots",
      "spec.ports[2].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      "spec.ports[2].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", "
      "\"UDP\"",
      "spec.ports[2].targetPort: Invalid value: \"a--b\": must not contain consecutive "
      "hyphens",
      "spec.sessionAffinity: Unsupported value: \"Foo\": supported values: \"ClientIP\", \"None\"",
      "spec.type: Unsupported value: \"Foo\": supported values: \"ClusterIP\", \"ExternalName\", "
      "\"LoadBalancer\", \"NodePort\"",
      "spec.ports[1]: Duplicate value: "
      "{\"Name\":\"\",\"Protocol\":\"TCP\",\"AppProtocol\":null,\"Port"
      "\":80,\"TargetPort\":0,\"NodePort\":0}"}},
    {"/api/v1/namespaces/t/services",
     R"({"metadata":{"name":"a"},"spec":{"ports":[{"port":80,"nodePort":30000}],"clusterIP":"None"}})",
     {"spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"}},
    {"/api/v1/namespaces/t/services",
     R"({"metadata":{"name":"a"},"spec":{"ports":[{"port":80,"name":"a"}],"clusterIP":"None","type":"NodePort"}})",
     {"spec.clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort "
      "services"}},
    {"/api/v1/namespaces/t/services",
     R"({"metadata":{"name":"a"},"spec":{"type":"ExternalName","clusterIP":"None","externalName":"","ports":[{"port":80}],"externalTrafficPolicy":"Foo","internalTrafficPolicy":"Foo","externalIPs":["127.0.0.1","01.2.3.4"],"loadBalancerSourceRanges":["x"],"loadBalancerClass":"x","healthCheckNodePort":1,"allocateLoadBalancerNodePorts":true}})",
     {"spec.clusterIPs: Forbidden: may not be set for ExternalName services",
      "spec.externalName: Required value",
      "spec.externalIPs[0]: Invalid value: \"127.0.0.1\": may not be in the loopback range "
      "(127.0.0.0/8, ::1/128)",
      "spec.externalIPs[1]: Invalid value: \"01.2.3.4\": must not have leading 0s",
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is "
      "'LoadBalancer'",
      "spec.LoadBalancerSourceRanges[0]: Invalid value: \"x\": must be a valid CIDR value, "
      "(e.g. 10.9.8.0/24 or 2001:db8::/64)",
      "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is "
      "'LoadBalancer'",
      "spec.loadBalancerClass: Forbidden: may only be used when `type` is 'LoadBalancer'",
      "spec.externalTrafficPolicy: Invalid value: \"Foo\": may only be set for "
      "externally-accessible services",
      "spec.healthCheckNodePort: Invalid value: 1: may only be set when `type` is "
      "'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      "spec.internalTrafficPolicy: Unsupported value: \"Foo\": supported values: \"Cluster\", "
      "\"Local\""}},
    {"/api/v1/namespaces/t/services",
     R"({"metadata":{"name":"a"},"spec":{"clusterIP":"1.2.3.x","ports":[{"port":80}],"ipFamilies":["Foo"],"ipFamilyPolicy":"Foo","trafficDistribution":"X"}})",
     {"spec.ipFamilies[0]: Unsupported value: \"Foo\": supported values: \"IPv4\", \"IPv6\"",
      "spec.ipFamilyPolicy: Unsupported value: \"Foo\": supported values: \"PreferDualStack\", "
      "\"RequireDualStack\", \"SingleStack\"",
      "spec.clusterIPs[0]: Invalid value: \"1.2.3.x\": must be a valid IP address, (e.g. "
      "10.9.8.7 or 2001:db8::ffff)"}},
    {"/apis/networking.k8s.io/v1/namespaces/t/ingresses",
     R"({"metadata":{"name":"a"},"spec":{}})",
     {"spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"}},
    {"/apis/networking.k8s.io/v1/namespaces/t/ingresses",
     R"({"metadata":{"name":"a"},"spec":{"tls":[{"secretName":"a b"}],"rules":[{"host":"1.2.3.4","http":{"paths":[{"path":"a","pathType":"Prefix","backend":{"service":{"name":"a.b"}}},{"backend":{}},{"pathType":"Foo","path":"a","backend":{}},{"pathType":"Exact","path":"/a//b","backend":{"service":{"name":"a","port":{"name":"a","number":1}}}}]}},{"http":{}}]}})",
     {"spec.rules[0].host: Invalid value: \"1.2.3.4\": must be a DNS name, not an IP address",
      "spec.rules[0].http.paths[0].path: Invalid value: \"a\": must be an absolute path",
      "spec.rules[0].http.paths[0].backend.service.name: Invalid value: \"a.b\": must not "
      "contain dots",
      "spec.rules[0].http.paths[0].backend: Required value: port name or number is required",
      "spec.rules[0].http.paths[1].pathType: Required value: pathType must be specified",
      "spec.rules[0].http.paths[2].pathType: Unsupported value: \"Foo\": supported values: "
      "\"Exact\", \"ImplementationSpecific\", \"Prefix\"",
      "spec.rules[0].http.paths[2].backend: Invalid value: \"\": resource or service backend "
      "is required",
      "spec.rules[0].http.paths[3].path: Invalid value: \"/a//b\": must not contain '//'",
      "spec.rules[0].http.paths[3].backend: Invalid value: \"\": cannot set both port name & "
      "port number",
      "spec.rules[1].http.paths: Required value",
      "spec.tls[0].secretName: Invalid value: \"a b\": a lowercase RFC 1123 subdomain must "
      "consist of lower case alphanumeric characters, '-' or '.', and must start and end "
      "with an alphanumeric character (e.g. 'example.com', regex used for validation is "
      "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"}},
    {"/apis/networking.k8s.io/v1/ingressclasses",
     R"({"metadata":{"name":"a"},"spec":{"controller":"a","parameters":{"kind":"","name":"","scope":"Foo"}}})",
     {"spec.controller: Invalid value: \"a\": must be a domain-prefixed path (such as "
      "\"acme.io/foo\")",
      "spec.parameters.scope: Unsupported value: \"Foo\": supported values: \"Cluster\", "
      "\"Namespace\"",
      "spec.parameters.kind: Required value", "spec.parameters.name: Required value"}},
    {"/apis/networking.k8s.io/v1/namespaces/t/networkpolicies",
     R"({"metadata":{"name":"a"},"spec":{"podSelector":{"matchExpressions":[{"key":"a","operator":"Foo"}]},"policyTypes":["Foo"],"ingress":[{"ports":[{"port":0,"protocol":"X"},{"endPort":5}],"from":[{},{"ipBlock":{"cidr":"10.0.0.1/8","except":["11.0.0.0/8"]},"podSelector":{}},{"ipBlock":{}}]}]}})",
     {"spec.podSelector.matchExpressions[0].operator: Invalid value: \"Foo\": not a valid "
      "selector operator",
      "spec.ingress[0].ports[0].protocol: Unsupported value: \"X\": supported values: \"TCP\", "
      "\"UDP\", \"SCTP\"",
      "spec.ingress[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, "
      "inclusive",
      "spec.ingress[0].ports[1].endPort: Invalid value: 5: may not be specified when "
      "`port` is not specified",
      "spec.ingress[0].from[0]: Required value: must specify a peer",
      "spec.ingress[0].from[1].ipBlock.cidr: Invalid value: \"10.0.0.1/8\": must not have "
      "bits set beyond the prefix length",
      "spec.ingress[0].from[1].ipBlock.except[0]: Invalid value: \"11.0.0.0/8\": must be a "
      "strict subset of `cidr`",
      "spec.ingress[0].from[1]: Forbidden: may not specify both ipBlock and another peer",
      "spec.policyTypes[0]: Unsupported value: \"Foo\": supported values: \"Ingress\", \"Egress\"",
      "spec.ingress[0].from[2].ipBlock.cidr: Required value"}},
    {"/apis/rbac.authorization.k8s.io/v1/clusterroles",
     R"({"metadata":{"name":"a"},"rules":[{"resources":["a"]},{"nonResourceURLs":["/a"],"apiGroups":[""],"verbs":["get"]}]})",
     {"rules[0].apiGroups: Required value: resource rules must supply at least one api "
      "group",
      "rules[1].nonResourceURLs: Invalid value: [\"/a\"]: rules cannot apply to both regular "
      "resources and non-resource URLs",
      "rules[0].verbs: Required value"}},
    {"/apis/rbac.authorization.k8s.io/v1/namespaces/t/roles",
     R"({"metadata":{"name":"a"},"rules":[{"nonResourceURLs":["/a"],"verbs":["get"]}]})",
     {"rules[0].nonResourceURLs: Invalid value: [\"/a\"]: namespaced rules cannot apply to "
      "non-resource URLs"}},
    {"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
     R"({"metadata":{"name":"a"},"roleRef":{"kind":"Role","name":"","apiGroup":"x"},"subjects":[{"kind":"ServiceAccount","name":"a"},{"kind":"Foo","name":""},{"kind":"User","name":"a","apiGroup":"x"}]})",
     {"roleRef.apiGroup: Unsupported value: \"x\": supported values: "
      "\"rbac.authorization.k8s.io\"",
      "roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\"",
      "subjects[0].namespace: Required value",
      "subjects[1].kind: Unsupported value: \"Foo\": supported values: \"ServiceAccount\", "
      "\"User\", \"Group\"",
      "subjects[2].apiGroup: Unsupported value: \"x\": supported values: "
      "\"rbac.authorization.k8s.io\"",
      "subjects[1].name: Required value", "roleRef.name: Required value"}},
    {"/apis/rbac.authorization.k8s.io/v1/namespaces/t/rolebindings",
     R"({"metadata":{"name":"a"},"roleRef":{"kind":"Foo","name":"a","apiGroup":"rbac.authorization.k8s.io"},"subjects":[{"kind":"ServiceAccount","name":"a","apiGroup":"x"}]})",
     {"roleRef.kind: Unsupported value: \"Foo\": supported values: \"Role\", \"ClusterRole\"",
      "subjects[0].apiGroup: Unsupported value: \"x\": supported values: \"\""}},
    {"/apis/autoscaling/v2/namespaces/t/horizontalpodautoscalers",
     R"({"metadata":{"name":"a"},"spec":{"minReplicas":3,"scaleTargetRef":{"kind":"a"},"metrics":[{"type":"Foo"},{"type":"Resource","pods":{"metric":{},"target":{}}}]}})",
     {"spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
      "spec.scaleTargetRef.name: Required value",
      "spec.scaleTargetRef.apiVersion: Invalid value: \"\": apiVersion must specify API group",
      "spec.metrics[0].type: Unsupported value: \"Foo\": supported values: "
      "\"ContainerResource\", \"External\", \"Object\", \"Pods\", \"Resource\"",
      "spec.metrics[1].pods.metric.name: Required value: must specify a metric name",
      "spec.metrics[1].pods.target.type: Required value: must specify a metric target type",
      "spec.metrics[1].pods.target.type: Invalid value: \"\": must be either Utilization, "
      "Value, or AverageValue",
      "spec.metrics[1].pods.target.averageValue: Required value: must specify a positive "
      "target averageValue",
      "spec.metrics[1].resource: Required value: must populate information for the given "
      "metric source",
      "spec.maxReplicas: Required value"}},
    {"/apis/autoscaling/v2/namespaces/t/horizontalpodautoscalers",
     R"({"metadata":{"name":"a"},"spec":{"maxReplicas":2,"minReplicas":0,"scaleTargetRef":{"kind":"ReplicationController","name":"x","apiVersion":"v1"},"behavior":{"scaleUp":{"policies":[{"type":"x"}],"selectPolicy":"Foo"}},"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":0}}}]}})",
     {"spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be "
      "greater than 0",
      "spec.metrics: Forbidden: must specify at least one Object or External metric to "
      "support scaling to zero replicas",
      "spec.behavior.scaleUp.selectPolicy: Unsupported value: \"Foo\": supported values: "
      "\"Disabled\", \"Max\", \"Min\"",
      "spec.behavior.scaleUp.policies[0].type: Unsupported value: \"x\": supported values: "
      "\"Percent\", \"Pods\"",
      "spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero",
      "spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 0: must be greater "
      "than zero"}},
    {"/apis/autoscaling/v1/namespaces/t/horizontalpodautoscalers",
     R"({"metadata":{"name":"a"},"spec":{"maxReplicas":0,"scaleTargetRef":{"kind":"Deployment","name":"x","apiVersion":"apps/v1"},"targetCPUUtilizationPercentage":-1}})",
     {"spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
      "spec.metrics[0].resource.target.averageUtilization: Invalid value: -1: must be "
      "greater than 0",
      "spec.maxReplicas: Required value"}},
    {"/apis/policy/v1/namespaces/t/poddisruptionbudgets",
     R"({"metadata":{"name":"a"},"spec":{"minAvailable":1,"maxUnavailable":"101%","selector":{"matchLabels":{"b":"c","a":"b"}}}})",
     {"spec: Invalid value: "
      "{\"MinAvailable\":1,\"Selector\":{\"matchLabels\":{\"a\":\"b\",\"b\":\"c\"}},"
      "\"MaxUnavailable\":\"101%\",\"UnhealthyPodEvictionPolicy\":null}: minAvailable and "
      "maxUnavailable cannot be both set",
      "spec.maxUnavailable: Invalid value: \"101%\": must not be greater than 100%"}},
    {"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
     R"({"metadata":{"name":"a"},"webhooks":[{"name":"a","clientConfig":{},"rules":[{}]},{"name":"a.b.c","clientConfig":{"url":"http://u@a?x#y"},"sideEffects":"Some","admissionReviewVersions":["v2"],"timeoutSeconds":31,"rules":[{"operations":["*","X"],"apiGroups":[""],"apiVersions":[""],"resources":["*","a"]}]},{"name":"a.b.c","sideEffects":"None","admissionReviewVersions":["v1","v1"],"clientConfig":{"service":{"name":"a","path":"a//b"}}}]})",
     {"webhooks[0].name: Invalid value: \"a\": should be a domain with at least three "
      "segments separated by dots",
      "webhooks[0].rules[0].operations: Required value",
      "webhooks[0].rules[0].apiGroups: Required value",
      "webhooks[0].rules[0].apiVersions: Required value",
      "webhooks[0].rules[0].resources: Required value",
      "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun",
      "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
      "webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1",
      "webhooks[1].rules[0].operations: Invalid value: [\"*\",\"X\"]: if '*' is present, must "
      "not specify other operations",
      "webhooks[1].rules[0].operations[1]: Unsupported value: \"X\": supported values: \"*\", "
      "\"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"",
      "webhooks[1].rules[0].apiVersions[0]: Required value",
      "webhooks[1].rules[0].resources: Invalid value: [\"*\",\"a\"]: if '*' is present, must "
      "not specify other resources without subresources",
      "webhooks[1].sideEffects: Unsupported value: \"Some\": supported values: \"None\", "
      "\"NoneOnDryRun\"",
      "webhooks[1].timeoutSeconds: Invalid value: 31: the timeout value must be between 1 "
      "and 30 seconds",
      "webhooks[1].clientConfig.url: Invalid value: \"http\": 'https' is the only allowed "
      "URL scheme; desired format: https://host[/path]",
      "webhooks[1].clientConfig.url: Invalid value: \"u\": user information is not permitted "
      "in the URL",
      "webhooks[1].clientConfig.url: Invalid value: \"y\": fragments are not permitted in "
      "the URL",
      "webhooks[1].clientConfig.url: Invalid value: \"x\": query parameters are not "
      "permitted in the URL",
      "webhooks[1].admissionReviewVersions: Invalid value: [\"v2\"]: must include at least "
      "one of v1, v1beta1",
      "webhooks[2].clientConfig.service.name: Required value",
      "webhooks[2].clientConfig.service.path: Invalid value: \"a//b\": must start with a '/'",
      "webhooks[2].clientConfig.service.path: Invalid value: \"a//b\": segment[0] may not be "
      "empty",
      "webhooks[2].clientConfig.service.path: Invalid value: \"a//b\": segment[1] may not be "
      "empty",
      "webhooks[2].admissionReviewVersions[1]: Invalid value: \"v1\": duplicate version",
      "webhooks[2].name: Duplicate value: \"a.b.c\""}},
    {"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
     R"({"metadata":{"name":"a"},"webhooks":[{"name":"a.b.c","reinvocationPolicy":"X","sideEffects":"None","admissionReviewVersions":["v1"],"clientConfig":{"url":"https://a","service":{"name":"a","namespace":"b"}},"matchConditions":[{}]}]})",
     {"webhooks[0].reinvocationPolicy: Unsupported value: \"X\": supported values: "
      "\"IfNeeded\", \"Never\"",
      "webhooks[0].clientConfig: Required value: exactly one of url or service is required",
      "webhooks[0].matchConditions[0].expression: Required value",
      "webhooks[0].matchConditions[0].name: Required value"}},
    {"/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
     R"({"metadata":{"name":"a"},"spec":{"failurePolicy":"Foo","paramKind":{},"matchConstraints":{"resourceRules":[{}]},"validations":[{}],"variables":[{"name":"a b","expression":"1"}]}})",
     {"spec.failurePolicy: Unsupported value: \"Foo\": supported values: \"Fail\", \"Ignore\"",
      "spec.paramKind.apiVersion: Required value", "spec.paramKind.kind: Required value",
      "spec.matchConstraints.resourceRules[0].operations: Required value",
      "spec.matchConstraints.resourceRules[0].apiGroups: Required value",
      "spec.matchConstraints.resourceRules[0].apiVersions: Required value",
      "spec.matchConstraints.resourceRules[0].resources: Required value",
      "spec.variables[0].name: Invalid value: \"a b\": must be a valid CEL identifier",
      "spec.validations[0].expression: Required value: expression is not specified"}},
    {"/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
     R"({"metadata":{"name":"a"},"spec":{}})",
     {"spec.matchConstraints: Required value",
      "spec.validations: Required value: validations or auditAnnotations must contain at "
      "least one item",
      "spec.auditAnnotations: Required value: validations or auditAnnotations must contain "
      "at least one item"}},
    {"/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
     R"({"metadata":{"name":"a"},"spec":{"paramRef":{},"validationActions":["Foo","Deny","Warn"]}})",
     {"spec.paramRef: Required value: one of name or selector must be specified",
      "spec.paramRef.parameterNotFoundAction: Required value",
      "spec.validationActions[0]: Unsupported value: \"Foo\": supported values: \"Audit\", "
      "\"Deny\", \"Warn\"",
      "spec.validationActions: Invalid value: [\"Foo\",\"Deny\",\"Warn\"]: must not contain both "
      "Deny and Warn (repeating the same validation failure information in the API "
      "response and headers serves no purpose)",
      "spec.policyName: Required value"}},
    {"/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies",
     R"({"metadata":{"name":"a"},"spec":{"reinvocationPolicy":"Never","mutations":[{},{"patchType":"JSONPatch"}]}})",
     {"spec.matchConstraints: Required value", "spec.mutations[0].patchType: Required value",
      "spec.mutations[1].jsonPatch: Required value: must be specified when patchType is "
      "JSONPatch"}},
};

INSTANTIATE_TEST_SUITE_P(Access, Refusals, ::testing::ValuesIn(kAccessRefusals), name_of);

class MutatingPolicies : public ServerTest {};

TEST_F(MutatingPolicies, DoNotChangeWhatIsDeleted) {
  const std::string group = "/apis/admissionregistration.k8s.io/v1/";
  const std::string rules =
      R"({"resourceRules":[{"operations":["CREATE","DELETE"],"apiGroups":[""],
          "apiVersions":["v1"],"resources":["pods"]}]})";
  const std::string why =
      ".resourceRules.operations: Unsupported value: \"DELETE\": supported values: \"*\", "
      "\"CONNECT\", \"CREATE\", \"UPDATE\"";
  EXPECT_THAT(errors_of(post(group + "mutatingadmissionpolicies",
                             R"({"metadata":{"name":"a"},"spec":{"reinvocationPolicy":"Never",
                                 "matchConstraints":)" +
                                 rules + "}}")),
              ::testing::ElementsAre(
                  "spec.matchConstraints" + why,
                  "spec.mutations: Required value: mutations must contain at least one item"));
  EXPECT_THAT(
      errors_of(post(
          group + "mutatingadmissionpolicybindings",
          R"({"metadata":{"name":"a"},"spec":{"policyName":"p","matchResources":)" + rules + "}}")),
      ::testing::ElementsAre("spec.matchResources" + why));
}

}  // namespace
}  // namespace kube::apiserver::test
