// SPDX-License-Identifier: Apache-2.0
//
// Chapters 9.3 and 9.4 of the reference: get and update.
#include <thread>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Update : public ServerTest {
 protected:
  const std::string item_ = std::string(kConfigMaps) + "/a";
};

TEST_F(Update, API_057_API_058_GetTakesARevisionThatIsThere) {
  const Answer made = make_config_map("a");
  EXPECT_EQ(get(item_ + "?resourceVersion=0").status, 200);
  make_config_map("b");
  const Answer answer = get(item_ + "?resourceVersion=" + revision());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.at({"metadata", "resourceVersion"}), made.at({"metadata", "resourceVersion"}));
}

TEST_F(Update, API_060_GetShowsTheLastWriteOnEveryConnection) {
  Answer made = make_config_map("a");
  for (int i = 0; i < 20; ++i) {
    const Answer put_answer = put(item_, with(made.json(), {"data", "n"}, std::to_string(i)));
    ASSERT_EQ(put_answer.status, 200);
    EXPECT_EQ(HttpClient(port()).send("GET", item_).at({"data", "n"}), std::to_string(i));
    made = put_answer;
  }
}

TEST_F(Update, API_061_UnreadableRevisionIsABadRequest) {
  make_config_map("a");
  expect_status(get(item_ + "?resourceVersion=abc"), 400, "BadRequest");
}

TEST_F(Update, API_062_WithTheCurrentRevisionSucceeds) {
  const Answer made = make_config_map("a");
  const Answer changed = put(item_, with(made.json(), {"data", "k"}, "v"));
  EXPECT_EQ(changed.status, 200);
  EXPECT_GT(std::stoll(changed.at({"metadata", "resourceVersion"})),
            std::stoll(made.at({"metadata", "resourceVersion"})));
  EXPECT_EQ(changed.at({"metadata", "uid"}), made.at({"metadata", "uid"}));
  EXPECT_EQ(changed.at({"metadata", "creationTimestamp"}),
            made.at({"metadata", "creationTimestamp"}));
}

TEST_F(Update, TheFirstOfAClaimStoresItsPhase) {
  const std::string claims = "/api/v1/namespaces/t/persistentvolumeclaims";
  const Answer made = post(claims, R"({"metadata":{"name":"a"},"spec":{
      "accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const auto version = [](const Answer& answer) {
    return answer.at({"metadata", "resourceVersion"});
  };
  EXPECT_EQ(version(put(claims + "/a?dryRun=All", made.json())), version(made));
  const Answer first = put(claims + "/a", made.json());
  EXPECT_NE(version(first), version(made));
  EXPECT_EQ(version(put(claims + "/a", first.json())), version(first));
  const Answer other = make_config_map("a");
  EXPECT_EQ(version(put(item_, other.json())), version(other));
}

TEST_F(Update, WhatAFeatureDropsCountsForASlice) {
  const std::string slices = "/apis/resource.k8s.io/v1/resourceslices";
  const Answer made = post(slices, R"({"metadata":{"name":"a"},"spec":{"driver":"d.example.com",
      "nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1},
      "devices":[{"name":"d"}]}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const auto changed = [&](std::initializer_list<std::string_view> path, json::Value value) {
    return put(slices + "/a?dryRun=All", with(made.json(), path, std::move(value)));
  };
  const Answer dropped =
      changed({"spec", "skipNodeOperations"}, json::Array{"NodePrepareResources"});
  EXPECT_EQ(dropped.at({"metadata", "generation"}), "2") << dropped.body;
  EXPECT_THAT(dropped.at({"spec", "skipNodeOperations"}), IsEmpty());
  EXPECT_EQ(
      changed({"metadata", "labels"}, json::Object{{"a", "b"}}).at({"metadata", "generation"}),
      "1");
}

TEST_F(Update, API_063_WithAStaleRevisionIsAConflict) {
  const Answer made = make_config_map("a");
  put(item_, with(made.json(), {"data", "k"}, "1"));
  const Answer stale = put(item_, with(made.json(), {"data", "k"}, "2"));
  expect_status(stale, 409, "Conflict");
  EXPECT_EQ(stale.at({"message"}),
            "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; "
            "please apply your changes to the latest version and try again");
  EXPECT_EQ(get(item_).at({"data", "k"}), "1");
}

TEST_F(Update, API_064_WithoutARevisionIsUnconditional) {
  make_config_map("a");
  const Answer changed = call("PUT", item_, config_map("a", R"({"k":"v"})"));
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.at({"data", "k"}), "v");
}

TEST_F(Update, LeasesNeedARevision) {
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/t/leases";
  post(leases, R"({"metadata":{"name":"l"}})");
  const Answer answer =
      call("PUT", leases + "/l", R"({"metadata":{"name":"l"},"spec":{"holderIdentity":"x"}})");
  expect_status(answer, 422, "Invalid");
  EXPECT_THAT(answer.at({"message"}), HasSubstr("must be specified for an update"));
}

TEST_F(Update, API_066_OfAMissingObjectIsNotFound) {
  expect_status(call("PUT", item_, config_map("a")), 404, "NotFound");
}

TEST_F(Update, API_067_CreatesMissingObjectsOfSomeKinds) {
  const Answer lease = call("PUT", "/apis/coordination.k8s.io/v1/namespaces/t/leases/l",
                            R"({"metadata":{"name":"l"}})");
  EXPECT_EQ(lease.status, 201) << lease.body;
  EXPECT_EQ(get("/apis/coordination.k8s.io/v1/namespaces/t/leases/l").status, 200);
}

TEST_F(Update, API_068_API_069_NeedsTheNameOfThePath) {
  make_config_map("a");
  const Answer other = call("PUT", item_, config_map("b"));
  expect_status(other, 400, "BadRequest");
  EXPECT_EQ(other.at({"message"}),
            "the name of the object (b) does not match the name on the URL (a)");
  const Answer none = call("PUT", item_, R"({"metadata":{}})");
  expect_status(none, 400, "BadRequest");
  EXPECT_EQ(none.at({"message"}),
            "the name of the object (a based on URL) was undeterminable: name must be provided");
}

TEST_F(Update, API_070_WithAnotherUidIsAConflict) {
  const Answer made = make_config_map("a");
  const Answer answer = put(item_, with(made.json(), {"metadata", "uid"}, "other"));
  expect_status(answer, 409, "Conflict");
  EXPECT_EQ(
      answer.at({"message"}),
      "Operation cannot be fulfilled on configmaps \"a\": StorageError: invalid object, Code: "
      "4, Key: /registry/configmaps/t/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition "
      "failed: UID in precondition: other, UID in object meta: " +
          made.at({"metadata", "uid"}));
  const Answer service = put("/api/v1/namespaces/t/services/none",
                             *json::parse(R"({"metadata":{"name":"none","uid":"other"},)"
                                          R"("spec":{"ports":[{"port":80}]}})"));
  EXPECT_THAT(service.at({"message"}), HasSubstr("Key: /registry/services/specs/t/none, "));
}

TEST_F(Update, ARevisionThatIsNoNumberIsA500) {
  const Answer made = make_config_map("a");
  const Answer answer = put(item_, with(made.json(), {"metadata", "resourceVersion"}, "x"));
  expect_status(answer, 500, "");
  EXPECT_EQ(answer.at({"message"}), R"(strconv.ParseUint: parsing "x": invalid syntax)");
}

TEST_F(Update, SomeKindsNeedARevision) {
  const std::string classes = "/apis/node.k8s.io/v1/runtimeclasses";
  post(classes, R"({"metadata":{"name":"x"},"handler":"h"})");
  const Answer answer =
      put(classes + "/x", *json::parse(R"({"metadata":{"name":"x"},"handler":"h"})"));
  expect_status(answer, 422, "Invalid");
  EXPECT_EQ(answer.at({"details", "kind"}), "runtimeclasses");
}

TEST_F(Update, KindsCountTheirChangesInTheirOwnWay) {
  const auto generation = [&](std::string_view path, std::string_view patch) {
    return merge(path, patch).at({"metadata", "generation"});
  };
  const std::string drivers = "/apis/storage.k8s.io/v1/csidrivers";
  post(drivers, R"({"metadata":{"name":"x"},"spec":{}})");
  EXPECT_EQ(get(drivers + "/x").at({"metadata", "generation"}), "");
  EXPECT_EQ(generation(drivers + "/x", R"({"spec":{"podInfoOnMount":true}})"), "1");
  const std::string classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
  post(classes, R"({"metadata":{"name":"x"},"value":1})");
  EXPECT_EQ(generation(classes + "/x", R"({"description":"d"})"), "1");
  const std::string slices = "/apis/discovery.k8s.io/v1/namespaces/t/endpointslices";
  post(slices, R"({"metadata":{"name":"x"},"addressType":"IPv4","endpoints":[]})");
  EXPECT_EQ(generation(slices + "/x", R"({"metadata":{"annotations":{"a":"b"}}})"), "1");
  EXPECT_EQ(generation(slices + "/x", R"({"metadata":{"labels":{"a":"b"}}})"), "2");
  const std::string ranges = "/apis/networking.k8s.io/v1/servicecidrs";
  post(ranges, R"({"metadata":{"name":"x"},"spec":{"cidrs":["10.9.0.0/16"]}})");
  EXPECT_EQ(get(ranges + "/x").at({"metadata", "generation"}), "");
}

TEST_F(Update, AnEmptyListThatATypeAlwaysWritesIsNone) {
  const Answer made = post("/apis/rbac.authorization.k8s.io/v1/namespaces/t/roles",
                           R"({"metadata":{"name":"r"},"rules":[]})");
  EXPECT_THAT(made.body, HasSubstr("\"rules\":null"));
}

TEST_F(Update, ConditionsOfRequestsForCertificatesAreDated) {
  const std::string path = "/apis/certificates.k8s.io/v1/certificatesigningrequests/x";
  const auto loaded = server().load_text(
      R"({"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest",)"
      R"("metadata":{"name":"x"},"spec":{"request":"eA==","signerName":"a.io/b","usages":["signing"]}})");
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  const Answer approved = merge(
      path + "/approval",
      R"({"status":{"conditions":[{"type":"Approved","status":"True","reason":"r","message":"m"}]}})");
  const json::Value request = approved.json();
  const json::Value& condition = request.array_at({"status", "conditions"}).front();
  EXPECT_EQ(condition.string_at({"lastUpdateTime"}).size(), 20U) << approved.body;
  EXPECT_EQ(condition.string_at({"lastUpdateTime"}), condition.string_at({"lastTransitionTime"}));
}

TEST_F(Update, API_071_API_221_OfTheSameContentWritesNothing) {
  const Answer made = make_config_map("a", R"({"k":"v"})");
  WatchClient watch(port(), std::string(kConfigMaps) + "?watch=true&resourceVersion=" + revision());
  const Answer same = put(item_, made.json());
  EXPECT_EQ(same.status, 200);
  EXPECT_EQ(same.body, made.body);
  make_config_map("fence");
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(Update, API_071_API_221_EmptyValuesThatTheTypeLeavesOutAreNoChange) {
  const Answer made = make_config_map("a", R"({"k":"v"})");
  WatchClient watch(port(), std::string(kConfigMaps) + "?watch=true&resourceVersion=" + revision());
  const json::Value none = json::Object{};
  EXPECT_EQ(put(item_, with(made.json(), {"metadata", "labels"}, none)).body, made.body);
  EXPECT_EQ(put(item_, with(made.json(), {"binaryData"}, none)).body, made.body);
  EXPECT_EQ(put(item_, with(made.json(), {"metadata", "finalizers"}, json::Array{})).body,
            made.body);
  EXPECT_EQ(put(item_, with(made.json(), {"metadata", "generateName"}, "")).body, made.body);
  make_config_map("fence");
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(Update, ValuesThatTheTypeAlwaysWritesAreThere) {
  const std::string deployments = "/apis/apps/v1/namespaces/default/deployments";
  const Answer made = call("POST", deployments, R"({"metadata":{"name":"d"},"spec":{
      "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},
      "spec":{"volumes":[],"containers":[{"name":"c","image":"i","env":[]}]}}}})");
  ASSERT_EQ(made.status, 201) << made.body;
  const json::Value document = made.json();
  const json::Value* status = document.at_path({"status"});
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(*status, json::Value(json::Object{}));
  const json::Value* pod = document.at_path({"spec", "template", "spec"});
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->at_path({"volumes"}), nullptr);
  const json::Value& container = pod->at_path({"containers"})->if_array()->front();
  EXPECT_EQ(container.at_path({"env"}), nullptr);
  ASSERT_NE(container.at_path({"resources"}), nullptr);
  EXPECT_EQ(*container.at_path({"resources"}), json::Value(json::Object{}));
}

TEST_F(Update, API_072_RemovesWhatIsLeftOut) {
  make_config_map("a", R"({"k":"v","l":"w"})");
  const Answer changed = call("PUT", item_, config_map("a", R"({"l":"w"})"));
  EXPECT_THAT(changed.at({"data", "k"}), IsEmpty());
  EXPECT_EQ(changed.at({"data", "l"}), "w");
}

TEST_F(Update, API_073_IgnoresMetadataThatOnlyTheServerWrites) {
  const Answer made = make_config_map("a");
  json::Value body = with(made.json(), {"metadata", "creationTimestamp"}, "2001-01-01T00:00:00Z");
  body = with(body, {"metadata", "generation"}, 9);
  body = with(body, {"metadata", "deletionTimestamp"}, "2001-01-01T00:00:00Z");
  const Answer changed = put(item_, body);
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.body, made.body);
}

TEST_F(Update, API_074_TenWritersThatRetryLoseNoIncrement) {
  make_config_map("a", R"({"n":"0"})");
  {
    std::vector<std::jthread> writers;
    for (int i = 0; i < 10; ++i) {
      writers.emplace_back([this] {
        HttpClient client(port());
        // A conflict means that another writer has finished: there are nine of them.
        for (int attempt = 0; attempt < 10; ++attempt) {
          const Answer current = client.send("GET", item_);
          const int next = std::stoi(current.at({"data", "n"})) + 1;
          const Answer written = client.send(
              "PUT", item_, json::dump(with(current.json(), {"data", "n"}, std::to_string(next))));
          if (written.status == 200) return;
          ASSERT_EQ(written.status, 409) << written.body;
        }
        ADD_FAILURE() << "more conflicts than there are other writers";
      });
    }
  }
  EXPECT_EQ(get(item_).at({"data", "n"}), "10");
}

class UpdateStatus : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    made_ = post("/api/v1/namespaces/t/pods", pod("p"));
  }
  const std::string item_ = "/api/v1/namespaces/t/pods/p";
  Answer made_;
};

TEST_F(UpdateStatus, API_076_MainPathKeepsTheStatus) {
  const Answer changed = put(item_, with(made_.json(), {"status", "phase"}, "Running"));
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.at({"status", "phase"}), "Pending");
  EXPECT_EQ(get(item_).at({"status", "phase"}), "Pending");
  EXPECT_EQ(changed.at({"metadata", "resourceVersion"}), made_.at({"metadata", "resourceVersion"}));
}

TEST_F(UpdateStatus, API_077_API_081_StatusPathKeepsTheSpec) {
  json::Value body = with(made_.json(), {"status", "phase"}, "Running");
  body = with(body, {"spec", "nodeName"}, "n1");
  const Answer changed = put(item_ + "/status", body);
  EXPECT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(changed.at({"status", "phase"}), "Running");
  EXPECT_THAT(changed.at({"spec", "nodeName"}), IsEmpty());
  EXPECT_EQ(changed.at({"metadata", "generation"}), made_.at({"metadata", "generation"}));
  EXPECT_NE(changed.at({"metadata", "resourceVersion"}), made_.at({"metadata", "resourceVersion"}));
  EXPECT_EQ(get(item_ + "/status").body, changed.body);
}

TEST_F(UpdateStatus, AStatusThatLeavesTheQualityOfServiceOutKeepsIt) {
  const Answer changed =
      call("PUT", item_ + "/status", R"({"metadata":{"name":"p"},"status":{"phase":"Running"}})");
  EXPECT_EQ(changed.at({"status", "phase"}), "Running");
  EXPECT_EQ(changed.at({"status", "qosClass"}), "BestEffort");
}

TEST_F(UpdateStatus, API_078_StatusPathHonoursTheRevision) {
  put(item_ + "/status", with(made_.json(), {"status", "phase"}, "Running"));
  expect_status(put(item_ + "/status", with(made_.json(), {"status", "phase"}, "Failed")), 409,
                "Conflict");
}

TEST_F(UpdateStatus, StatusOfBuiltInKindsTakesLabels) {
  const Answer changed =
      put(item_ + "/status", with(made_.json(), {"metadata", "labels", "a"}, "b"));
  EXPECT_EQ(changed.at({"metadata", "labels", "a"}), "b");
  // But not of all.
  const std::string nodes = "/apis/storage.k8s.io/v1/csinodes";
  const Answer node =
      post(nodes, R"({"metadata":{"name":"n"},"spec":{"drivers":[{"name":"d","nodeID":"n"}]}})");
  EXPECT_EQ(put(nodes + "/n/status", with(node.json(), {"metadata", "labels", "a"}, "b")).body,
            node.body);
}

TEST_F(UpdateStatus, GenerationCountsChangesOfTheSpecOnly) {
  const Answer labelled = put(item_, with(made_.json(), {"metadata", "labels", "a"}, "b"));
  EXPECT_EQ(labelled.at({"metadata", "generation"}), "1");
  const Answer changed = put(item_, with(labelled.json(), {"spec", "activeDeadlineSeconds"}, 5));
  EXPECT_EQ(changed.at({"metadata", "generation"}), "2");
}

TEST_F(Update, API_082_API_083_ImmutableFieldsStay) {
  make_config_map("a", R"({"k":"v"})");
  const Answer frozen = merge(item_, R"({"immutable":true})");
  ASSERT_EQ(frozen.status, 200);
  expect_status(merge(item_, R"({"data":{"k":"w"}})"), 422, "Invalid");
  expect_status(merge(item_, R"({"immutable":null})"), 422, "Invalid");
  post("/api/v1/namespaces/t/secrets", R"({"metadata":{"name":"s"}})");
  const Answer type = merge("/api/v1/namespaces/t/secrets/s", R"({"type":"other"})");
  expect_status(type, 422, "Invalid");
  EXPECT_EQ(first_cause(type), "FieldValueInvalid type");
}

TEST_F(Update, API_082_TheSelectorOfADeploymentStays) {
  const std::string deployments = "/apis/apps/v1/namespaces/t/deployments";
  ASSERT_EQ(post(deployments, R"({"metadata":{"name":"d"},"spec":{
      "selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b","c":"d"}},
      "spec":{"containers":[{"name":"c","image":"i"}]}}}})")
                .status,
            201);
  const Answer changed =
      merge(deployments + "/d", R"({"spec":{"selector":{"matchLabels":{"a":null,"c":"d"}}}})");
  expect_status(changed, 422, "Invalid");
  EXPECT_EQ(first_cause(changed), "FieldValueInvalid spec.selector");
}

TEST_F(UpdateStatus, API_082_SpecOfAPodMayChangeInFewFieldsOnly) {
  const auto refused = [&](std::string_view patch, std::string_view cause) {
    const Answer answer = merge(item_, patch);
    expect_status(answer, 422, "Invalid");
    EXPECT_EQ(first_cause(answer), cause) << patch;
  };
  const auto taken = [&](std::string_view patch) {
    const Answer answer = merge(item_, patch);
    EXPECT_EQ(answer.status, 200) << answer.body;
  };
  refused(R"({"spec":{"nodeName":"n1"}})", "FieldValueForbidden spec");
  refused(R"({"spec":{"containers":[{"name":"d","image":"i"}]}})", "FieldValueForbidden spec");
  refused(R"({"spec":{"containers":[{"name":"c","image":"i"},{"name":"d","image":"i"}]}})",
          "FieldValueForbidden spec.containers");
  taken(R"({"metadata":{"labels":{"a":"b"},"finalizers":["x.io/y"]}})");
  taken(R"({"spec":{"activeDeadlineSeconds":9}})");
  refused(R"({"spec":{"activeDeadlineSeconds":10}})",
          "FieldValueInvalid spec.activeDeadlineSeconds");
  refused(R"({"spec":{"activeDeadlineSeconds":null}})",
          "FieldValueInvalid spec.activeDeadlineSeconds");
  taken(R"({"spec":{"tolerations":[{"key":"a","operator":"Exists","effect":"NoExecute"}]}})");
  taken(
      R"({"spec":{"tolerations":[{"key":"a","operator":"Exists","effect":"NoExecute","tolerationSeconds":3},
      {"key":"b"}]}})");
  refused(R"({"spec":{"tolerations":[{"key":"b"}]}})", "FieldValueForbidden spec.tolerations");
  const Answer image = call("PATCH", item_, R"({"spec":{"containers":[{"name":"c","image":"j"}]}})",
                            {{"Content-Type", "application/strategic-merge-patch+json"}});
  EXPECT_EQ(image.status, 200) << image.body;
  // The subresource may change it.
  const Answer debugged = call("PATCH", item_ + "/ephemeralcontainers",
                               R"({"spec":{"ephemeralContainers":[{"name":"e","image":"i"}]}})",
                               {{"Content-Type", "application/strategic-merge-patch+json"}});
  EXPECT_EQ(debugged.status, 200) << debugged.body;
  EXPECT_THAT(debugged.body, HasSubstr(R"("ephemeralContainers":[{"name":"e")"));
}

TEST_F(UpdateStatus, API_082_AGatedPodMayStillBeToldWhereToGo) {
  const std::string gated = "/api/v1/namespaces/t/pods/g";
  post("/api/v1/namespaces/t/pods", pod("g", R"("schedulingGates":[{"name":"x"}])"));
  EXPECT_EQ(merge(gated, R"({"spec":{"nodeSelector":{"a":"b"}}})").status, 200);
  expect_status(merge(gated, R"({"spec":{"schedulingGates":[{"name":"x"},{"name":"y"}]}})"), 422,
                "Invalid");
  EXPECT_EQ(merge(gated, R"({"spec":{"schedulingGates":null}})").status, 200);
  expect_status(merge(gated, R"({"spec":{"nodeSelector":{"a":"c"}}})"), 422, "Invalid");
}

TEST_F(Update, AServiceKeepsWhatItWasGivenWhenAnUpdateLeavesItOut) {
  const std::string services = "/api/v1/namespaces/t/services";
  ASSERT_EQ(post(services, R"({"metadata":{"name":"s"},"spec":{"type":"LoadBalancer",
      "clusterIP":"10.0.0.7","clusterIPs":["10.0.0.7"],"ipFamilies":["IPv4"],
      "ipFamilyPolicy":"SingleStack","externalTrafficPolicy":"Local","healthCheckNodePort":31000,
      "ports":[{"name":"a","port":80,"nodePort":30001},{"name":"b","port":81,"nodePort":30002}]}})")
                .status,
            201);
  const Answer changed = call("PUT", services + "/s", R"({"metadata":{"name":"s"},"spec":{
      "type":"LoadBalancer","externalTrafficPolicy":"Local","ports":[{"name":"b","port":91},
      {"name":"c","port":92},{"name":"a","port":93,"nodePort":30003}]}})");
  EXPECT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(changed.at({"spec", "clusterIP"}), "10.0.0.7");
  EXPECT_EQ(changed.at({"spec", "clusterIPs"}), R"(["10.0.0.7"])");
  EXPECT_EQ(changed.at({"spec", "ipFamilies"}), R"(["IPv4"])");
  EXPECT_EQ(changed.at({"spec", "ipFamilyPolicy"}), "SingleStack");
  EXPECT_EQ(changed.at({"spec", "healthCheckNodePort"}), "31000");
  std::string node_ports;
  const json::Value document = changed.json();
  for (const json::Value& port : *document.at_path({"spec", "ports"})->if_array()) {
    node_ports += text_at_path(port, {"nodePort"}) + " ";
  }
  EXPECT_THAT(node_ports, ::testing::MatchesRegex("30002 3[0-9]{4} 30003 "));
  const Answer none = call("PUT", services + "/s", R"({"metadata":{"name":"s"},"spec":{
      "type":"ExternalName","externalName":"x.io"}})");
  EXPECT_EQ(none.status, 200) << none.body;
  EXPECT_EQ(none.at({"spec", "clusterIP"}), "");
}

TEST_F(Update, API_082_TheAddressOfAServiceStays) {
  const std::string services = "/api/v1/namespaces/t/services";
  post(services,
       R"({"metadata":{"name":"s"},"spec":{"clusterIP":"10.0.0.7","ports":[{"port":80}]}})");
  const Answer changed = merge(services + "/s", R"({"spec":{"clusterIP":"10.0.0.8"}})");
  expect_status(changed, 422, "Invalid");
  EXPECT_EQ(changed.at({"message"}),
            "Service \"s\" is invalid: spec.clusterIPs[0]: Invalid value: [\"10.0.0.8\"]: may not "
            "change once set");
  EXPECT_EQ(merge(services + "/s", R"({"spec":{"clusterIP":null}})").at({"spec", "clusterIP"}),
            "10.0.0.7");
}

TEST_F(Update, API_082_SpecOfAClaimStaysButForItsVolumeAndItsSize) {
  const std::string claims = "/api/v1/namespaces/t/persistentvolumeclaims";
  ASSERT_EQ(post(claims, R"({"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],
      "resources":{"requests":{"storage":"1Gi"}}}})")
                .status,
            201);
  const auto change = [&](const std::string& spec) {
    return merge(claims + "/c", R"({"spec":)" + spec + "}");
  };
  expect_status(change(R"({"resources":{"requests":{"storage":"2Gi"}}})"), 422, "Invalid");
  EXPECT_EQ(change(R"({"volumeName":"v","storageClassName":"k"})").status, 200);
  const Answer moved = change(R"({"volumeName":"w"})");
  expect_status(moved, 422, "Invalid");
  EXPECT_EQ(first_cause(moved), "FieldValueForbidden spec");
  EXPECT_EQ(merge(claims + "/c/status", R"({"status":{"phase":"Bound"}})").status, 200);
  const std::string_view larger = R"({"resources":{"requests":{"storage":"2Gi"}}})";
  expect_status(change(std::string(larger)), 403, "Forbidden");
  const std::string classes = "/apis/storage.k8s.io/v1/storageclasses";
  const std::string class_k = R"({"metadata":{"name":"k"},"provisioner":"a.io/b")";
  ASSERT_EQ(post(classes, class_k + "}").status, 201);
  expect_status(change(std::string(larger)), 403, "Forbidden");
  ASSERT_EQ(merge(classes + "/k", R"({"allowVolumeExpansion":true})").status, 200);
  EXPECT_EQ(change(std::string(larger)).status, 200);
  expect_status(change(R"({"accessModes":["ReadWriteMany"]})"), 422, "Invalid");
}

TEST_F(Update, API_082_TemplatesOfJobsAndNamesOfStatefulSetsStay) {
  const std::string jobs = "/apis/batch/v1/namespaces/t/jobs";
  const auto pods = [](const std::string& restarts) {
    return R"("template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":")" + restarts +
           R"(","containers":[{"name":"c","image":"i"}]}})";
  };
  ASSERT_EQ(post(jobs, R"({"metadata":{"name":"j"},"spec":{)" + pods("Never") + "}}").status, 201);
  const std::string relabel = R"({"spec":{"template":{"metadata":{"labels":{"a":"c"}}}}})";
  EXPECT_EQ(first_cause(merge(jobs + "/j", relabel)), "FieldValueInvalid spec.template");
  EXPECT_EQ(merge(jobs + "/j", R"({"spec":{"suspend":true,"parallelism":2}})").status, 200);
  EXPECT_EQ(merge(jobs + "/j", relabel).status, 200);

  const std::string sets = "/apis/apps/v1/namespaces/t/statefulsets";
  ASSERT_EQ(post(sets, R"({"metadata":{"name":"s"},"spec":{"serviceName":"x",
      "selector":{"matchLabels":{"a":"b"}},)" +
                           pods("Always") + "}}")
                .status,
            201);
  EXPECT_EQ(merge(sets + "/s", R"({"spec":{"replicas":3,"minReadySeconds":1}})").status, 200);
  EXPECT_EQ(first_cause(merge(sets + "/s", R"({"spec":{"serviceName":"y"}})")),
            "FieldValueInvalid spec.serviceName");
  EXPECT_EQ(first_cause(merge(sets + "/s", R"({"spec":{"selector":{"matchLabels":{"d":"e"}},
      "template":{"metadata":{"labels":{"d":"e"}}}}})")),
            "FieldValueInvalid spec.selector");
}

TEST_F(Update, API_129_DryRunChangesNothing) {
  const Answer made = make_config_map("a", R"({"k":"v"})");
  const Answer answer = put(item_ + "?dryRun=All", with(made.json(), {"data", "k"}, "w"));
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.at({"data", "k"}), "w");
  EXPECT_EQ(answer.at({"metadata", "resourceVersion"}), made.at({"metadata", "resourceVersion"}));
  const Answer patched = merge(item_ + "?dryRun=All", R"({"data":{"k":"x"}})");
  EXPECT_EQ(patched.status, 200);
  EXPECT_EQ(patched.at({"data", "k"}), "x");
  EXPECT_EQ(patched.at({"metadata", "resourceVersion"}), made.at({"metadata", "resourceVersion"}));
  EXPECT_EQ(call("DELETE", item_ + "?dryRun=All").status, 200);
  EXPECT_EQ(get(item_).body, made.body);
}

class FreshReads : public ServerTest {
 protected:
  ApiServer::Options options() const override {
    auto options = ServerTest::options();
    options.fresh_read_timeout = std::chrono::milliseconds(30);
    return options;
  }
};

TEST_F(FreshReads, API_029_API_059_AFutureRevisionIsWaitedForAndThenTooLarge) {
  make_config_map("a");
  const std::string future = std::to_string(server().resource_version() + 1'000'000);
  const Answer answer = get(std::string(kConfigMaps) + "/a?resourceVersion=" + future);
  expect_status(answer, 504, "Timeout");
  EXPECT_EQ(first_cause(answer), "ResourceVersionTooLarge ");
  EXPECT_EQ(answer.header("retry-after"), "1");
  EXPECT_LE(ApiServer::Options().fresh_read_timeout, std::chrono::seconds(4));
}

class PatientReads : public ServerTest {
 protected:
  ApiServer::Options options() const override {
    auto options = ServerTest::options();
    options.fresh_read_timeout = std::chrono::hours(1);
    return options;
  }
};

TEST_F(PatientReads, AReadOfAFutureRevisionIsAnsweredWhenItComes) {
  const std::string next = std::to_string(server().resource_version() + 1);
  HttpClient waiting(port());
  waiting.write("GET " + std::string(kConfigMaps) + "?resourceVersion=" + next +
                "&resourceVersionMatch=NotOlderThan HTTP/1.1\r\nHost: t\r\n\r\n");
  make_config_map("a");
  const Answer answer = waiting.read_answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(names_of(answer), "a");
}

}  // namespace
}  // namespace kube::apiserver::test
