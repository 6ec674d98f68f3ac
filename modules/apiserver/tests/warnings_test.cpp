// SPDX-License-Identifier: Apache-2.0
//
// The warnings of a write, as kube-apiserver 1.37.1 sends them.
#include "warnings/warnings.hpp"

#include <kube/api/types.hpp>
#include <kube/json/base64.hpp>

#include "certificates.hpp"
#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A document, and what is said of it.
struct Warned {
  std::string_view group;
  std::string_view version;
  std::string_view kind;
  std::string_view document;
  std::vector<std::string> warnings{};

  friend std::ostream& operator<<(std::ostream& out, const Warned& warned) {
    return out << warned.kind << ' ' << warned.document;
  }
};

std::vector<std::string> warnings_for(std::string_view group, std::string_view version,
                                      std::string_view kind, std::string_view document,
                                      const json::Value* before = nullptr) {
  const auto* type = api::find_type({std::string(group), std::string(version), std::string(kind)});
  const auto object = json::parse(document);
  EXPECT_NE(type, nullptr);
  EXPECT_TRUE(object.has_value());
  return object_warnings(*type, *object, before);
}

class WarningsOfKinds : public ::testing::TestWithParam<Warned> {};

TEST_P(WarningsOfKinds, AreThoseOfKubeApiserver) {
  const Warned& warned = GetParam();
  EXPECT_EQ(warnings_for(warned.group, warned.version, warned.kind, warned.document),
            warned.warnings);
}

const std::vector<Warned> kWarned = {
    {"",
     "v1",
     "Pod",
     R"({"metadata":{"name":"a.b","annotations":{"scheduler.alpha.kubernetes.io/critical-pod":""}},"spec":{"nodeSelector":{"beta.kubernetes.io/os":"linux"},"topologySpreadConstraints":[{"topologyKey":"failure-domain.beta.kubernetes.io/zone"}],"containers":[]}})",
     {"metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; "
      "a DNS label is recommended: [must not contain dots]",
      "spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "
      "\"kubernetes.io/os\" instead",
      "spec.topologySpreadConstraints[0].topologyKey: failure-domain.beta.kubernetes.io/zone is "
      "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
      "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching "
      "no pod",
      "metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; "
      "use the \"priorityClassName\" field instead"}},
    {"",
     "v1",
     "Pod",
     R"({"metadata":{"name":"a"},"spec":{"hostAliases":[{"ip":"1.2.3.4"},{"ip":"1.2.3.4"}],"imagePullSecrets":[{"name":"o"},{"name":"o"},{}],"containers":[{"name":"c","env":[{"name":"A","value":"1"},{"name":"A","value":"2"},{"name":"A","value":"$(A)3"}],"resources":{"limits":{"memory":"0.5"}},"ports":[{"containerPort":80,"protocol":"TCP","hostIP":"1.2.3.4"},{"containerPort":80,"protocol":"TCP","hostIP":"1.2.3.4"}]}],"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"k"}]}}}})",
     {"spec.hostAliases[1].ip: duplicate ip \"1.2.3.4\"",
      "spec.imagePullSecrets[1].name: duplicate name \"o\"",
      "spec.imagePullSecrets[2].name: invalid empty name \"\"",
      "spec.containers[0].resources.limits[memory]: fractional byte value \"500m\" is invalid, "
      "must be an integer",
      "spec.containers[0].env[1]: hides previous definition of \"A\", which may be dropped when "
      "using apply",
      "spec.containers[0].ports[0]: hostIP set without hostPort: {Name: HostPort:0 "
      "ContainerPort:80 Protocol:TCP HostIP:1.2.3.4}",
      "spec.containers[0].ports[1]: hostIP set without hostPort: {Name: HostPort:0 "
      "ContainerPort:80 Protocol:TCP HostIP:1.2.3.4}",
      "spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]",
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: "
      "a null labelSelector results in matching no pod"}},
    {"apps",
     "v1",
     "Deployment",
     R"({"metadata":{"name":"a"},"spec":{"template":{"spec":{"containers":[],"volumes":[{"name":"a","rbd":{}},{"name":"b","storageos":{}},{"name":"c","gitRepo":{}},{"name":"v","projected":{"sources":[{}]}},{"name":"s","secret":{"secretName":"s","items":[{"path":"p"},{"path":"p/q"}]}}]}}}})",
     {"spec.template.spec.volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+",
      "spec.template.spec.volumes[1].storageOS: deprecated in v1.22, non-functional in v1.25+",
      "spec.template.spec.volumes[2].gitRepo: deprecated in v1.11, and disabled by default in "
      "v1.33+",
      "volume \"v\" (Projected) has no sources provided",
      "volume \"s\" (Secret \"s\"): overlapping paths: \"p/q\" with \"p\""}},
    {"",
     "v1",
     "PersistentVolume",
     R"({"metadata":{"name":"a"},"spec":{"persistentVolumeReclaimPolicy":"Recycle","cephfs":{}}})",
     {"spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the "
      "recommended approach is to use dynamic provisioning.",
      "spec.cephfs: deprecated in v1.28, non-functional in v1.31+"}},
    {"apps",
     "v1",
     "StatefulSet",
     R"({"metadata":{"name":"a"},"spec":{"revisionHistoryLimit":-1}})",
     {"spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 "
      "is recommended"}},
    {"",
     "v1",
     "Service",
     R"({"metadata":{"name":"a"},"spec":{"externalIPs":["1.2.3.4"],"externalName":"e.example.com"}})",
     {"spec.externalIPs is deprecated and may no longer be implemented in some clusters",
      "spec.externalName is ignored when spec.type is not \"ExternalName\""}},
    {"",
     "v1",
     "Service",
     R"({"metadata":{"annotations":{"service.kubernetes.io/topology-aware-hints":"x"}},"spec":{"type":"ExternalName","externalIPs":["1.2.3.4"],"externalName":"e.example.com","trafficDistribution":"PreferClose"}})",
     {"annotation service.kubernetes.io/topology-aware-hints is deprecated, please use "
      "service.kubernetes.io/topology-mode instead",
      "spec.externalIPs is ignored when spec.type is \"ExternalName\"",
      "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\""}},
    {"",
     "v1",
     "Service",
     R"({"metadata":{"name":"a"},"spec":{"clusterIP":"None","externalIPs":["1.2.3.4"]}})",
     {"spec.externalIPs is ignored for headless services"}},
    {"",
     "v1",
     "Node",
     R"({"metadata":{"name":"a"},"spec":{"externalID":"x"}})",
     {"spec.externalID: this field is deprecated, and is unused by Kubernetes"}},
    {"apiextensions.k8s.io",
     "v1",
     "CustomResourceDefinition",
     R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":{"format":"b","properties":{"a":{"format":"date-time"},"c":{"items":{"format":"a"}}},"additionalProperties":{"format":"b"}}}}]}})",
     {"unrecognized format \"b\"", "unrecognized format \"a\""}},
    {"storage.k8s.io",
     "v1",
     "CSIDriver",
     R"({"metadata":{"name":"a"},"spec":{"tokenRequests":[{"audience":"a"}]}})",
     {"spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to "
      "prevent possible logging of tokens in volume attributes"}},
    {"discovery.k8s.io",
     "v1",
     "EndpointSlice",
     R"({"metadata":{"name":"a"},"addressType":"FQDN"})",
     {"spec.addressType: FQDN endpoints are deprecated"}},
    // What an attachment describes in the words of a PersistentVolume has none.
    {"storage.k8s.io",
     "v1",
     "VolumeAttachment",
     R"({"metadata":{"name":"a"},"spec":{"source":{"inlineVolumeSpec":{"rbd":{}}}}})",
     {}},
};

INSTANTIATE_TEST_SUITE_P(Kinds, WarningsOfKinds, ::testing::ValuesIn(kWarned));

TEST(Warnings, OfTemplatesComeWhenTheSpecChanges) {
  const auto before = json::parse(R"({"metadata":{"name":"a","generation":1}})");
  ASSERT_TRUE(before.has_value());
  const auto after = [&](std::string_view generation) {
    return warnings_for("apps", "v1", "Deployment",
                        R"({"metadata":{"name":"a","generation":)" + std::string(generation) +
                            R"(},"spec":{"template":{"spec":{"volumes":[{"rbd":{}}]}}}})",
                        &*before);
  };
  EXPECT_THAT(after("1"), IsEmpty());
  EXPECT_THAT(after("2"), ElementsAre("spec.template.spec.volumes[0].rbd: deprecated in v1.28, "
                                      "non-functional in v1.31+"));
}

TEST(Warnings, OfAReplicationControllerAreThoseOfWhatItWas) {
  const std::string_view plain = R"({"metadata":{"name":"a","generation":1}})";
  const std::string_view warned =
      R"({"metadata":{"name":"a","generation":2},"spec":{"template":{"spec":{"volumes":[{"rbd":{}}]}}}})";
  const json::Value before_plain = json::parse(plain).value();
  const json::Value before_warned = json::parse(warned).value();
  EXPECT_THAT(warnings_for("", "v1", "ReplicationController", warned, &before_plain), IsEmpty());
  EXPECT_EQ(warnings_for("", "v1", "ReplicationController", plain, &before_warned).size(), 1U);
  EXPECT_EQ(warnings_for("", "v1", "ReplicationController", warned).size(), 1U);
}

TEST(Warnings, OfADriverAreOfNewTokenRequests) {
  const std::string_view text =
      R"({"metadata":{"name":"a"},"spec":{"tokenRequests":[{"audience":"a"}]}})";
  const json::Value same = json::parse(text).value();
  const json::Value none = json::parse(R"({"metadata":{"name":"a"},"spec":{}})").value();
  EXPECT_THAT(warnings_for("storage.k8s.io", "v1", "CSIDriver", text, &same), IsEmpty());
  EXPECT_EQ(warnings_for("storage.k8s.io", "v1", "CSIDriver", text, &none).size(), 1U);
}

std::vector<std::string> warnings_for_pair(std::string_view certificate, std::string_view key) {
  const std::string data = R"("data":{"tls.crt":")" + std::string(certificate) +
                           R"(","tls.key":")" + std::string(key) + R"("})";
  return warnings_for("", "v1", "Secret", R"({"type":"kubernetes.io/tls",)" + data + "}");
}

TEST(Warnings, SayWhyTheCertificateOfASecretCanNotBeUsed) {
  constexpr std::string_view kNoData = "tls: failed to find any PEM data in ";
  const Key own = new_key();
  std::string certificate;
  json::write_base64(make_certificate(own.get(), 0, 1), certificate);
  const std::string key = key_in_base64(own.get());
  EXPECT_THAT(warnings_for_pair(certificate, key), IsEmpty());
  EXPECT_THAT(warnings_for_pair("", ""), ElementsAre(std::string(kNoData) + "certificate input"));
  EXPECT_THAT(warnings_for_pair(certificate, ""), ElementsAre(std::string(kNoData) + "key input"));
  EXPECT_THAT(warnings_for_pair(certificate, key_in_base64(new_key().get())),
              ElementsAre("tls: private key does not match public key"));
  EXPECT_THAT(warnings_for_pair(key, key),
              ElementsAre("tls: failed to find certificate PEM data in certificate input, but did "
                          "find a private key; PEM inputs may have been switched"));
  EXPECT_THAT(warnings_for_pair(certificate, certificate),
              ElementsAre("tls: found a certificate rather than a key in the PEM for the private "
                          "key"));
}

class ServedWarnings : public ServerTest {};

TEST_F(ServedWarnings, ComeWithEachWriteThatMakesTheObject) {
  const std::string header =
      R"(299 - "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. )"
      R"(Instead, the recommended approach is to use dynamic provisioning.")";
  const std::string volumes = "/api/v1/persistentvolumes";
  const std::string body =
      R"({"metadata":{"name":"a"},"spec":{"capacity":{"storage":"1Gi"},"accessModes":["ReadWriteOnce"],"persistentVolumeReclaimPolicy":"Recycle","hostPath":{"path":"/tmp"}}})";
  const Answer made = post(volumes, body);
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.header("warning"), header);
  EXPECT_EQ(put(volumes + "/a", made.json()).header("warning"), header);
  EXPECT_EQ(merge(volumes + "/a", R"({"metadata":{"labels":{"a":"b"}}})").header("warning"),
            header);
  // The status is not what the warning is about.
  EXPECT_THAT(merge(volumes + "/a/status", R"({"status":{"message":"m"}})").header("warning"),
              IsEmpty());
  EXPECT_THAT(get(volumes + "/a").header("warning"), IsEmpty());
  // What plugins refuse is valid, and warned of.
  const Answer refused =
      post("/api/v1/namespaces/t/pods", pod("p", R"("overhead":{"memory":"100m"})"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(
      refused.header("warning"),
      R"(299 - "spec.overhead[memory]: fractional byte value \"100m\" is invalid, must be an )"
      R"(integer")");
  // A refused object has errors alone.
  EXPECT_THAT(post(volumes, R"({"metadata":{"name":"b"},"spec":{"rbd":{}}})").header("warning"),
              IsEmpty());
}

TEST_F(ServedWarnings, AreCutWhenTheyAreLong) {
  std::string blocks;
  for (int i = 0; i < 3'000; ++i) blocks += "-----BEGIN A-----\nAAAA\n-----END A-----\n";
  std::string data;
  json::write_base64(blocks, data);
  const Answer made = post("/api/v1/namespaces/t/secrets",
                           R"({"metadata":{"name":"a"},"type":"kubernetes.io/tls","data":{)"
                           R"("tls.key":"","tls.crt":")" +
                               data + R"("}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const std::string header = made.header("warning");
  EXPECT_THAT(header, ::testing::StartsWith("299 - \"tls: failed to find \\\"CERTIFICATE\\\""));
  EXPECT_EQ(header.size(), 256 + std::string_view("299 - \"\"").size() + 2);
}

}  // namespace
}  // namespace kube::apiserver::test
