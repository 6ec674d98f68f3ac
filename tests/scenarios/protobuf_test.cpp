// SPDX-License-Identifier: Apache-2.0
//
// Typed clients speak protobuf. What they write reads the same in JSON, which is what kubectl asks
// for, and what others wrote in JSON reads the same in protobuf.
#include <string>
#include <string_view>

#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/batch/v1/cron_job.hpp>
#include <kube/api/coordination/v1/lease.hpp>
#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/api/core/v1/secret.hpp>
#include <kube/api/core/v1/service.hpp>
#include <kube/api/networking/v1/network_policy.hpp>
#include <kube/client/api.hpp>
#include <kube/codec/converter.hpp>
#include <kube/codec/object.hpp>
#include <kube/json/value.hpp>
#include <kube/json/writer.hpp>

#include "kubectl_scenario.hpp"

namespace scenarios {
namespace {

namespace json = kube::json;

// Whether all that is asked for is there; what servers add does not count.
::testing::AssertionResult holds(const json::Value& whole, const json::Value& part,
                                 const std::string& path = "") {
  if (const json::Object* members = part.if_object()) {
    for (const auto& [name, value] : *members) {
      const json::Object* object = whole.if_object();
      const json::Value* found = object == nullptr ? nullptr : object->find(name);
      if (found == nullptr) return ::testing::AssertionFailure() << path << "." << name << ": none";
      if (auto inside = holds(*found, value, path + "." + name); !inside) return inside;
    }
    return ::testing::AssertionSuccess();
  }
  if (const json::Array* items = part.if_array()) {
    const json::Array* found = whole.if_array();
    if (found == nullptr || found->size() < items->size()) {
      return ::testing::AssertionFailure() << path << ": items are missing";
    }
    for (std::size_t i = 0; i < items->size(); ++i) {
      const std::string place = path + "[" + std::to_string(i) + "]";
      if (auto inside = holds((*found)[i], (*items)[i], place); !inside) return inside;
    }
    return ::testing::AssertionSuccess();
  }
  if (whole == part) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << path << ": " << json::dump(whole) << " instead of " << json::dump(part);
}

class ProtobufScenario : public KubectlScenario {
 protected:
  /// Writes the object in protobuf by a typed client and reads it as a JSON document; then the
  /// other way round under another name.
  template <class T>
  void goes_both_ways(std::string_view text) {
    SCOPED_TRACE(text);
    const auto transport = new_observed_transport();
    const kube::Client client = new_client(transport);
    const auto typed = client.template api<T>(namespace_);
    const auto documents = client.api(kube::meta::resource_of<T>(), namespace_);
    const json::Value wanted = must(json::parse(text));

    T object = must(kube::meta::from_value<T>(wanted));
    object.metadata.name = "typed";
    const T created = must(typed.create(object));
    EXPECT_EQ(transport->protobuf_requests(), 1u);
    EXPECT_EQ(transport->protobuf_responses(), 1u);
    const kube::Unstructured read = must(documents.get("typed"));
    EXPECT_EQ(transport->protobuf_responses(), 1u) << "documents are JSON";
    EXPECT_TRUE(holds(read.content, wanted));
    EXPECT_EQ(must(kube::meta::from_unstructured<T>(read)), created);
    if (on_real_server()) {
      const std::string shown =
          kubectl_prints({"get",
                          documents.resource().plural + "." + documents.resource().version + "." +
                              documents.resource().group,
                          "typed", "--show-managed-fields", "-o", "json"});
      EXPECT_EQ(must(json::parse(shown)), read.content);
    }

    kube::Unstructured document(wanted);
    document.set_name("document");
    const kube::Unstructured written = must(documents.create(document));
    EXPECT_EQ(transport->protobuf_requests(), 1u);
    EXPECT_EQ(must(typed.get("document")), must(kube::meta::from_unstructured<T>(written)));
    EXPECT_EQ(transport->protobuf_responses(), 2u);
  }
};

TEST_F(ProtobufScenario, ConfigMapsWithBytes) {
  goes_both_ways<kube::core::v1::ConfigMap>(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"a":"b","c":""}},
          "data":{"text":"läuft\n","empty":""},"binaryData":{"bytes":"AP+AgQ==","none":""},
          "immutable":false})");
}

TEST_F(ProtobufScenario, Secrets) {
  goes_both_ways<kube::core::v1::Secret>(
      R"({"apiVersion":"v1","kind":"Secret","metadata":{},"type":"example/kind",
          "data":{"key":"c2VjcmV0"}})");
}

TEST_F(ProtobufScenario, PodsWithQuantitiesAndProbes) {
  goes_both_ways<kube::core::v1::Pod>(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{"note":"\"quoted\""}},
          "spec":{"schedulerName":"nobody","terminationGracePeriodSeconds":0,
            "tolerations":[{"key":"k","operator":"Exists","tolerationSeconds":30,
                            "effect":"NoExecute"}],
            "volumes":[{"name":"tmp","emptyDir":{"medium":"Memory","sizeLimit":"64Mi"}}],
            "containers":[{"name":"main","image":"registry.example/app:1","args":["-v",""],
              "env":[{"name":"NODE","valueFrom":{"fieldRef":{"apiVersion":"v1",
                                                             "fieldPath":"spec.nodeName"}}}],
              "resources":{"requests":{"cpu":"100m","memory":"1Gi"},"limits":{"cpu":"1500m"}},
              "livenessProbe":{"httpGet":{"path":"/","port":"http","scheme":"HTTPS"}},
              "readinessProbe":{"tcpSocket":{"port":80}},
              "volumeMounts":[{"name":"tmp","mountPath":"/tmp"}]}]}})");
}

TEST_F(ProtobufScenario, ServicesWithIntOrString) {
  goes_both_ways<kube::core::v1::Service>(
      R"({"apiVersion":"v1","kind":"Service","metadata":{},
          "spec":{"clusterIP":"None","selector":{"app":"web"},
            "ports":[{"name":"a","port":80,"protocol":"TCP","targetPort":"http"},
                     {"name":"b","port":81,"protocol":"UDP","targetPort":8081}]}})");
}

TEST_F(ProtobufScenario, DeploymentsWithTemplates) {
  goes_both_ways<kube::apps::v1::Deployment>(
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{},
          "spec":{"replicas":0,"selector":{"matchLabels":{"app":"web"},
              "matchExpressions":[{"key":"app","operator":"In","values":["web"]}]},
            "strategy":{"type":"RollingUpdate",
                        "rollingUpdate":{"maxSurge":"25%","maxUnavailable":1}},
            "template":{"metadata":{"labels":{"app":"web"}},
              "spec":{"containers":[{"name":"main","image":"registry.example/app:1"}]}}}})");
}

TEST_F(ProtobufScenario, CronJobs) {
  goes_both_ways<kube::batch::v1::CronJob>(
      R"({"apiVersion":"batch/v1","kind":"CronJob","metadata":{},
          "spec":{"schedule":"*/5 * * * *","suspend":true,"concurrencyPolicy":"Forbid",
            "jobTemplate":{"spec":{"backoffLimit":0,"template":{"spec":{"restartPolicy":"Never",
              "containers":[{"name":"main","image":"registry.example/app:1"}]}}}}}})");
}

TEST_F(ProtobufScenario, LeasesWithMicroTimes) {
  goes_both_ways<kube::coordination::v1::Lease>(
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{},
          "spec":{"holderIdentity":"me","leaseDurationSeconds":15,
            "renewTime":"2026-01-02T03:04:05.060708Z"}})");
}

TEST_F(ProtobufScenario, NetworkPoliciesWithEmptySelectors) {
  goes_both_ways<kube::networking::v1::NetworkPolicy>(
      R"({"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy","metadata":{},
          "spec":{"podSelector":{},"policyTypes":["Ingress"],
            "ingress":[{"ports":[{"port":80,"endPort":90,"protocol":"TCP"}],
                        "from":[{"namespaceSelector":{}},
                                {"ipBlock":{"cidr":"10.0.0.0/8","except":["10.1.0.0/16"]}}]}]}})");
}

}  // namespace
}  // namespace scenarios
