// SPDX-License-Identifier: Apache-2.0
//
// What an update counts, resets and keeps, and what a status may become, as kube-apiserver 1.37.1
// answered.
#include "refusal_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class ChangeRules : public ChangeTest {
 protected:
  // Returns the generation after a change.
  std::int64_t generation(std::string_view target, std::string_view patch) {
    return merge(target, patch).json().int_at({"metadata", "generation"}).value_or(-1);
  }
};

TEST_F(ChangeRules, EmptyListsCountWhereTheServerTellsThemFromNone) {
  const std::string policies = "/apis/networking.k8s.io/v1/namespaces/t/networkpolicies";
  make(policies, R"({"metadata":{"name":"a"},"spec":{"podSelector":{}}})");
  EXPECT_EQ(generation(policies + "/a", R"({"spec":{"egress":[]}})"), 2);
  EXPECT_EQ(generation(policies + "/a", R"({"spec":{"podSelector":{"matchLabels":{}}}})"), 3);
  EXPECT_EQ(generation(policies + "/a", R"({"spec":{"policyTypes":[]}})"), 3) << "has a default";
  EXPECT_EQ(generation(policies + "/a", R"({"metadata":{"annotations":{}}})"), 3);
  EXPECT_EQ(generation(policies + "/a", R"({"spec":{}})"), 3);
  const std::string deployments = "/apis/apps/v1/namespaces/t/deployments";
  make(deployments, R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},
      "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[
      {"name":"c","image":"i"}]}}}})");
  EXPECT_EQ(generation(deployments + "/a", R"({"spec":{"template":{"spec":{"volumes":[]}}}})"), 1);
}

TEST_F(ChangeRules, EmptyPartsOfWebhooksCount) {
  const std::string hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const auto hook = [](std::string_view more) {
    return R"({"webhooks":[{"name":"a.example.com","sideEffects":"None",
        "admissionReviewVersions":["v1"],"clientConfig":{"url":"https://example.com/a")" +
           std::string(more) + "}]}";
  };
  make(hooks, R"({"metadata":{"name":"a"},)" + hook("}").substr(1));
  EXPECT_EQ(generation(hooks + "/a", hook("}")), 1);
  EXPECT_EQ(generation(hooks + "/a", hook(R"(},"rules":[])")), 2);
  EXPECT_EQ(generation(hooks + "/a", hook(R"(,"caBundle":""})")), 3) << "bytes too";
}

TEST_F(ChangeRules, EmptyBytesAreWritten) {
  const std::string services = "/apis/apiregistration.k8s.io/v1/apiservices";
  make(services, R"({"metadata":{"name":"v1.a.io"},"spec":{"group":"a.io","version":"v1",
      "groupPriorityMinimum":1,"versionPriority":1,"insecureSkipTLSVerify":true,
      "service":{"namespace":"t","name":"s"}}})");
  const std::string before = revision();
  EXPECT_EQ(merge(services + "/v1.a.io", R"({"spec":{"version":"v1"}})").status, 200);
  EXPECT_EQ(revision(), before);
  EXPECT_EQ(merge(services + "/v1.a.io", R"({"spec":{"caBundle":""}})").status, 200);
  EXPECT_NE(revision(), before);
}

TEST_F(ChangeRules, TopologiesThatAreDroppedCount) {
  const std::string slices = "/apis/discovery.k8s.io/v1/namespaces/t/endpointslices";
  make(slices, R"({"metadata":{"name":"a"},"addressType":"IPv4",
                   "endpoints":[{"addresses":["10.1.1.1"]}]})");
  EXPECT_EQ(generation(slices + "/a", R"({"endpoints":[{"addresses":["10.1.1.1"]}]})"), 1);
  EXPECT_EQ(generation(slices + "/a", R"({"endpoints":[{"addresses":["10.1.1.1"],
                                          "deprecatedTopology":{"a":"b"}}]})"),
            2);
}

TEST_F(ChangeRules, AnotherEffectDatesATaintAnew) {
  const std::string rules = "/apis/resource.k8s.io/v1/devicetaintrules";
  const std::string old = "2024-01-02T03:04:05Z";
  make(rules, R"({"metadata":{"name":"a"},"spec":{"taint":{"key":"example.com/k",
                  "effect":"NoSchedule","timeAdded":")" +
                  old + R"("}}})");
  const auto time = [&](std::string_view patch) {
    const Answer answer = merge(rules + "/a", patch);
    return text_at_path(answer.json(), {"spec", "taint", "timeAdded"});
  };
  EXPECT_EQ(time(R"({"spec":{"taint":{"value":"v"}}})"), old);
  EXPECT_NE(time(R"({"spec":{"taint":{"effect":"None"}}})"), old);
  EXPECT_EQ(time(R"({"spec":{"taint":{"effect":"NoExecute","timeAdded":")" + old + R"("}}})"), old);
}

TEST_F(ChangeRules, APriorityIsFixedWhateverItIs) {
  const std::string classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
  make(classes, R"({"metadata":{"name":"a"},"value":1})");
  EXPECT_THAT(errors(classes + "/a", R"({"preemptionPolicy":"Wrong"})"),
              ElementsAre("preemptionPolicy: Invalid value: \"Wrong\": field is immutable"));
  EXPECT_THAT(errors_of(post(classes, R"({"metadata":{"name":"b"},"value":1,
                                          "preemptionPolicy":"Wrong"})")),
              ElementsAre(StartsWith("preemptionPolicy: Unsupported value: \"Wrong\"")));
}

TEST_F(ChangeRules, AStorageClassIsFixedFieldByField) {
  const std::string classes = "/apis/storage.k8s.io/v1/storageclasses";
  make(classes, R"({"metadata":{"name":"a"},"provisioner":"a.io/b"})");
  const auto fixed = [](std::string_view field) {
    return std::string(field) + ": Invalid value: null: field is immutable";
  };
  EXPECT_THAT(errors(classes + "/a", R"({"volumeBindingMode":"WaitForFirstConsumer",
                         "provisioner":"c.io/b","reclaimPolicy":"Retain","parameters":{"a":"b"}})"),
              ElementsAre(fixed("provisioner"), fixed("parameters"), fixed("reclaimPolicy"),
                          fixed("volumeBindingMode")));
}

TEST_F(ChangeRules, ATemplateOfClaimsIsReadAgain) {
  const std::string templates = "/apis/resource.k8s.io/v1/namespaces/t/resourceclaimtemplates";
  make(templates, R"({"metadata":{"name":"a"},"spec":{"metadata":{"labels":{"a":"b"}},
      "spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c"}}]}}}})");
  EXPECT_THAT(errors(templates + "/a", R"({"spec":{"metadata":{"generateName":"a"}}})"),
              ElementsAre("spec.metadata.generateName: Forbidden: cannot be set",
                          StartsWith("spec: Invalid value: {")));
  EXPECT_THAT(errors(templates + "/a", R"({"spec":{"spec":{"devices":{"config":[{"opaque":{}}],
                         "requests":[{"name":"r","firstAvailable":[{"name":"s","selectors":[
                         {"cel":{}}],"allocationMode":"Wrong"}]}]}}}})"),
              ElementsAre(StartsWith("spec.spec.devices.requests[0].firstAvailable[0].selectors[0]"
                                     ".cel.expression: Invalid value: \"\": compilation failed"),
                          "spec.spec.devices.config[0].opaque.parameters: Required value",
                          StartsWith("spec: Invalid value: "),
                          "spec.spec.devices.requests[0].firstAvailable[0].deviceClassName: "
                          "Required value",
                          StartsWith("spec.spec.devices.requests[0].firstAvailable[0]"
                                     ".allocationMode: Unsupported value: \"Wrong\""),
                          "spec.spec.devices.config[0].opaque.driver: Required value"));
}

TEST_F(ChangeRules, TheStatusesOfControllersHaveNoNegativeNumbers) {
  const std::string rest = R"("spec":{"selector":{"matchLabels":{"a":"b"}},
      "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[
      {"name":"c","image":"i"}]}}}})";
  const auto negative = [](std::string_view field) {
    return "status." + std::string(field) +
           ": Invalid value: -1: must be greater than or equal to 0";
  };
  const std::string apps = "/apis/apps/v1/namespaces/t/";
  make(apps + "daemonsets", R"({"metadata":{"name":"a"},)" + rest);
  const std::string daemons = apps + "daemonsets/a/status";
  EXPECT_THAT(errors(daemons, R"({"status":{"collisionCount":2}})"), IsEmpty());
  EXPECT_THAT(errors(daemons, R"({"status":{"collisionCount":1,"numberReady":-1,
                                  "observedGeneration":-1,"desiredNumberScheduled":-1}})"),
              ElementsAre(negative("desiredNumberScheduled"), negative("numberReady"),
                          negative("observedGeneration"),
                          "status.collisionCount: Invalid value: 1: cannot be decremented"));
  EXPECT_THAT(errors(daemons, R"({"status":{"collisionCount":null}})"),
              ElementsAre("status.collisionCount: Invalid value: 0: cannot be decremented"));
  make(apps + "replicasets", R"({"metadata":{"name":"a"},)" + rest);
  EXPECT_THAT(errors(apps + "replicasets/a/status", R"({"status":{"terminatingReplicas":-1}})"),
              ElementsAre(negative("terminatingReplicas")));
  const std::string scalers = "/apis/autoscaling/v2/namespaces/t/horizontalpodautoscalers";
  make(scalers, R"({"metadata":{"name":"a"},"spec":{"maxReplicas":3,
                    "scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}})");
  EXPECT_THAT(errors(scalers + "/a/status", R"({"status":{"desiredReplicas":-1}})"),
              ElementsAre(negative("desiredReplicas")));
}

TEST_F(ChangeRules, FeaturesOfANodeDiffer) {
  make("/api/v1/nodes", R"({"metadata":{"name":"a"}})");
  EXPECT_THAT(errors("/api/v1/nodes/a/status", R"({"status":{"declaredFeatures":["A","A"]}})"),
              ElementsAre("status.declaredFeatures[1]: Duplicate value: \"A\""));
}

TEST_F(ChangeRules, ContainersThatHaveEndedStaySo) {
  const auto ended = [](std::string_view state) {
    const std::string rest =
        R"(,"image":"i","imageID":"","ready":false,"restartCount":0,"state":)" +
        std::string(state) + "}]";
    return R"({"status":{"containerStatuses":[{"name":"c")" + rest +
           R"(,"initContainerStatuses":[{"name":"i")" + rest + "}}";
  };
  const auto restarted = [&](std::string_view policy, int code) {
    const std::string item = "/api/v1/namespaces/t/pods/a";
    EXPECT_EQ(post("/api/v1/namespaces/t/pods",
                   pod("a", R"("initContainers":[{"name":"i","image":"i"}],"restartPolicy":")" +
                                std::string(policy) + '"'))
                  .status,
              201);
    EXPECT_THAT(errors(item + "/status",
                       ended(R"({"terminated":{"exitCode":)" + std::to_string(code) + "}}")),
                IsEmpty());
    auto found = errors(item + "/status", ended(R"({"terminated":null,"running":{}})"));
    remove(item, R"({"gracePeriodSeconds":0})");
    return found;
  };
  const auto stays = [](std::string_view list) {
    return "status." + std::string(list) +
           "[0].state: Forbidden: may not be transitioned to non-terminated state";
  };
  EXPECT_THAT(restarted("Never", 1),
              ElementsAre(stays("containerStatuses"), stays("initContainerStatuses")));
  EXPECT_THAT(restarted("OnFailure", 1), IsEmpty());
  EXPECT_THAT(restarted("OnFailure", 0),
              ElementsAre(stays("containerStatuses"), stays("initContainerStatuses")));
  EXPECT_THAT(restarted("Always", 0), IsEmpty());
}

TEST_F(ChangeRules, AClaimOfAStatefulSetHidesAnEmptyDirectory) {
  const std::string sets = "/apis/apps/v1/namespaces/t/statefulsets";
  EXPECT_THAT(
      errors_of(post(sets, R"({"metadata":{"name":"a"},"spec":{"serviceName":"s",
          "selector":{"matchLabels":{"a":"b"}},"volumeClaimTemplates":[{"metadata":{"name":"v"},
          "spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}],
          "template":{"metadata":{"labels":{"a":"b"}},"spec":{"volumes":[
          {"name":"v","emptyDir":{}}],"containers":[{"name":"c","image":"i","env":[{"name":"E",
          "valueFrom":{"fileKeyRef":{"volumeName":"v","path":"p","key":"K"}}}]}]}}}})")),
      ElementsAre("spec.template.spec.containers[0].env[0].valueFrom.fileKeyRef.volumeName: "
                  "Invalid value: \"v\": referenced volume must be of type emptyDir"));
}

TEST_F(ChangeRules, HiddenVolumesAreNotCounted) {
  const std::string sets = "/apis/apps/v1/namespaces/t/statefulsets";
  EXPECT_THAT(
      errors_of(post(sets, R"({"metadata":{"name":"a"},"spec":{"serviceName":"s",
          "selector":{"matchLabels":{"a":"b"}},"volumeClaimTemplates":[{"metadata":{"name":"v"},
          "spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}}],
          "template":{"metadata":{"labels":{"a":"b"}},"spec":{"volumes":[
          {"name":"v","emptyDir":{}},{"name":"w","hostPath":{"path":"../a"}}],
          "containers":[{"name":"c","image":"i"}]}}}})")),
      ElementsAre("spec.template.spec.volumes[1].hostPath.path: Invalid value: \"../a\": must not "
                  "contain '..'"));
}

TEST_F(ChangeRules, NothingToRollBackToIsNotKept) {
  const Answer made = post("/apis/apps/v1/namespaces/t/deployments", R"({"metadata":{"name":"a",
      "annotations":{"deprecated.deployment.rollback.to":""}},"spec":{
      "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.at({"metadata", "annotations"}), "");
}

TEST_F(ChangeRules, TheHandlerOfARuntimeStays) {
  const std::string runtimes = "/apis/node.k8s.io/v1/runtimeclasses";
  make(runtimes, R"({"metadata":{"name":"a"},"handler":"a"})");
  EXPECT_THAT(errors(runtimes + "/a", R"({"handler":"b"})"),
              ElementsAre("handler: Invalid value: null: field is immutable"));
}

TEST_F(ChangeRules, ErrorsOfTwoFieldsAreInTheServersOrder) {
  const std::string group = "/apis/admissionregistration.k8s.io/v1/";
  EXPECT_THAT(errors_of(post(group + "mutatingadmissionpolicybindings",
                             R"({"metadata":{"name":"a"},"spec":{"paramRef":{
                                 "parameterNotFoundAction":"Deny","selector":{"matchExpressions":[
                                 {"key":"k","operator":"In"}]}}}})")),
              ElementsAre("spec.policyName: Required value",
                          StartsWith("spec.paramRef.selector.matchExpressions[0].values: ")));
  EXPECT_THAT(
      errors_of(post("/apis/storage.k8s.io/v1/volumeattachments",
                     R"({"metadata":{"name":"a"},"spec":{"attacher":"d.io","nodeName":"n","source":{
                         "persistentVolumeName":"","inlineVolumeSpec":{"csi":{"driver":"d.io",
                         "volumeHandle":"h"},"accessModes":["ReadWriteOnce"]}}}})")),
      ElementsAre(StartsWith("spec.source: Forbidden: must specify exactly one"),
                  StartsWith("spec.source.persistentVolumeName: Invalid value: \"\"")));
  EXPECT_THAT(errors_of(post("/apis/resource.k8s.io/v1/resourceslices",
                             R"({"metadata":{"name":"a"},"spec":{"driver":"d.io","nodeName":"n",
                                 "pool":{"name":"p","resourceSliceCount":1},
                                 "devices":[{"name":"d"}],"sharedCounters":[]}})")),
              ElementsAre("spec: Invalid value: \"\": only one of `sharedCounters` or `devices` is "
                          "allowed"));
  EXPECT_THAT(errors_of(post("/api/v1/namespaces/t/replicationcontrollers",
                             R"({"metadata":{"name":"a"},"spec":{"selector":{"a":"b"},"template":{
                                 "metadata":{"labels":{}},"spec":{"containers":[
                                 {"name":"c","image":"i"}]}}}})")),
              ElementsAre("spec.template.metadata.labels: Invalid value: {}: `selector` does not "
                          "match template `labels`"));
}

TEST_F(ChangeRules, AClaimsStatusKnowsItsStates) {
  const std::string claims = "/api/v1/namespaces/t/persistentvolumeclaims";
  make(claims, R"({"metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce"],
                   "resources":{"requests":{"storage":"1Gi"}}}})");
  EXPECT_THAT(
      errors(claims + "/a/status", R"({"status":{"allocatedResourceStatuses":{"storage":"Odd"}}})"),
      ElementsAre(StartsWith("status.allocatedResourceStatuses: Unsupported value: "
                             "\"storage\": supported values: \"Controller")));
}

}  // namespace
}  // namespace kube::apiserver::test
