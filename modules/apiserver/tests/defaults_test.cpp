// SPDX-License-Identifier: Apache-2.0
//
// The tables of defaults: each row names what exists, and documents get the values that
// kube-apiserver 1.37 gives them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/types.hpp>
#include <kube/json/value.hpp>

#include "defaults/defaults.hpp"
#include "defaults/image_reference.hpp"
#include "defaults/tables.hpp"

namespace kube::apiserver::test {
namespace {

using Types = std::set<const meta::TypeDescriptor*>;

void add_types(const meta::TypeDescriptor& type, Types& types) {
  if (!types.insert(&type).second) return;
  for (const meta::FieldDescriptor& field : type.fields) {
    if (field.message != nullptr) add_types(*field.message, types);
  }
}

// With the parts of types that contain others inline, which have the names of those.
const Types& every_type() {
  static const Types kTypes = [] {
    Types types;
    for (const meta::TypeDescriptor* type : api::all_types()) add_types(*type, types);
    return types;
  }();
  return kTypes;
}

// "storage.*.CSIDriver" stands for the type in each version.
std::vector<const meta::TypeDescriptor*> types_named(std::string_view name) {
  const std::size_t star = name.find('*');
  std::vector<const meta::TypeDescriptor*> found;
  for (const meta::TypeDescriptor* type : every_type()) {
    const std::string_view full = type->name;
    const bool fits = star == std::string_view::npos
                          ? full == name
                          : full.starts_with(name.substr(0, star)) &&
                                full.substr(full.rfind('.')) == name.substr(star + 1);
    if (fits) found.push_back(type);
  }
  return found;
}

bool has_path(const meta::TypeDescriptor& type, std::string_view path) {
  const std::size_t dot = path.find('.');
  for (const meta::FieldDescriptor* field : type.keys.fields) {
    if (field->json != path.substr(0, dot)) continue;
    if (dot == std::string_view::npos) return true;
    return field->message != nullptr && has_path(*field->message, path.substr(dot + 1));
  }
  return false;
}

TEST(DefaultTables, EachRowNamesATypeAndItsFields) {
  for (const DefaultTable& table : default_tables()) {
    for (const FieldDefault& row : table.fields) {
      const auto types = types_named(row.type);
      EXPECT_FALSE(types.empty()) << row.type;
      bool found = false;
      for (const auto* type : types) {
        const bool here = has_path(*type, row.field);
        found = found || here;
        const bool fits = !here || row.when.empty() || has_path(*type, row.when);
        EXPECT_TRUE(fits) << row.type << " " << row.when;
      }
      EXPECT_TRUE(found) << row.type << " " << row.field;
    }
    for (const DroppedField& row : table.dropped) {
      const auto has_field = [&row](const auto* type) { return has_path(*type, row.field); };
      EXPECT_TRUE(std::ranges::any_of(types_named(row.type), has_field))
          << row.type << " " << row.field;
    }
    for (const TypeDefault& row : table.types)
      EXPECT_FALSE(types_named(row.type).empty()) << row.type;
  }
}

TEST(ImageReference, MovesWithoutATagAndWithLatest) {
  for (const std::string_view image :
       {"nginx", "nginx:latest", "library/nginx", "quay.io/a/b", "localhost:5000/a",
        "localhost/a:latest", "a.b/c__d/e--f.g", "[::1]:80/a", "UPPER/a"}) {
    EXPECT_TRUE(is_moving_image(image)) << image;
  }
}

TEST(ImageReference, StaysWithATagOrADigestAndWithoutAName) {
  const std::string sum(64, 'a');
  const std::vector<std::string> images{std::string("nginx:1"),
                                        "localhost:5000/a:1",
                                        "nginx@sha256:" + sum,
                                        sum,
                                        std::string(),
                                        std::string("${IMAGE}"),
                                        std::string("Nginx"),
                                        std::string("a/B"),
                                        std::string("a//b"),
                                        std::string("nginx:"),
                                        std::string("-a"),
                                        std::string("a.b:x/c"),
                                        std::string("a___b"),
                                        std::string("a b"),
                                        "nginx:latest@sha256:" + sum.substr(1)};
  for (const std::string& image : images) {
    EXPECT_FALSE(is_moving_image(image)) << image;
  }
  EXPECT_TRUE(is_moving_image("nginx:latest@sha256:" + sum));
}

TEST(FeaturesThatAreOff, TakeWithThemWhatHadNothingElse) {
  const auto lifecycle = [](std::string_view text) {
    json::Value object =
        *json::parse(R"({"spec":{"containers":[{"lifecycle":)" + std::string(text) + "}]}}");
    apply_defaults(*api::find_type("v1", "Pod"), object);
    const json::Value* left =
        object.array_at({"spec", "containers"}).front().at_path({"lifecycle"});
    return left == nullptr ? std::string("gone") : json::dump(*left);
  };
  EXPECT_EQ(lifecycle(R"({"stopSignal":"SIGTERM"})"), "gone");
  EXPECT_EQ(lifecycle(R"({"stopSignal":""})"), "gone");
  EXPECT_EQ(lifecycle("{}"), "{}");
  EXPECT_EQ(lifecycle(R"({"stopSignal":null,"preStop":{}})"), R"({"preStop":{}})");
}

struct Case {
  const char* name;
  const char* sent;
  const char* stored;
};

class Defaults : public ::testing::TestWithParam<Case> {};

// Each pair is a document and what kube-apiserver 1.37.1 stored for it, without what other parts of
// the server add.
TEST_P(Defaults, AreThoseOfKubeApiserver) {
  json::Value object = *json::parse(GetParam().sent);
  const auto* type = api::find_type(object.string_at({"apiVersion"}), object.string_at({"kind"}));
  ASSERT_NE(type, nullptr);
  apply_defaults(*type, object);
  EXPECT_EQ(object, *json::parse(GetParam().stored)) << json::dump(object);
  json::Value again = object;
  apply_defaults(*type, again);
  EXPECT_EQ(again, object) << "a second time";
}

#define POD_SPEC_DEFAULTS                                                                      \
  R"("restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst",)" \
  R"("securityContext":{},"schedulerName":"default-scheduler")"
#define MESSAGE_DEFAULTS \
  R"("terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File")"

constexpr Case kCases[] = {
    {"Pod",
     R"({"apiVersion":"v1","kind":"Pod","spec":{"hostNetwork":true,"serviceAccount":"bob",
         "terminationGracePeriodSeconds":-5,"containers":[
         {"name":"a","image":"nginx","ports":[{"containerPort":80}],
          "resources":{"limits":{"cpu":"1","memory":"100n"},"requests":{"cpu":"500m"}},
          "livenessProbe":{"httpGet":{"port":80}},"readinessProbe":{"grpc":{"port":1},"periodSeconds":3},
          "env":[{"name":"X","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}]}]}})",
     R"({"apiVersion":"v1","kind":"Pod","spec":{"hostNetwork":true,"serviceAccount":"bob",
         "serviceAccountName":"bob","enableServiceLinks":true,"containers":[
         {"name":"a","image":"nginx","ports":[{"containerPort":80,"hostPort":80,"protocol":"TCP"}],
          "resources":{"limits":{"cpu":"1","memory":"1m"},"requests":{"cpu":"500m","memory":"1m"}},
          "livenessProbe":{"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"timeoutSeconds":1,
           "periodSeconds":10,"successThreshold":1,"failureThreshold":3},
          "readinessProbe":{"grpc":{"port":1,"service":""},"timeoutSeconds":1,"periodSeconds":3,
           "successThreshold":1,"failureThreshold":3},
          "env":[{"name":"X","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}],
          "imagePullPolicy":"Always",)" MESSAGE_DEFAULTS R"(}],
         "restartPolicy":"Always","terminationGracePeriodSeconds":1,"dnsPolicy":"ClusterFirst",
         "securityContext":{},"schedulerName":"default-scheduler"}})"},
    {"Volumes",
     R"({"apiVersion":"v1","kind":"PodTemplate","template":{"spec":{"volumes":[{"name":"v"},
         {"name":"s","secret":{"secretName":"x"}},{"name":"h","hostPath":{"path":"/x"}},
         {"name":"p","projected":{"sources":[{"serviceAccountToken":{"path":"a"}}]}},
         {"name":"i","image":{"reference":"a:1"}},
         {"name":"e","ephemeral":{"volumeClaimTemplate":{"spec":{}}}}]}}})",
     R"({"apiVersion":"v1","kind":"PodTemplate","template":{"spec":{"volumes":[
         {"name":"v","emptyDir":{}},{"name":"s","secret":{"secretName":"x","defaultMode":420}},
         {"name":"h","hostPath":{"path":"/x","type":""}},
         {"name":"p","projected":{"sources":[{"serviceAccountToken":{"path":"a","expirationSeconds":3600}}],
          "defaultMode":420}},{"name":"i","image":{"reference":"a:1","pullPolicy":"IfNotPresent"}},
         {"name":"e","ephemeral":{"volumeClaimTemplate":{"spec":{"volumeMode":"Filesystem"}}}}],)" POD_SPEC_DEFAULTS
     R"(}}})"},
    {"DeploymentKeepsLimitsOfItsTemplate",
     R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"template":{"spec":{"containers":[
         {"name":"a","image":"nginx:1","resources":{"limits":{"cpu":"1"}}}]}}}})",
     R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":1,"revisionHistoryLimit":10,
         "progressDeadlineSeconds":600,"strategy":{"type":"RollingUpdate",
         "rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}},"template":{"spec":{"containers":[
         {"name":"a","image":"nginx:1","resources":{"limits":{"cpu":"1"}},"imagePullPolicy":"IfNotPresent",)" MESSAGE_DEFAULTS
     R"(}],)" POD_SPEC_DEFAULTS R"(}}}})"},
    {"DeploymentThatRecreates",
     R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":0,"strategy":{"type":"Recreate"},
         "template":{"spec":{}}}})",
     R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":0,"revisionHistoryLimit":10,
         "progressDeadlineSeconds":600,"strategy":{"type":"Recreate"},"template":{"spec":{)" POD_SPEC_DEFAULTS
     R"(}}}})"},
    {"StatefulSet",
     R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"volumeClaimTemplates":[{"metadata":{"name":"x"}}]}})",
     R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"replicas":1,"revisionHistoryLimit":10,
         "podManagementPolicy":"OrderedReady","updateStrategy":{"type":"RollingUpdate",
         "rollingUpdate":{"partition":0,"maxUnavailable":1}},
         "persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain","whenScaled":"Retain"},
         "volumeClaimTemplates":[{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"x"},
          "spec":{"volumeMode":"Filesystem"},"status":{"phase":"Pending"}}],
         "template":{"spec":{)" POD_SPEC_DEFAULTS R"(}}}})"},
    {"StatefulSetWithAStrategy",
     R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"updateStrategy":{"type":"RollingUpdate"}}})",
     R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{"replicas":1,"revisionHistoryLimit":10,
         "podManagementPolicy":"OrderedReady","updateStrategy":{"type":"RollingUpdate"},
         "persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain","whenScaled":"Retain"},
         "template":{"spec":{)" POD_SPEC_DEFAULTS R"(}}}})"},
    {"DaemonSet", R"({"apiVersion":"apps/v1","kind":"DaemonSet"})",
     R"({"apiVersion":"apps/v1","kind":"DaemonSet","spec":{"revisionHistoryLimit":10,
         "updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":0}},
         "template":{"spec":{)" POD_SPEC_DEFAULTS R"(}}}})"},
    {"FieldsOfFeaturesThatAreOff",
     R"({"apiVersion":"batch/v1","kind":"CronJob","spec":{"jobTemplate":{"spec":{"scheduling":{},"template":{
         "metadata":{"annotations":{"pod.beta.kubernetes.io/init-containers":"[]"}},
         "spec":{"schedulingGroup":{},"volumes":[{"name":"a","emptyDir":{"mode":1}}]}}}}}})",
     R"({"apiVersion":"batch/v1","kind":"CronJob","spec":{"concurrencyPolicy":"Allow","suspend":false,
         "successfulJobsHistoryLimit":3,"failedJobsHistoryLimit":1,"jobTemplate":{"spec":{"template":{"metadata":{},
         "spec":{"volumes":[{"name":"a","emptyDir":{}}],)" POD_SPEC_DEFAULTS R"(}}}}}})"},
    {"Job",
     R"({"apiVersion":"batch/v1","kind":"Job","spec":{"backoffLimitPerIndex":1,"completionMode":"Indexed",
         "completions":3,"podFailurePolicy":{"rules":[{"action":"Ignore","onPodConditions":[{"type":"A"}]}]},
         "template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never"}}}})",
     R"({"apiVersion":"batch/v1","kind":"Job","spec":{"backoffLimitPerIndex":1,"backoffLimit":2147483647,"completionMode":"Indexed",
         "completions":3,"parallelism":1,"suspend":false,"manualSelector":false,
         "podReplacementPolicy":"Failed","podFailurePolicy":{"rules":[{"action":"Ignore",
          "onPodConditions":[{"type":"A","status":"True"}]}]},
         "template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never",
          "terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},
          "schedulerName":"default-scheduler"}}}})"},
    {"CronJobWithoutDefaultsOfItsJob", R"({"apiVersion":"batch/v1","kind":"CronJob"})",
     R"({"apiVersion":"batch/v1","kind":"CronJob","spec":{"concurrencyPolicy":"Allow","suspend":false,
         "successfulJobsHistoryLimit":3,"failedJobsHistoryLimit":1,"jobTemplate":{"spec":{"template":{"spec":{)" POD_SPEC_DEFAULTS
     R"(}}}}}})"},
    {"ReplicationController",
     R"({"apiVersion":"v1","kind":"ReplicationController","spec":{"template":{"metadata":{"labels":{"a":"b"}}}}})",
     R"({"apiVersion":"v1","kind":"ReplicationController","metadata":{"labels":{"a":"b"}},"spec":{"replicas":1,
         "selector":{"a":"b"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{)" POD_SPEC_DEFAULTS
     R"(}}}})"},
    {"AutoscalerOfVersion2",
     R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":2,
         "behavior":{"scaleDown":{"stabilizationWindowSeconds":5}}}})",
     R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","spec":{"maxReplicas":2,
         "minReplicas":1,"metrics":[{"type":"Resource","resource":{"name":"cpu",
          "target":{"type":"Utilization","averageUtilization":80}}}],
         "behavior":{"scaleDown":{"stabilizationWindowSeconds":5,"selectPolicy":"Max",
           "policies":[{"type":"Percent","value":100,"periodSeconds":15}]},
          "scaleUp":{"stabilizationWindowSeconds":0,"selectPolicy":"Max",
           "policies":[{"type":"Pods","value":4,"periodSeconds":15},
            {"type":"Percent","value":100,"periodSeconds":15}]}}}})"},
    {"ServiceOfClusterIP",
     R"({"apiVersion":"v1","kind":"Service","spec":{"ports":[{"port":80},{"port":81,"targetPort":"x"}]}})",
     R"({"apiVersion":"v1","kind":"Service","spec":{"type":"ClusterIP","sessionAffinity":"None",
         "internalTrafficPolicy":"Cluster","ports":[{"port":80,"protocol":"TCP","targetPort":80},
         {"port":81,"protocol":"TCP","targetPort":"x"}]}})"},
    {"ServiceOfLoadBalancer",
     R"({"apiVersion":"v1","kind":"Service","spec":{"type":"LoadBalancer","sessionAffinity":"ClientIP"},
         "status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"},{"hostname":"a"}]}}})",
     R"({"apiVersion":"v1","kind":"Service","spec":{"type":"LoadBalancer","sessionAffinity":"ClientIP",
         "sessionAffinityConfig":{"clientIP":{"timeoutSeconds":10800}},"internalTrafficPolicy":"Cluster",
         "externalTrafficPolicy":"Cluster","allocateLoadBalancerNodePorts":true},
         "status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4","ipMode":"VIP"},{"hostname":"a"}]}}})"},
    {"ServiceWithExternalAddresses",
     R"({"apiVersion":"v1","kind":"Service","spec":{"externalIPs":["1.2.3.4"],"sessionAffinityConfig":{}}})",
     R"({"apiVersion":"v1","kind":"Service","spec":{"type":"ClusterIP","externalIPs":["1.2.3.4"],
         "sessionAffinity":"None","internalTrafficPolicy":"Cluster","externalTrafficPolicy":"Cluster"}})"},
    {"ServiceOfExternalName",
     R"({"apiVersion":"v1","kind":"Service","spec":{"type":"ExternalName","externalName":"a.b"}})",
     R"({"apiVersion":"v1","kind":"Service","spec":{"type":"ExternalName","externalName":"a.b",
         "sessionAffinity":"None"}})"},
    {"LimitRange",
     R"({"apiVersion":"v1","kind":"LimitRange","spec":{"limits":[{"type":"Container","max":{"cpu":"2"},
         "min":{"cpu":"1","memory":"1Gi"},"default":{"memory":"2Gi"}},{"type":"Pod","max":{"cpu":"2"}}]}})",
     R"({"apiVersion":"v1","kind":"LimitRange","spec":{"limits":[{"type":"Container","max":{"cpu":"2"},
         "min":{"cpu":"1","memory":"1Gi"},"default":{"memory":"2Gi","cpu":"2"},
         "defaultRequest":{"memory":"2Gi","cpu":"2"}},{"type":"Pod","max":{"cpu":"2"}}]}})"},
    {"Node", R"({"apiVersion":"v1","kind":"Node","status":{"capacity":{"cpu":"4"}}})",
     R"({"apiVersion":"v1","kind":"Node","status":{"capacity":{"cpu":"4"},"allocatable":{"cpu":"4"}}})"},
    {"PersistentVolume",
     R"({"apiVersion":"v1","kind":"PersistentVolume","spec":{"iscsi":{},"rbd":{"user":"x"},"azureDisk":{}}})",
     R"({"apiVersion":"v1","kind":"PersistentVolume","spec":{"persistentVolumeReclaimPolicy":"Retain",
         "volumeMode":"Filesystem","iscsi":{"iscsiInterface":"default"},
         "rbd":{"pool":"rbd","user":"x","keyring":"/etc/ceph/keyring"},
         "azureDisk":{"cachingMode":"ReadWrite","fsType":"ext4","readOnly":false,"kind":"Shared"}},
         "status":{"phase":"Pending"}})"},
    {"Endpoints", R"({"apiVersion":"v1","kind":"Endpoints","subsets":[{"ports":[{"port":80}]}]})",
     R"({"apiVersion":"v1","kind":"Endpoints","subsets":[{"ports":[{"port":80,"protocol":"TCP"}]}]})"},
    {"EndpointSlice",
     R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","ports":[{"port":80}]})",
     R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","ports":[{"port":80,"name":"","protocol":"TCP"}]})"},
    {"NetworkPolicy",
     R"({"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","spec":{"egress":[{"ports":[{"port":1}]}]}})",
     R"({"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","spec":{
         "egress":[{"ports":[{"port":1,"protocol":"TCP"}]}],"policyTypes":["Ingress","Egress"]}})"},
    {"IngressClass",
     R"({"apiVersion":"networking.k8s.io/v1","kind":"IngressClass","spec":{"parameters":{"kind":"A","name":"b"}}})",
     R"({"apiVersion":"networking.k8s.io/v1","kind":"IngressClass","spec":{
         "parameters":{"kind":"A","name":"b","scope":"Cluster"}}})"},
    {"IngressClassWithoutParameters",
     R"({"apiVersion":"networking.k8s.io/v1","kind":"IngressClass","spec":{"controller":"a"}})",
     R"({"apiVersion":"networking.k8s.io/v1","kind":"IngressClass","spec":{"controller":"a"}})"},
    {"RoleBinding",
     R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","roleRef":{"kind":"Role","name":"a"},
         "subjects":[{"kind":"User","name":"a"},{"kind":"Group","name":"a"},{"kind":"ServiceAccount","name":"a"}]})",
     R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding",
         "roleRef":{"kind":"Role","name":"a","apiGroup":"rbac.authorization.k8s.io"},
         "subjects":[{"kind":"User","name":"a","apiGroup":"rbac.authorization.k8s.io"},
          {"kind":"Group","name":"a","apiGroup":"rbac.authorization.k8s.io"},{"kind":"ServiceAccount","name":"a"}]})"},
    {"ValidatingWebhook",
     R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",
         "webhooks":[{"name":"a","clientConfig":{"service":{"name":"x"}},"rules":[{"operations":["*"]}]}]})",
     R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",
         "webhooks":[{"name":"a","clientConfig":{"service":{"name":"x","port":443}},
          "rules":[{"operations":["*"],"scope":"*"}],"failurePolicy":"Fail","matchPolicy":"Equivalent",
          "namespaceSelector":{},"objectSelector":{},"timeoutSeconds":10}]})"},
    {"ValidatingAdmissionPolicy",
     R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy",
         "spec":{"matchConstraints":{"resourceRules":[{"operations":["*"]}]}}})",
     R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy",
         "spec":{"failurePolicy":"Fail","matchConstraints":{"resourceRules":[{"operations":["*"],"scope":"*"}],
          "matchPolicy":"Equivalent","namespaceSelector":{},"objectSelector":{}}}})"},
    {"StorageClass",
     R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","provisioner":"a"})",
     R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","provisioner":"a","reclaimPolicy":"Delete",
         "volumeBindingMode":"Immediate"})"},
    {"CSIDriver",
     R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","spec":{"attachRequired":false}})",
     R"({"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","spec":{"attachRequired":false,
         "podInfoOnMount":false,"storageCapacity":false,"fsGroupPolicy":"ReadWriteOnceWithFSType",
         "volumeLifecycleModes":["Persistent"],"requiresRepublish":false,"seLinuxMount":false,
         "preventPodSchedulingIfMissing":false}})"},
    {"PriorityClass", R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","value":1})",
     R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","value":1,
         "preemptionPolicy":"PreemptLowerPriority"})"},
    {"PriorityLevelConfiguration",
     R"({"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration",
         "spec":{"type":"Limited","limited":{"limitResponse":{"type":"Queue","queuing":{}}}}})",
     R"({"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration",
         "spec":{"type":"Limited","limited":{"nominalConcurrencyShares":30,"lendablePercent":0,
          "limitResponse":{"type":"Queue","queuing":{"queues":64,"handSize":8,"queueLengthLimit":50}}}}})"},
    {"Definition",
     R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
         "spec":{"names":{"kind":"Widget","plural":"widgets"}}})",
     R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
         "spec":{"names":{"kind":"Widget","plural":"widgets","singular":"widget","listKind":"WidgetList"},
          "conversion":{"strategy":"None"}}})"},
    {"ResourceClaim",
     R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","spec":{"devices":{"requests":[
         {"name":"a","exactly":{"deviceClassName":"x","tolerations":[{"key":"y"}]}},
         {"name":"b","firstAvailable":[{"name":"c","allocationMode":"All"}]}]}}})",
     R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","spec":{"devices":{"requests":[
         {"name":"a","exactly":{"deviceClassName":"x","allocationMode":"ExactCount","count":1,
          "tolerations":[{"key":"y","operator":"Equal"}]}},
         {"name":"b","firstAvailable":[{"name":"c","allocationMode":"All"}]}]}}})"},
};

#undef POD_SPEC_DEFAULTS
#undef MESSAGE_DEFAULTS

INSTANTIATE_TEST_SUITE_P(Kinds, Defaults, ::testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace kube::apiserver::test
