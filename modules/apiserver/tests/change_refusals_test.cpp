// SPDX-License-Identifier: Apache-2.0
//
// What an update may not change, in the words and in the order of kube-apiserver 1.37.1.
#include "refusal_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class Changes : public ChangeTest {};

TEST_F(Changes, OfAServiceLeaveItsBalancer) {
  make("/api/v1/namespaces/t/services",
       R"({"metadata":{"name":"a"},"spec":{"type":"LoadBalancer","loadBalancerClass":"x.io/a",
           "externalTrafficPolicy":"Local","healthCheckNodePort":31000,"ports":[{"port":80}]}})");
  const std::string item = "/api/v1/namespaces/t/services/a";
  EXPECT_THAT(errors(item, R"({"spec":{"loadBalancerClass":"x.io/b"}})"),
              ElementsAre("spec.loadBalancerClass: Invalid value: \"x.io/b\": may not change once "
                          "set"));
  EXPECT_THAT(
      errors(item, R"({"spec":{"loadBalancerClass":null,"healthCheckNodePort":31001,"ports":[]}})"),
      ElementsAre("spec.loadBalancerClass: Invalid value: null: may not change once set",
                  "spec.healthCheckNodePort: Forbidden: field is immutable",
                  "spec.ports: Required value"));
  EXPECT_THAT(errors(item, R"({"spec":{"type":"ClusterIP"}})"), IsEmpty());
  EXPECT_THAT(errors(item, R"({"spec":{"type":"LoadBalancer","loadBalancerClass":"x.io/b"}})"),
              IsEmpty());
}

TEST_F(Changes, OfANodeLeaveItsRangesAndItsProvider) {
  make("/api/v1/nodes", R"({"metadata":{"name":"a"}})");
  const std::string item = "/api/v1/nodes/a";
  EXPECT_THAT(errors(item, R"({"spec":{"podCIDR":"10.1.0.0/24","providerID":"x://a"}})"),
              IsEmpty());
  const std::string ranges =
      R"(spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid)";
  EXPECT_THAT(
      errors(item, R"({"spec":{"podCIDRs":["10.2.0.0/24"],"podCIDR":"10.2.0.0/24",
                       "providerID":"x://b"}})"),
      ElementsAre(ranges,
                  "spec.providerID: Invalid value: null: field cannot be modified once set"));
  EXPECT_THAT(errors(item, R"({"spec":null})"),
              ElementsAre(ranges,
                          "spec.providerID: Invalid value: null: field cannot be cleared "
                          "once set"));
}

TEST_F(Changes, OfAVolumeLeaveWhereItIs) {
  make("/api/v1/persistentvolumes",
       R"({"metadata":{"name":"a"},"spec":{"capacity":{"storage":"1Gi"},
           "accessModes":["ReadWriteOnce"],"csi":{"driver":"d.io","volumeHandle":"h"},
           "volumeAttributesClassName":"c","nodeAffinity":{"required":{"nodeSelectorTerms":[
           {"matchExpressions":[{"key":"beta.kubernetes.io/os","operator":"Exists"}]}]}}}})");
  const std::string item = "/api/v1/persistentvolumes/a";
  const auto affinity = [](std::string_view key, std::string_view more = {}) {
    return R"({"spec":{"nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":")" +
           std::string(key) + R"(","operator":"Exists"}]}]}})" + std::string(more) + "}}";
  };
  EXPECT_THAT(errors(item, affinity("zone", R"(,"volumeAttributesClassName":null)")),
              ElementsAre("nodeAffinity: Invalid value: {\"Required\":{\"NodeSelectorTerms\":"
                          "[{\"MatchExpressions\":[{\"Key\":\"zone\",\"Operator\":\"Exists\","
                          "\"Values\":null}],\"MatchFields\":null}]}}: field is immutable, except "
                          "for updating from beta label to GA",
                          "spec.volumeAttributesClassName: Forbidden: update from non-nil value to "
                          "nil is forbidden"));
  EXPECT_THAT(errors(item, affinity("kubernetes.io/os")), IsEmpty());
  const std::string secret =
      R"({"spec":{"csi":{"controllerExpandSecretRef":{"name":"s","namespace":"t"}}}})";
  EXPECT_THAT(errors(item, secret), IsEmpty());
  EXPECT_THAT(errors(item, R"({"spec":{"csi":{"controllerExpandSecretRef":null}}})"),
              ElementsAre(StartsWith("spec.persistentvolumesource: Forbidden")));
}

TEST_F(Changes, OfAClaimLeaveTheClassThatItsAnnotationNames) {
  const std::string claims = "/api/v1/namespaces/t/persistentvolumeclaims";
  const std::string fixed =
      "metadata.annotations.volume.beta.kubernetes.io/storage-class: Invalid value: \"d\": field "
      "is immutable";
  make(claims, R"({"metadata":{"name":"a","annotations":{
      "volume.beta.kubernetes.io/storage-class":"c"}},"spec":{"accessModes":["ReadWriteOnce"],
      "resources":{"requests":{"storage":"1Gi"}}}})");
  EXPECT_THAT(errors(claims + "/a", R"({"metadata":{"annotations":{
      "volume.beta.kubernetes.io/storage-class":"d"}}})"),
              ElementsAre(fixed));
  EXPECT_THAT(errors(claims + "/a", R"({"spec":{"storageClassName":"d"}})"),
              ElementsAre(StartsWith("spec: Forbidden: spec is immutable after creation")));
  EXPECT_THAT(errors(claims + "/a", R"({"metadata":{"annotations":null},
                                        "spec":{"storageClassName":"c"}})"),
              IsEmpty());
  ASSERT_EQ(merge(claims + "/a/status", R"({"status":{"phase":"Bound",
      "currentVolumeAttributesClassName":"v"}})")
                .status,
            200);
  EXPECT_THAT(errors(claims + "/a", R"({"spec":{"volumeAttributesClassName":"v"}})"), IsEmpty());
  EXPECT_THAT(errors(claims + "/a", R"({"spec":{"volumeAttributesClassName":""}})"),
              ElementsAre("spec.volumeAttributesClassName: Forbidden: update to empty string is "
                          "forbidden when status.currentVolumeAttributesClassName is not nil"));
  EXPECT_THAT(errors(claims + "/a", R"({"spec":{"volumeAttributesClassName":null}})"),
              ElementsAre("spec.volumeAttributesClassName: Forbidden: update to nil is forbidden "
                          "when status.currentVolumeAttributesClassName is not nil"));
}

TEST_F(Changes, OfAQuotaMayOrderItsScopes) {
  const std::string quotas = "/api/v1/namespaces/t/resourcequotas";
  make(quotas, R"({"metadata":{"name":"a"},"spec":{"hard":{"pods":1},
                   "scopes":["NotTerminating","NotBestEffort"]}})");
  EXPECT_THAT(errors(quotas + "/a", R"({"spec":{"scopes":["NotBestEffort","NotTerminating"]}})"),
              IsEmpty());
  EXPECT_THAT(errors(quotas + "/a", R"({"spec":{"scopes":["NotBestEffort"]}})"),
              ElementsAre("spec.scopes: Invalid value: [\"NotBestEffort\"]: field is immutable"));
}

TEST_F(Changes, OfTheDriversOfANodeAreOfTheirCountAlone) {
  const std::string nodes = "/apis/storage.k8s.io/v1/csinodes";
  make(nodes, R"({"metadata":{"name":"a"},"spec":{"drivers":[{"name":"d.io","nodeID":"n",
                  "topologyKeys":["k"],"allocatable":{"count":1}}]}})");
  const auto drivers = [](std::string_view id, int count) {
    return R"({"spec":{"drivers":[{"name":"d.io","nodeID":")" + std::string(id) +
           R"(","topologyKeys":["k"],"allocatable":{"count":)" + std::to_string(count) + "}}]}}";
  };
  EXPECT_THAT(errors(nodes + "/a", drivers("n", 2)), IsEmpty());
  EXPECT_THAT(errors(nodes + "/a", drivers("m", 3)),
              ElementsAre("spec.drivers: Invalid value: {\"Name\":\"d.io\",\"NodeID\":\"m\","
                          "\"TopologyKeys\":[\"k\"],\"Allocatable\":null}: field is immutable"));
  EXPECT_THAT(errors(nodes + "/a", R"({"spec":{"drivers":[]}})"), IsEmpty());
}

TEST_F(Changes, OfASecretAreReportedBeforeItsContent) {
  const std::string secrets = "/api/v1/namespaces/t/secrets";
  make(secrets, R"({"metadata":{"name":"a"},"immutable":true})");
  EXPECT_THAT(errors(secrets + "/a", R"({"type":"kubernetes.io/tls","data":{"a":"YQ=="}})"),
              ElementsAre("type: Invalid value: \"kubernetes.io/tls\": field is immutable",
                          "data: Forbidden: field is immutable when `immutable` is set",
                          "data[tls.crt]: Required value", "data[tls.key]: Required value"));
  EXPECT_THAT(errors(secrets + "/a", R"({"data":{}})"),
              ElementsAre("data: Forbidden: field is immutable when `immutable` is set"));
  make_config_map("a", R"({"k":"v"})");
  ASSERT_EQ(merge(std::string(kConfigMaps) + "/a", R"({"immutable":true})").status, 200);
  make_config_map("b", "null");
  ASSERT_EQ(merge(std::string(kConfigMaps) + "/b", R"({"immutable":true})").status, 200);
  EXPECT_THAT(errors(std::string(kConfigMaps) + "/b", R"({"data":{}})"), IsEmpty());
  EXPECT_THAT(errors(std::string(kConfigMaps) + "/b", R"({"binaryData":{}})"),
              ElementsAre("binaryData: Forbidden: field is immutable when `immutable` is set"));
  EXPECT_THAT(errors(std::string(kConfigMaps) + "/a", R"({"data":{"a b":""}})"),
              ElementsAre("data: Forbidden: field is immutable when `immutable` is set",
                          StartsWith("data[a b]: Invalid value")));
}

TEST_F(Changes, OfARevisionLeaveItsDataWhateverTheyAre) {
  const std::string revisions = "/apis/apps/v1/namespaces/t/controllerrevisions";
  make(revisions, R"({"metadata":{"name":"a"},"data":{"a":"b"},"revision":1})");
  EXPECT_THAT(errors(revisions + "/a", R"({"data":"text","revision":-1})"),
              ElementsAre("revision: Invalid value: -1: must be greater than or equal to 0",
                          StartsWith("data: Invalid value: ")));
  EXPECT_THAT(errors_of(post(revisions, R"({"metadata":{"name":"b"},"revision":-1})")),
              ElementsAre("revision: Invalid value: -1: must be greater than or equal to 0",
                          "data: Required value: data is mandatory"));
}

TEST_F(Changes, OfTheTemplateOfASuspendedJobAreOfWhereItsPodsRun) {
  const std::string jobs = "/apis/batch/v1/namespaces/t/jobs";
  make(jobs, R"({"metadata":{"name":"a"},"spec":{"suspend":true,"template":{"spec":{
                 "restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})");
  const auto change = [&](std::string_view pod) {
    return errors(jobs + "/a", R"({"spec":{"template":{"spec":)" + std::string(pod) + "}}}");
  };
  EXPECT_THAT(change(R"({"nodeSelector":{"a":"b"},"tolerations":[{"operator":"Exists"}],
      "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{
      "nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Exists"}]}]}}}})"),
              IsEmpty());
  EXPECT_THAT(change(R"({"affinity":null,"containers":[{"name":"c","image":"i",
                         "terminationMessagePath":"/dev/termination-log",
                         "terminationMessagePolicy":"File","imagePullPolicy":"Always",
                         "resources":{"limits":{"cpu":"1"}}}]})"),
              IsEmpty());
  EXPECT_THAT(change(R"({"hostNetwork":true})"),
              ElementsAre(StartsWith("spec.template.spec: Invalid value: {\"Volumes\":null")));
  EXPECT_THAT(change(R"({"affinity":{"podAffinity":{}}})"),
              ElementsAre(StartsWith("spec.template.spec: Invalid value: ")));
  ASSERT_EQ(
      merge(jobs + "/a/status", R"({"status":{"startTime":"2026-01-01T00:00:00Z","active":1}})")
          .status,
      200);
  EXPECT_THAT(change(R"({"nodeSelector":{"a":"c"}})"),
              ElementsAre(StartsWith("spec.template: Invalid value: ")));
}

TEST_F(Changes, OfTheRangesOfServicesAddOneOfTheOtherFamily) {
  const std::string ranges = "/apis/networking.k8s.io/v1/servicecidrs";
  make(ranges, R"({"metadata":{"name":"a"},"spec":{"cidrs":["10.5.0.0/24"]}})");
  EXPECT_THAT(errors(ranges + "/a", R"({"spec":{"cidrs":[]}})"),
              ElementsAre("spec.cidrs: Invalid value: []: field is immutable"))
      << "as the patch has it";
  EXPECT_THAT(errors(ranges + "/a", R"({"spec":{"cidrs":["10.5.0.0/24","10.6.0.0/24"]}})"),
              ElementsAre(StartsWith("spec.cidrs: Invalid value: [\"10.5.0.0/24\",\"10.6.0.0/24\"]"
                                     ": may specify no more than one IP for each IP family")));
  EXPECT_THAT(errors(ranges + "/a", R"({"spec":{"cidrs":["10.5.0.0/24","fd00::/112"]}})"),
              IsEmpty());
}

}  // namespace
}  // namespace kube::apiserver::test
