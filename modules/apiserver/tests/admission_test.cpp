// SPDX-License-Identifier: Apache-2.0
//
// What new objects get from other objects and from the rules of a cluster: values as
// kube-apiserver 1.37.1 stored them.
#include <string>
#include <string_view>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

constexpr std::string_view kPods = "/api/v1/namespaces/t/pods";
constexpr std::string_view kClaims = "/api/v1/namespaces/t/persistentvolumeclaims";
constexpr std::string_view kJobs = "/apis/batch/v1/namespaces/t/jobs";
constexpr std::string_view kPriorities = "/apis/scheduling.k8s.io/v1/priorityclasses";
constexpr std::string_view kTolerations =
    R"([{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},)"
    R"({"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}])";

class Admission : public ServerTest {
 protected:
  static json::Value part(const Answer& answer, std::initializer_list<std::string_view> path) {
    const json::Value body = answer.json();
    const json::Value* found = body.at_path(path);
    return found == nullptr ? json::Value{} : *found;
  }
};

TEST_F(Admission, GivesAPodPriorityAndTolerations) {
  const Answer made = post(kPods, pod("a"));
  EXPECT_EQ(part(made, {"spec", "priority"}), json::Value(0));
  EXPECT_EQ(made.at({"spec", "preemptionPolicy"}), "PreemptLowerPriority");
  EXPECT_EQ(part(made, {"spec", "tolerations"}), *json::parse(kTolerations));
}

TEST_F(Admission, TakesThePriorityOfTheClass) {
  const Answer critical = post(
      kPods,
      pod("a",
          R"("priorityClassName":"system-node-critical","tolerations":[{"operator":"Exists"}])"));
  EXPECT_EQ(part(critical, {"spec", "priority"}), json::Value(2'000'001'000));
  EXPECT_EQ(part(critical, {"spec", "tolerations"}), *json::parse(R"([{"operator":"Exists"}])"));

  post(kPriorities,
       R"({"metadata":{"name":"all"},"value":7,"globalDefault":true,"preemptionPolicy":"Never"})");
  const Answer plain = post(kPods, pod("b"));
  EXPECT_EQ(plain.at({"spec", "priorityClassName"}), "all");
  EXPECT_EQ(part(plain, {"spec", "priority"}), json::Value(7));
  EXPECT_EQ(plain.at({"spec", "preemptionPolicy"}), "Never");
}

TEST_F(Admission, RefusesAPodOfAnUnknownClassOrAnotherPriority) {
  const Answer unknown = post(kPods, pod("a", R"("priorityClassName":"nix")"));
  expect_status(unknown, 403, "Forbidden");
  EXPECT_EQ(unknown.at({"message"}),
            "pods \"a\" is forbidden: no PriorityClass with name nix was found");
  const Answer other = post(kPods, pod("a", R"("priority":5)"));
  expect_status(other, 403, "Forbidden");
  EXPECT_EQ(other.at({"message"}),
            "pods \"a\" is forbidden: the integer value of priority (5) must not be provided in "
            "pod spec; priority "
            "admission controller computed 0 from the given PriorityClass name");
  const Answer runtime = post(kPods, pod("a", R"("runtimeClassName":"nix")"));
  expect_status(runtime, 403, "Forbidden");
  EXPECT_EQ(runtime.at({"message"}),
            "pods \"a\" is forbidden: pod rejected: RuntimeClass \"nix\" not found");
}

TEST_F(Admission, LooksAtEmptyValuesAndAtWhatValidPodsHave) {
  EXPECT_EQ(post(kPods, pod("a", R"("preemptionPolicy":"")")).at({"message"}),
            "pods \"a\" is forbidden: the string value of PreemptionPolicy () must not be provided "
            "in pod spec; priority admission controller computed PreemptLowerPriority from the "
            "given PriorityClass name");
  const Answer unnamed = post(kPods, pod("a", R"("runtimeClassName":"")"));
  EXPECT_EQ(unnamed.status, 500);
  EXPECT_EQ(unnamed.at({"message"}), "resource name may not be empty");
  for (const std::string_view overhead : {R"("overhead":{})", R"("overhead":{"cpu":"1"})"}) {
    EXPECT_EQ(post(kPods, pod("a", overhead)).at({"message"}),
              "pods \"a\" is forbidden: pod rejected: Pod Overhead set without corresponding "
              "RuntimeClass defined Overhead");
  }
  expect_status(post(kPods, pod("a", R"("overhead":{"cpu":"-1"})")), 422, "Invalid");
}

TEST_F(Admission, TakesOverheadAndNodesOfTheRuntimeClass) {
  post("/apis/node.k8s.io/v1/runtimeclasses",
       R"({"metadata":{"name":"r"},"handler":"h","overhead":{"podFixed":{"cpu":"1"}},
           "scheduling":{"nodeSelector":{"a":"b"},"tolerations":[{"key":"x"}]}})");
  const Answer made =
      post(kPods, pod("a", R"("runtimeClassName":"r","tolerations":[{"operator":"Exists"}])"));
  EXPECT_EQ(part(made, {"spec", "overhead"}), *json::parse(R"({"cpu":"1"})"));
  EXPECT_EQ(part(made, {"spec", "nodeSelector"}), *json::parse(R"({"a":"b"})"));
  EXPECT_EQ(part(made, {"spec", "tolerations"}),
            *json::parse(R"([{"operator":"Exists"},{"key":"x"}])"));
}

TEST_F(Admission, TaintsANewNodeAndCopiesItsPlaceToPods) {
  const Answer node = post(
      "/api/v1/nodes", R"({"metadata":{"name":"n","labels":{"topology.kubernetes.io/zone":"z"}}})");
  EXPECT_EQ(part(node, {"spec", "taints"}),
            *json::parse(R"([{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}])"));
  const Answer placed = post(kPods, pod("a", R"("nodeName":"n")"));
  EXPECT_EQ(placed.at({"metadata", "labels", "topology.kubernetes.io/zone"}), "z");
  post(kPods, pod("b"));
  post("/api/v1/namespaces/t/pods/b/binding",
       R"({"metadata":{"name":"b"},"target":{"kind":"Node","name":"n"}})");
  EXPECT_EQ(
      get("/api/v1/namespaces/t/pods/b").at({"metadata", "labels", "topology.kubernetes.io/zone"}),
      "z");
}

TEST_F(Admission, CompletesThePodFromItsLabelsGatesAndResources) {
  const Answer gated = post(
      kPods,
      pod("a",
          R"("schedulingGates":[{"name":"x.io/y"}],"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z",
                     "whenUnsatisfiable":"DoNotSchedule","labelSelector":{},"matchLabelKeys":["a"]}])",
          R"("labels":{"a":"b"})"));
  const json::Value constraints = part(gated, {"spec", "topologySpreadConstraints"});
  EXPECT_EQ(
      constraints.if_array()->front(),
      *json::parse(
          R"({"maxSkew":1,"topologyKey":"z","whenUnsatisfiable":"DoNotSchedule","matchLabelKeys":["a"],
                             "labelSelector":{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]}})"));
  const json::Value conditions = part(gated, {"status", "conditions"});
  const json::Value& condition = conditions.if_array()->front();
  EXPECT_EQ(condition.string_at({"type"}), "PodScheduled");
  EXPECT_EQ(condition.string_at({"reason"}), "SchedulingGated");
}

TEST_F(Admission, CompletesTheResourcesOfAPodFromItsContainers) {
  const Answer made = post(kPods,
                           R"({"metadata":{"name":"a"},"spec":{"resources":{"limits":{"cpu":"2"}},
          "initContainers":[{"name":"i","image":"i:1","restartPolicy":"Always","resources":{"requests":{"cpu":"100m"}}},
           {"name":"i2","image":"i:1","resources":{"requests":{"memory":"2Gi"}}}],
          "containers":[{"name":"a","image":"i:1","resources":{"requests":{"cpu":"500m","memory":"1Gi"}}},
           {"name":"b","image":"i:1","resources":{"limits":{"cpu":"1"}}}]}})");
  EXPECT_EQ(part(made, {"spec", "resources"}),
            *json::parse(R"({"limits":{"cpu":"2"},"requests":{"cpu":"1600m","memory":"2Gi"}})"));
  EXPECT_EQ(made.at({"status", "qosClass"}), "Burstable");
}

TEST_F(Admission, CallsEqualAmountsOfDifferentTextGuaranteed) {
  const Answer made =
      post(kPods,
           R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"i:1","resources":{
          "limits":{"cpu":"1000m","memory":"1Gi"},"requests":{"cpu":"1","memory":"1024Mi"}}}]}})");
  EXPECT_EQ(made.at({"status", "qosClass"}), "Guaranteed");
}

TEST_F(Admission, CopiesAppArmorProfilesOfAnnotations) {
  const Answer made = post(
      kPods,
      pod("a", "",
          R"("annotations":{"container.apparmor.security.beta.kubernetes.io/c":"localhost/x"})"));
  const json::Value containers = part(made, {"spec", "containers"});
  EXPECT_EQ(*containers.if_array()->front().at_path({"securityContext", "appArmorProfile"}),
            *json::parse(R"({"type":"Localhost","localhostProfile":"x"})"));
}

TEST_F(Admission, HoldsAClaimUntilNoPodUsesIt) {
  const Answer made = post(
      kClaims,
      R"({"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},
         "dataSource":{"kind":"PersistentVolumeClaim","name":"x"}}})");
  EXPECT_EQ(part(made, {"metadata", "finalizers"}),
            *json::parse(R"(["kubernetes.io/pvc-protection"])"));
  EXPECT_EQ(part(made, {"spec", "dataSourceRef"}),
            *json::parse(R"({"apiGroup":null,"kind":"PersistentVolumeClaim","name":"x"})"));
  EXPECT_EQ(made.at({"spec", "volumeMode"}), "Filesystem");
  post(kPods, pod("p", R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"c"}}])"));
  const std::string claim = std::string(kClaims) + "/c";
  EXPECT_FALSE(remove(claim).at({"metadata", "deletionTimestamp"}).empty());
  WatchClient watch(port(), std::string(kClaims) + "?watch=1&resourceVersion=" + revision());
  EXPECT_EQ(get(claim).status, 200);
  remove(std::string(kPods) + "/p");
  EXPECT_EQ(watch.next_text(), "DELETED c");
}

TEST_F(Admission, ChoosesTheDefaultClassOfClaimsAndIngresses) {
  post(
      "/apis/storage.k8s.io/v1/storageclasses",
      R"({"metadata":{"name":"fast","annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"p"})");
  const auto class_of_claim = [&](const std::string& name, const std::string& more) {
    const Answer made = post(kClaims, R"({"metadata":{"name":")" + name +
                                          R"("},"spec":{"accessModes":["ReadWriteOnce"],
                                             "resources":{"requests":{"storage":"1Gi"}})" +
                                          more + "}}");
    EXPECT_EQ(made.status, 201) << made.body;
    return made.at({"spec", "storageClassName"});
  };
  EXPECT_EQ(class_of_claim("a", ""), "fast");
  EXPECT_EQ(class_of_claim("b", R"(,"storageClassName":"")"), "");
  post(
      "/apis/networking.k8s.io/v1/ingressclasses",
      R"({"metadata":{"name":"in","annotations":{"ingressclass.kubernetes.io/is-default-class":"true"}},"spec":{"controller":"a.b/c"}})");
  EXPECT_EQ(
      post(
          "/apis/networking.k8s.io/v1/namespaces/t/ingresses",
          R"({"metadata":{"name":"a"},"spec":{"defaultBackend":{"service":{"name":"s","port":{"number":1}}}}})")
          .at({"spec", "ingressClassName"}),
      "in");
}

TEST_F(Admission, GivesAJobTheSelectorOfItsUid) {
  const Answer made = post(
      kJobs,
      R"({"metadata":{"name":"j"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never",
          "containers":[{"name":"c","image":"i:1"}]}}}})");
  const std::string uid = made.at({"metadata", "uid"});
  const json::Value labels = json::Object{{"a", "b"},
                                          {"job-name", "j"},
                                          {"batch.kubernetes.io/job-name", "j"},
                                          {"controller-uid", uid},
                                          {"batch.kubernetes.io/controller-uid", uid}};
  EXPECT_EQ(part(made, {"metadata", "labels"}), labels);
  EXPECT_EQ(part(made, {"spec", "template", "metadata", "labels"}), labels);
  EXPECT_EQ(part(made, {"spec", "selector"}),
            json::Value(json::Object{
                {"matchLabels", json::Object{{"batch.kubernetes.io/controller-uid", uid}}}}));
}

TEST_F(Admission, LeavesAJobItsOwnSelector) {
  const Answer made = post(
      kJobs,
      R"({"metadata":{"name":"j"},"spec":{"manualSelector":true,"selector":{"matchLabels":{"a":"b"}},
          "template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i:1"}]}}}})");
  EXPECT_EQ(part(made, {"metadata", "labels"}), *json::parse(R"({"a":"b"})"));
  EXPECT_EQ(part(made, {"spec", "selector"}), *json::parse(R"({"matchLabels":{"a":"b"}})"));
}

TEST_F(Admission, CountsTheTemplatesOfADaemonSet) {
  const std::string sets = "/apis/apps/v1/namespaces/t/daemonsets";
  const std::string annotation = "deprecated.daemonset.template.generation";
  const Answer made =
      post(sets, R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},
      "template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i:1"}]}}}})");
  EXPECT_EQ(made.at({"metadata", "annotations", annotation}), "1");
  EXPECT_EQ(merge(sets + "/d", R"({"metadata":{"labels":{"x":"y"}}})")
                .at({"metadata", "annotations", annotation}),
            "1");
  EXPECT_EQ(merge(sets + "/d", R"({"spec":{"template":{"metadata":{"labels":{"x":"y"}}}}})")
                .at({"metadata", "annotations", annotation}),
            "2");
}

TEST_F(Admission, SaysWhoAsksForACertificate) {
  const Answer made = post(
      "/apis/certificates.k8s.io/v1/certificatesigningrequests",
      R"({"metadata":{"name":"r"},"spec":{"request":"eA==","signerName":"a.b/c","usages":["any"],
                               "username":"somebody"}})");
  EXPECT_NE(made.at({"spec", "username"}), "somebody");
}

TEST_F(Admission, DatesVolumesAndTaints) {
  const Answer volume = post(
      "/api/v1/persistentvolumes",
      R"({"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],
                                 "hostPath":{"path":"/a"}}})");
  EXPECT_EQ(volume.at({"status", "lastPhaseTransitionTime"}),
            volume.at({"metadata", "creationTimestamp"}));
  EXPECT_EQ(volume.at({"status", "phase"}), "Pending");
  EXPECT_EQ(part(volume, {"metadata", "finalizers"}),
            *json::parse(R"(["kubernetes.io/pv-protection"])"));
}

TEST_F(Admission, GivesAnAutoscalerOfVersion1TheMetricOfVersion2) {
  const Answer made = post(
      "/apis/autoscaling/v1/namespaces/t/horizontalpodautoscalers",
      R"({"metadata":{"name":"h"},"spec":{"maxReplicas":2,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(part(made, {"spec", "targetCPUUtilizationPercentage"}), json::Value(80));
  EXPECT_EQ(part(made, {"spec", "minReplicas"}), json::Value(1));
  EXPECT_EQ(part(made, {"metadata", "generation"}), json::Value(1));
}

}  // namespace
}  // namespace kube::apiserver::test
