// SPDX-License-Identifier: Apache-2.0
//
// Updates of a spec that may not change: what kube-apiserver 1.37.1 shows of the difference.
#include <string>
#include <string_view>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

constexpr std::string_view kPods = "/api/v1/namespaces/t/pods";
constexpr std::string_view kClaims = "/api/v1/namespaces/t/persistentvolumeclaims";

class SpecChange : public ServerTest {
 protected:
  // Returns the message of the first cause of a refused update, or of the one at `at`.
  Answer change(std::string_view target, std::initializer_list<std::string_view> path,
                json::Value value) {
    return put(target, with(get(target).json(), path, std::move(value)));
  }
  static std::string message(const Answer& answer, std::size_t at = 0) {
    const json::Value status = answer.json();
    const json::Array& causes = status.array_at({"details", "causes"});
    return at < causes.size() ? text_at_path(causes[at], {"message"}) : answer.body;
  }
};

TEST_F(SpecChange, OfAPodIsShownInGosNames) {
  post(kPods, pod("a"));
  const std::string item = std::string(kPods) + "/a";
  const std::string why =
      "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
      "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
      "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be "
      "set to 1 if it was previously negative)\n";
  EXPECT_EQ(message(change(item, {"spec", "os"}, json::Object{{"name", "linux"}})),
            why +
                "@@ -95,7 +95,9 @@\n  \"Overhead\": null,\n  \"TopologySpreadConstraints\": null,\n"
                "  \"SetHostnameAsFQDN\": null,\n- \"OS\": null,\n+ \"OS\": {\n+  \"Name\": "
                "\"linux\"\n+ },\n  \"HostUsers\": null,\n  \"SchedulingGates\": null,\n  "
                "\"ResourceClaims\": null,\n");
  const json::Array many(5000, json::Value(json::Object{{"name", "s"}}));
  EXPECT_EQ(message(change(item, {"spec", "imagePullSecrets"}, many)) + "\n", why)
      << "large ones are not shown";
  EXPECT_EQ(change(item, {"spec", "containers"}, json::Array{}).status, 422);
}

TEST_F(SpecChange, OfAPodThatWaitsMayChooseNodes) {
  post(kPods, pod("a", R"("schedulingGates":[{"name":"g"}])"));
  const std::string item = std::string(kPods) + "/a";
  EXPECT_EQ(change(item, {"spec", "nodeSelector"}, json::Object{{"a", "b"}}).status, 200);
  EXPECT_EQ(merge(item, R"({"spec":{"affinity":{"nodeAffinity":
                {"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":
                [{"matchExpressions":[{"key":"k","operator":"Exists"}]}]}}}}})")
                .status,
            200);
}

TEST_F(SpecChange, OfAResizedPodKeepsItsQuality) {
  post(kPods, pod("a"));
  const Answer resized =
      change(std::string(kPods) + "/a/resize", {"spec", "containers"},
             json::Array{
                 *json::parse(R"({"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}})")});
  EXPECT_EQ(message(resized),
            "Invalid value: \"BestEffort\": Pod QOS Class may not change as a result of resizing");
}

TEST_F(SpecChange, OfAClaimIsShown) {
  post(kClaims,
       R"({"metadata":{"name":"a"},"spec":{"accessModes":["ReadWriteOnce"],
           "resources":{"requests":{"storage":"2Gi"}}}})");
  const std::string item = std::string(kClaims) + "/a";
  const std::string why =
      "Forbidden: spec is immutable after creation except resources.requests and "
      "volumeAttributesClassName for bound claims\n";
  const Answer emptied = change(item, {"spec", "accessModes"}, json::Array{});
  EXPECT_EQ(message(emptied, 1), why +
                                     "@@ -1,7 +1,5 @@\n {\n- \"AccessModes\": [\n-  "
                                     "\"ReadWriteOnce\"\n- ],\n+ \"AccessModes\": [],\n  "
                                     "\"Selector\": null,\n  \"Resources\": {\n   \"Limits\": "
                                     "null,\n");
  const Answer smaller = change(item, {"spec", "resources", "requests", "storage"}, "0");
  EXPECT_EQ(message(smaller, 2), "Forbidden: field can not be less than status.capacity");
  const Answer block = change(item, {"spec", "volumeMode"}, "Block");
  EXPECT_EQ(message(block, 1), "Invalid value: \"Block\": field is immutable");
  EXPECT_EQ(message(change(item, {"spec", "volumeAttributesClassName"}, "c")).substr(0, 40),
            why.substr(0, 40));
  EXPECT_EQ(change(item, {"spec", "volumeName"}, "v").status, 200);
}

}  // namespace
}  // namespace kube::apiserver::test
