// SPDX-License-Identifier: Apache-2.0
//
// What kube-apiserver 1.37.1 shows of patches that it refuses, and how it reads their numbers.
#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class PatchTexts : public ServerTest {
 protected:
  Answer strategic(std::string_view target, std::string_view patch) {
    return call("PATCH", target, patch,
                {{"Content-Type", "application/strategic-merge-patch+json"}});
  }
  std::string refused(std::string_view patch) {
    const Answer answer = strategic(item_, patch);
    EXPECT_GE(answer.status, 400) << answer.body;
    return answer.at({"message"});
  }
  void make_pod(std::string_view more = "") { ASSERT_EQ(post(kPods, pod("a", more)).status, 201); }
  static constexpr std::string_view kPods = "/api/v1/namespaces/t/pods";
  const std::string item_ = std::string(kPods) + "/a";
};

TEST_F(PatchTexts, MergedAndNewObjectsAreSorted) {
  make_pod();
  const Answer answer = merge(item_, R"({"spec":{"volumes":[{"name":"v","hostPath":
                                          {"type":"","path":1,"x":null}}]}})");
  EXPECT_EQ(answer.status, 422) << answer.body;
  EXPECT_THAT(
      answer.at({"message"}),
      HasSubstr(R"(\"volumes\":[{\"hostPath\":{\"path\":1,\"type\":\"\"},\"name\":\"v\"}])"));
}

TEST_F(PatchTexts, WhatTakesThePlaceOfAnObjectStaysAsItWasSent) {
  make_pod(R"("securityContext":{"runAsUser":1})");
  EXPECT_THAT(merge(item_, R"({"spec":{"securityContext":[{"b":1,"a":2}]}})").at({"message"}),
              HasSubstr(R"(\"securityContext\":[{\"b\":1,\"a\":2}])"));
}

TEST_F(PatchTexts, AnItemOfThePatchIsNamedBeforeOneOfTheObject) {
  const std::string accounts = "/api/v1/namespaces/t/serviceaccounts";
  ASSERT_EQ(post(accounts, R"({"metadata":{"name":"s"},"secrets":[{"uid":"u"}]})").status, 201);
  EXPECT_EQ(strategic(accounts + "/s", R"({"secrets":[{"kind":"K"}]})").at({"message"}),
            "map: [kind] does not contain declared merge key: name");
  EXPECT_EQ(strategic(accounts + "/s", R"({"secrets":[{"name":"n"}]})").at({"message"}),
            "map: [] does not contain declared merge key: name")
      << "accounts keep names alone";
}

TEST_F(PatchTexts, NullsInWhatIsNewAreGone) {
  make_pod();
  EXPECT_THAT(refused(R"({"metadata":{"uid":null},"spec":{"affinity":
                          {"podAffinity":null,"nodeAffinity":"x"}}})"),
              HasSubstr("map[metadata:map[uid:<nil>] spec:map[affinity:map[nodeAffinity:x]]]"));
}

TEST_F(PatchTexts, OfAStrategicMergeNameTypesOfTexts) {
  make_pod();
  EXPECT_THAT(refused(R"({"spec":{"containers":[{"name":"c","imagePullPolicy":1}]}})"),
              EndsWith("cannot convert int64 to v1.PullPolicy"));
  make_config_map("m", "{}");
  EXPECT_THAT(
      strategic(std::string(kConfigMaps) + "/m", R"({"binaryData":{"a":"%"}})").at({"message"}),
      EndsWith("error decoding from json: illegal base64 data at input byte 0"));
}

TEST_F(PatchTexts, IntegersOfAStrategicMergeWrap) {
  const std::string leases = "/apis/coordination.k8s.io/v1/namespaces/t/leases";
  ASSERT_EQ(post(leases, R"({"metadata":{"name":"l"}})").status, 201);
  const Answer answer = strategic(
      leases + "/l", R"({"spec":{"leaseTransitions":4294967301,"leaseDurationSeconds":7.0}})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.at({"spec", "leaseTransitions"}), "5");
  EXPECT_EQ(answer.at({"spec", "leaseDurationSeconds"}), "7");
  EXPECT_THAT(strategic(leases + "/l", R"({"spec":{"leaseTransitions":1.5}})").at({"message"}),
              EndsWith("cannot convert float64 to int32"));
}

}  // namespace
}  // namespace kube::apiserver::test
