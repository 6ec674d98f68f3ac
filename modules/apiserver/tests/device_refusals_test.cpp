// SPDX-License-Identifier: Apache-2.0
//
// What claims of devices, certificates, events and reviews are refused for, and statuses. The
// errors were recorded from kube-apiserver 1.37.1.
#include "certificates.hpp"
#include "refusal_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view kLabelText =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kKeyText =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

std::string empty_value(std::string_view text) {
  return "Invalid value: \"\": " + std::string(text);
}

const std::vector<Refusal> kDeviceRefusals = {
    {"/apis/resource.k8s.io/v1/namespaces/t/resourceclaims",
     R"({"metadata":{"name":"a"},"spec":{"devices":{"requests":[{"name":""},{"name":"r","exactly":{"deviceClassName":"","count":-1,"selectors":[{}],"tolerations":[{"operator":"Exists","value":"v"}]}}],"constraints":[{"requests":["x"]}],"config":[{}]}}})",
     {"spec.devices.requests[0].name: " + empty_value(kLabelText),
      "spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is "
      "required",
      "spec.devices.requests[1].exactly.deviceClassName: Required value",
      "spec.devices.requests[1].exactly.selectors[0].cel: Required value",
      "spec.devices.requests[1].exactly.count: Invalid value: -1: must be greater than zero",
      "spec.devices.requests[1].exactly.tolerations[0].value: Invalid value: \"v\": must be empty "
      "for operator `Exists`",
      "spec.devices.constraints[0].requests[0]: Invalid value: \"x\": must be the name of a "
      "request "
      "in the claim or the name of a request and a subrequest separated by '/'",
      "spec.devices.constraints[0]: Required value: exactly one of \"matchAttribute\" or "
      "\"distinctAttribute\" is required, but multiple fields are set",
      "spec.devices.config[0].opaque: Required value"}},
    {"/apis/resource.k8s.io/v1/resourceslices",
     R"({"metadata":{"name":"a"},"spec":{"driver":"","pool":{},"devices":[{"name":"d","attributes":{"k":{},"v":{"version":"1"}},"bindingConditions":["a"]},{"name":"d","nodeName":"n"}]}})",
     {"spec.driver: Required value", "spec.pool.name: Required value",
      "spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero",
      "spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, "
      "`perDeviceNodeSelection` is required",
      "spec.devices[0].attributes[v].version: Invalid value: \"1\": must be a string compatible "
      "with semver.org spec 2.0.0",
      "spec.devices[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are "
      "required to use bindingConditions",
      "spec.devices[1]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be "
      "set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
      "spec.devices[1]: Duplicate value: \"d\"",
      "spec.devices[0].attributes[k]: Invalid value: \"\": must specify one of: `int`, `bool`, "
      "`string`, `version`, `ints`, `bools`, `strings`, `versions`"}},
    {"/apis/resource.k8s.io/v1/resourceslices",
     R"({"metadata":{"name":"a"},"spec":{"driver":"d.io","pool":{"name":"p","resourceSliceCount":1},"allNodes":true,"devices":[{"name":"d","allowMultipleAllocations":true,"capacity":{"k":{"value":"4","requestPolicy":{"default":"1","validValues":["2","8"]}},"r":{"value":"4","requestPolicy":{"default":"3","validRange":{"min":"1","max":"9","step":"3"}}}}}]}})",
     {"spec.devices[0].capacity[k].requestPolicy.validValues[1]: Invalid value: \"8\": option is "
      "larger than capacity value: 4",
      "spec.devices[0].capacity[k].requestPolicy.validValues: Invalid value: \"1\": default value "
      "is not valid according to the requestPolicy",
      "spec.devices[0].capacity[r].requestPolicy.validRange.max: Invalid value: \"9\": max is "
      "larger than capacity value: 4",
      "spec.devices[0].capacity[r].requestPolicy.validRange.step: Invalid value: \"3\": value is "
      "not a multiple of a given step (3) from (1)",
      "spec.devices[0].capacity[r].requestPolicy.validRange.step: Invalid value: \"9\": value is "
      "not a multiple of a given step (3) from (1)"}},
    {"/apis/resource.k8s.io/v1/devicetaintrules",
     R"({"metadata":{"name":"a"},"spec":{"deviceSelector":{"pool":""}}})",
     {"spec.deviceSelector.pool: Required value",
      "spec.taint.key: " + empty_value("name part must be non-empty"),
      "spec.taint.key: " + empty_value(kKeyText), "spec.taint.effect: Required value"}},
    {"/apis/resource.k8s.io/v1/namespaces/t/resourceclaimtemplates",
     R"({"metadata":{"name":"a"},"spec":{"metadata":{"uid":"u","name":"n"},"spec":{}}})",
     {"spec.metadata.name: Forbidden: cannot be set",
      "spec.metadata.uID: Forbidden: cannot be set"}},
    {"/apis/certificates.k8s.io/v1/namespaces/t/podcertificaterequests",
     R"({"metadata":{"name":"a"},"spec":{"signerName":"a","podName":"p","serviceAccountName":"s","serviceAccountUID":"u","nodeName":"n","nodeUID":"u","maxExpirationSeconds":1,"stubPKCS10Request":"YWJj"}})",
     {"spec.signerName: Invalid value: \"a\": must be a fully qualified domain and path of the "
      "form "
      "'example.com/signer-name'",
      "spec.podUID: Invalid value: \"\": must not be empty",
      "spec.maxExpirationSeconds: Invalid value: 1: must be in the range [3600, 7862400]",
      "spec.stubPKCS10Request: Invalid value: must be a valid PKCS#10 CSR"}},
    {"/apis/certificates.k8s.io/v1/clustertrustbundles",
     R"({"metadata":{"name":"a"},"spec":{"signerName":"a","trustBundle":"x"}})",
     {"metadata.name: Invalid value: \"a\": ClusterTrustBundle for signerName a must be named with "
      "prefix a:",
      "spec.signerName: Invalid value: \"a\": must be a fully qualified domain and path of the "
      "form "
      "'example.com/signer-name'",
      "spec.trustBundle: Invalid value: \"<value omitted>\": at least one trust anchor must be "
      "provided"}},
    {"/apis/events.k8s.io/v1/namespaces/t/events",
     R"({"metadata":{"name":"a"},"regarding":{"namespace":"t"},"type":"a","series":{},"deprecatedCount":1})",
     {"series.count: Invalid value: \"\": should be at least 2",
      "series.lastObservedTime: Required value", "eventTime: Required value",
      "type: Invalid value: \"\": has invalid value: a",
      "count: Invalid value: \"\": needs to be unset"}},
    {"/api/v1/namespaces/t/events",
     R"({"metadata":{"name":"a"},"involvedObject":{}})",
     {"involvedObject.namespace: Invalid value: \"\": does not match event.namespace"}},
    {"/apis/networking.k8s.io/v1/servicecidrs",
     R"({"metadata":{"name":"a"},"spec":{"cidrs":["a"]}})",
     {"spec.cidrs[0]: Invalid value: \"a\": must be a valid CIDR value, (e.g. 10.9.8.0/24 or "
      "2001:db8::/64)"}},
    {"/apis/networking.k8s.io/v1/ipaddresses",
     R"({"metadata":{"name":"10.0.0.9"},"spec":{"parentRef":{}}})",
     {"spec.parentRef.resource: Required value", "spec.parentRef.name: Required value"}},
    {"/apis/storage.k8s.io/v1/volumeattachments",
     R"({"metadata":{"name":"a"},"spec":{"attacher":"a","nodeName":"n","source":{"inlineVolumeSpec":{"capacity":{"storage":"1"},"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Delete","nodeAffinity":{},"volumeMode":"Block","hostPath":{"path":"/p"}}}}})",
     {"spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of "
      "inline volumes",
      "spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of "
      "inline volumes",
      "spec.source.inlineVolumeSpec.persistentVolumeReclaimPolicy: Forbidden: may only be Retain "
      "in "
      "the context of inline volumes",
      "spec.source.inlineVolumeSpec.nodeAffinity: Forbidden: may not be specified in the context "
      "of "
      "inline volumes",
      "spec.source.inlineVolumeSpec.volumeMode: Forbidden: may not specify volumeMode other than "
      "Filesystem in the context of inline volumes"}},
    {"/apis/authorization.k8s.io/v1/subjectaccessreviews",
     R"({"spec":{"resourceAttributes":{"fieldSelector":{},"labelSelector":{"requirements":[{"key":"k","operator":"Exists","values":["a"]}]}}}})",
     {"spec.user: Invalid value: \"\": at least one of user or group must be specified",
      "spec.resourceAttributes.fieldSelector.requirements: Required value: when "
      "spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required",
      "spec.resourceAttributes.labelSelector.requirements[0].values: Forbidden: may not be "
      "specified when `operator` is 'Exists' or 'DoesNotExist'"}},
};

INSTANTIATE_TEST_SUITE_P(Devices, Refusals, ::testing::ValuesIn(kDeviceRefusals));

class Statuses : public ServerTest {
 protected:
  std::vector<std::string> errors(std::string_view target, std::string_view status) {
    return errors_of(
        merge(std::string(target) + "/status", R"({"status":)" + std::string(status) + "}"));
  }
};

TEST_F(Statuses, HaveConditionsWithAReasonAndATime) {
  const std::string budget = "/apis/policy/v1/namespaces/t/poddisruptionbudgets";
  ASSERT_EQ(post(budget, R"({"metadata":{"name":"a"},"spec":{}})").status, 201);
  EXPECT_THAT(errors(budget + "/a", R"({"conditions":[{"status":"Wrong","reason":"a b"}]})"),
              ElementsAre("status.conditions[0].type: Required value: is required",
                          "status.conditions[0].status: Unsupported value: \"Wrong\": supported "
                          "values: \"False\", \"True\", \"Unknown\"",
                          "status.conditions[0].lastTransitionTime: Required value",
                          ::testing::StartsWith("status.conditions[0].reason: Invalid value: \"a "
                                                "b\": a condition reason must start with")));
}

TEST_F(Statuses, CountNoMoreThanThereIs) {
  const std::string sets = "/apis/apps/v1/namespaces/t/replicasets";
  ASSERT_EQ(
      post(
          sets,
          R"({"metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})")
          .status,
      201);
  EXPECT_THAT(
      errors(sets + "/a", R"({"replicas":1,"availableReplicas":2})"),
      ElementsAre(
          "status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas",
          "status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas"));
}

TEST_F(Statuses, OfPodsNameWhatTheirSpecHas) {
  const std::string pods = "/api/v1/namespaces/t/pods";
  ASSERT_EQ(post(pods, pod("a")).status, 201);
  EXPECT_THAT(
      errors(pods + "/a",
             R"({"qosClass":"Guaranteed","podIP":"a","resourceClaimStatuses":[{"name":"n"}]})"),
      ElementsAre("status.qosClass: Invalid value: \"Guaranteed\": field is immutable",
                  "status.resourceClaimStatuses[0].name: Invalid value: \"n\": must match the name "
                  "of an entry in `spec.resourceClaims`",
                  "status.podIPs[0]: Invalid value: \"a\": must be a valid IP address, (e.g. "
                  "10.9.8.7 or 2001:db8::ffff)"));
}

TEST_F(Statuses, OfServicesHaveAnAddressForALoadBalancerAlone) {
  const std::string services = "/api/v1/namespaces/t/services";
  ASSERT_EQ(post(services, R"({"metadata":{"name":"a"},"spec":{"ports":[{"port":80}]}})").status,
            201);
  EXPECT_THAT(errors(services + "/a", R"({"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}})"),
              ElementsAre("status.loadBalancer.ingress: Forbidden: may only be used when "
                          "`spec.type` is 'LoadBalancer'"));
}

TEST_F(Statuses, OfClaimsNameDevicesAndRequestsOfTheClaim) {
  const std::string claims = "/apis/resource.k8s.io/v1/namespaces/t/resourceclaims";
  ASSERT_EQ(
      post(
          claims,
          R"({"metadata":{"name":"a"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c"}}]}}})")
          .status,
      201);
  EXPECT_THAT(
      errors(
          claims + "/a",
          R"({"reservedFor":[{"resource":"pods","name":"p"}],"devices":[{"driver":"d.io","pool":"p","device":"d"}]})"),
      ElementsAre("status.reservedFor[0].uid: Required value",
                  "status.devices[0]: Invalid value: {\"Driver\":\"d.io\",\"Pool\":\"p\","
                  "\"Device\":\"d\",\"ShareID\":\"\"}: must be an allocated device in the claim",
                  "status.reservedFor: Forbidden: may not be specified when `allocated` is not "
                  "set"));
  EXPECT_THAT(
      errors(
          claims + "/a",
          R"({"allocation":{"devices":{"results":[{"request":"x","driver":"d.io","pool":"p","device":"d"}]}}})"),
      ElementsAre("status.allocation.devices.results[0].request: Invalid value: \"x\": must be the "
                  "name of a request in the claim or the name of a request and a subrequest "
                  "separated by '/'"));
}

TEST_F(Statuses, OfClaimsGiveAdminAccessWhereTheNamespaceAllowsIt) {
  const auto made = [this](const std::string& namespace_, std::string_view name,
                           const std::string& kind, std::string_view access) {
    const std::string devices =
        R"({"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c")" +
        std::string(access) + "}}]}}";
    return post("/apis/resource.k8s.io/v1/namespaces/" + namespace_ + "/" + kind,
                R"({"metadata":{"name":")" + std::string(name) + R"("},"spec":)" +
                    (kind == "resourceclaims" ? devices : R"({"spec":)" + devices + "}") + "}");
  };
  const std::string why =
      ".adminAccess: Forbidden: admin access to devices requires the "
      "`resource.kubernetes.io/admin-access: true` label on the containing namespace";
  const std::string result =
      R"({"allocation":{"devices":{"results":[{"request":"r","driver":"d.io","pool":"p",
          "device":"d","adminAccess":true}]}}})";
  const std::string claim = "/apis/resource.k8s.io/v1/namespaces/t/resourceclaims/b";
  for (const std::string kind : {"resourceclaims", "resourceclaimtemplates"}) {
    EXPECT_THAT(errors_of(made("t", "a", kind, R"(,"adminAccess":true)")),
                ElementsAre("spec.devices.requests[0]" + why));
    EXPECT_EQ(made("t", "b", kind, R"(,"adminAccess":false)").status, 201);
  }
  EXPECT_THAT(errors(claim, result), ElementsAre("status.allocation.devices.results[0]" + why));
  ASSERT_EQ(merge("/api/v1/namespaces/t",
                  R"({"metadata":{"labels":{"resource.kubernetes.io/admin-access":"true"}}})")
                .status,
            200);
  EXPECT_EQ(made("t", "a", "resourceclaims", R"(,"adminAccess":true)").status, 201);
  EXPECT_THAT(errors(claim, result), IsEmpty());
}

TEST_F(Statuses, OfJobsFitWhatTheJobIs) {
  const std::string jobs = "/apis/batch/v1/namespaces/t/jobs";
  ASSERT_EQ(
      post(
          jobs,
          R"({"metadata":{"name":"a"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})")
          .status,
      201);
  EXPECT_THAT(
      errors(
          jobs + "/a",
          R"({"ready":1,"completedIndexes":"3-1","conditions":[{"type":"Failed","status":"True"}]})"),
      ElementsAre("status.conditions: Invalid value: cannot set Failed=True condition without the "
                  "FailureTarget=true condition",
                  "status.startTime: Required value: startTime is required for finished job",
                  "status.completedIndexes: Invalid value: \"3-1\": error parsing "
                  "completedIndexes: too large index: \"3\"",
                  "status.completedIndexes: Invalid value: \"3-1\": cannot set non-empty "
                  "completedIndexes when non-indexed completion mode",
                  "status.ready: Invalid value: 1: cannot set more ready pods than active"));
  EXPECT_THAT(
      errors(jobs + "/a", R"({"succeeded":-1,"uncountedTerminatedPods":{"succeeded":["u",""],
          "failed":["u"]}})"),
      ElementsAre("status.succeeded: Invalid value: -1: must be greater than or equal to 0",
                  "status.uncountedTerminatedPods.succeeded[1]: Invalid value: \"\": must not be "
                  "empty",
                  "status.uncountedTerminatedPods.failed[0]: Duplicate value: \"u\"",
                  "status.succeeded: Invalid value: -1: cannot decrease the succeeded counter"));
}

TEST_F(Statuses, OfJobsThatAreOverStay) {
  const std::string jobs = "/apis/batch/v1/namespaces/t/jobs";
  ASSERT_EQ(
      post(
          jobs,
          R"({"metadata":{"name":"a"},"spec":{"completionMode":"Indexed","completions":5,"parallelism":2,"backoffLimitPerIndex":1,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})")
          .status,
      201);
  const std::string failed =
      R"("conditions":[{"type":"FailureTarget","status":"True"},{"type":"Failed","status":"True"}])";
  EXPECT_THAT(
      errors(jobs + "/a", R"({"active":1,"terminating":1,"startTime":"2026-01-02T00:00:00Z",
          "completionTime":"2026-01-01T00:00:00Z","uncountedTerminatedPods":{"failed":["u"]},
          "completedIndexes":"0-2","failedIndexes":"2,4",)" +
                              failed + "}"),
      ElementsAre(
          "status.completionTime: Invalid value: \"2026-01-01T00:00:00Z\": cannot set "
          "completionTime when there is no Complete=True condition",
          "status.completionTime: Invalid value: \"2026-01-01T00:00:00Z\": must be equal to or "
          "after `startTime`",
          "status.active: Invalid value: 1: active>0 is invalid for finished job",
          "status.uncountedTerminatedPods: Invalid value: {\"Succeeded\":null,\"Failed\":"
          "[\"u\"]}: must be empty for finished job",
          "status.failedIndexes: Invalid value: \"2,4\": failedIndexes and completedIndexes "
          "overlap at index: 2",
          "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job"));
  ASSERT_THAT(errors(jobs + "/a", R"({"failed":2,"succeeded":2,"startTime":"2026-01-01T00:00:00Z",
      "completedIndexes":"0-1","failedIndexes":"2,4",)" +
                                      failed + "}"),
              IsEmpty());
  EXPECT_THAT(errors(jobs + "/a", R"({"failed":1,"succeeded":1,"startTime":null,"conditions":[
                  {"type":"SuccessCriteriaMet","status":"True"}]})"),
              ElementsAre("status.conditions: Invalid value: cannot disable the terminal "
                          "Failed=True condition",
                          "status.conditions: Invalid value: cannot disable the terminal "
                          "FailureTarget=True condition",
                          "status.failed: Invalid value: 1: cannot decrease the failed counter",
                          "status.succeeded: Invalid value: 1: cannot decrease the succeeded "
                          "counter",
                          "status.startTime: Invalid value: null: field is immutable for "
                          "unsuspended job once set"));
}

TEST_F(Statuses, OfRequestsAreApprovedThroughTheirSubresource) {
  const std::string requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const auto with = [](std::string_view request) {
    return R"({"metadata":{"name":"a"},"spec":{"signerName":"a.io/b","usages":["signing"],"request":")" +
           std::string(request) + "\"}}";
  };
  // A block of three zero bytes.
  EXPECT_THAT(
      errors_of(post(requests, with("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KQUFBQQotLS0t"
                                    "LUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K"))),
      ElementsAre(HasSubstr("asn1: structure error: tags don't match (16 vs {class:0 tag:0 "
                            "length:0 isCompound:false})")));
  const Key key = new_key();
  ASSERT_EQ(post(requests, with(make_signing_request(key.get(), true))).status, 201);
  const std::string approved = R"({"conditions":[{"type":"Approved","status":"True"}]})";
  EXPECT_THAT(errors(requests + "/a", approved),
              ElementsAre("status.conditions: Forbidden: updates may not add a condition of type "
                          "\"Approved\""));
  EXPECT_EQ(merge(requests + "/a/approval", R"({"status":)" + approved + "}").status, 200);
  EXPECT_THAT(errors_of(merge(requests + "/a/approval", R"({"status":{"conditions":[]}})")),
              ElementsAre("status.conditions: Forbidden: updates may not remove a condition of "
                          "type \"Approved\""));
}

TEST_F(Statuses, StatesOfDevicesGoWithTheAllocation) {
  const std::string claims = "/apis/resource.k8s.io/v1/namespaces/t/resourceclaims";
  ASSERT_EQ(post(claims, R"({"metadata":{"name":"d"},"spec":{"devices":{"requests":[
      {"name":"r","exactly":{"deviceClassName":"c"}}]}}})")
                .status,
            201);
  const auto status = [&](std::string_view text) {
    return merge(claims + "/d/status", R"({"status":)" + std::string(text) + "}");
  };
  ASSERT_EQ(status(R"({"allocation":{"devices":{"results":[
      {"request":"r","driver":"a.io","pool":"p","device":"x"}]}},"devices":[
      {"driver":"a.io","pool":"p","device":"x"}]})")
                .status,
            200);
  EXPECT_EQ(status(R"({"allocation":null})").at({"status", "devices"}), "");
}

class OrderOfErrors : public ServerTest {};

TEST_F(OrderOfErrors, OfANewEventHasItsMetadataInTheMiddle) {
  EXPECT_THAT(
      errors_of(post("/apis/events.k8s.io/v1/namespaces/t/events", "{}")),
      ElementsAre("involvedObject.namespace: Invalid value: \"\": does not match "
                  "event.namespace",
                  "metadata.name: Required value: name or generateName is required",
                  "eventTime: Required value", "type: Invalid value: \"\": has invalid value: "));
}

TEST_F(OrderOfErrors, OfAChangedAttachmentIsThatOfItsFields) {
  const std::string attachments = "/apis/storage.k8s.io/v1/volumeattachments";
  const Answer made = post(attachments, R"({"metadata":{"name":"a"},"spec":{"attacher":"d.io",
      "nodeName":"n","source":{"persistentVolumeName":"v"}}})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(errors_of(put(attachments + "/a", with(made.json(), {"spec"}, json::Object{}))),
              ElementsAre("spec.attacher: Required value", StartsWith("spec.source: Required"),
                          StartsWith("spec.nodeName: Invalid"),
                          "spec: Invalid value: null: field is immutable"));
  EXPECT_THAT(errors_of(post(attachments, R"({"metadata":{"name":"b"}})")),
              ElementsAre(StartsWith("spec.source: Required"), StartsWith("spec.nodeName: Invalid"),
                          "spec.attacher: Required value"));
}

class FixedFields : public ServerTest {};

TEST_F(FixedFields, OfAVolumeShowWhatChanged) {
  const std::string volumes = "/api/v1/persistentvolumes";
  ASSERT_EQ(
      post(
          volumes,
          R"({"metadata":{"name":"a"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"hostPath":{"path":"/tmp"}}})")
          .status,
      201);
  EXPECT_THAT(
      errors_of(merge(volumes + "/a", R"({"spec":{"hostPath":{"path":"/p"}}})")),
      ElementsAre("spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is "
                  "immutable after creation\n@@ -2,7 +2,7 @@\n  \"GCEPersistentDisk\": null,\n  "
                  "\"AWSElasticBlockStore\": null,\n  \"HostPath\": {\n-  \"Path\": "
                  "\"/tmp\",\n+  \"Path\": \"/p\",\n   \"Type\": \"\"\n  },\n  "
                  "\"Glusterfs\": null,\n"));
}

TEST_F(FixedFields, OfDeclarativeRulesShowNoValue) {
  const std::string addresses = "/apis/networking.k8s.io/v1/ipaddresses";
  ASSERT_EQ(
      post(
          addresses,
          R"({"metadata":{"name":"10.0.0.9"},"spec":{"parentRef":{"resource":"services","name":"s"}}})")
          .status,
      201);
  EXPECT_THAT(errors_of(merge(addresses + "/10.0.0.9", R"({"spec":{"parentRef":{"name":"t"}}})")),
              ElementsAre("spec.parentRef: Invalid value: null: field is immutable"));
  const std::string ranges = "/apis/networking.k8s.io/v1/servicecidrs";
  ASSERT_EQ(post(ranges, R"({"metadata":{"name":"a"},"spec":{"cidrs":["10.5.0.0/24"]}})").status,
            201);
  EXPECT_THAT(errors_of(merge(ranges + "/a", R"({"spec":{"cidrs":["10.6.0.0/24"]}})")),
              ElementsAre("spec.cidrs[0]: Invalid value: \"10.6.0.0/24\": field is immutable"));
}

}  // namespace
}  // namespace kube::apiserver::test
