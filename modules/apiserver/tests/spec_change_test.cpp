// SPDX-License-Identifier: Apache-2.0
//
// Updates of a spec that may not change: what kube-apiserver 1.37.1 shows of the difference.
#include <string>
#include <string_view>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

TEST_F(SpecChange, ShowsWhatTheRequestHasEmptied) {
  post(kPods, pod("a"));
  EXPECT_THAT(message(merge(std::string(kPods) + "/a", R"({"spec":{"affinity":{"podAffinity":
                  {"requiredDuringSchedulingIgnoredDuringExecution":
                  [{"topologyKey":"k","namespaces":[]}]}}}})")),
              HasSubstr("+     \"LabelSelector\": null,\n+     \"Namespaces\": [],\n"));
}

TEST_F(SpecChange, PairsTheLongestRunOfEqualLines) {
  const std::string volumes = "/api/v1/persistentvolumes";
  post(volumes, R"({"metadata":{"name":"v"},"spec":{"capacity":{"storage":"1Gi"},
                    "accessModes":["ReadWriteOnce"],"hostPath":{"path":"/tmp"}}})");
  EXPECT_EQ(message(merge(volumes + "/v", R"({"spec":{"hostPath":null,
                                              "nfs":{"server":"s","path":"/p"}}})")),
            "Forbidden: spec.persistentvolumesource is immutable after creation\n"
            "@@ -1,12 +1,13 @@\n {\n  \"GCEPersistentDisk\": null,\n"
            "  \"AWSElasticBlockStore\": null,\n- \"HostPath\": {\n-  \"Path\": \"/tmp\",\n"
            "-  \"Type\": \"\"\n+ \"HostPath\": null,\n+ \"Glusterfs\": null,\n+ \"NFS\": {\n"
            "+  \"Server\": \"s\",\n+  \"Path\": \"/p\",\n+  \"ReadOnly\": false\n  },\n"
            "- \"Glusterfs\": null,\n- \"NFS\": null,\n  \"RBD\": null,\n  \"ISCSI\": null,\n"
            "  \"Cinder\": null,\n");
}

TEST_F(SpecChange, OfATemplateShowsItsMetadataInTheOrderOfTheirType) {
  const std::string templates = "/apis/resource.k8s.io/v1/namespaces/t/resourceclaimtemplates";
  const Answer made = post(templates, R"({"metadata":{"name":"r"},"spec":{"spec":{"devices":{
      "requests":[{"name":"r","exactly":{"deviceClassName":"c"}}]}}}})");
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_THAT(merge(templates + "/r", R"({"spec":{"metadata":{"annotations":{"c":"d"},
                                          "labels":{"b":"1","a":"2"}}}})")
                  .body,
              HasSubstr(R"({\"labels\":{\"a\":\"2\",\"b\":\"1\"},)"
                        R"(\"annotations\":{\"c\":\"d\"},\"Spec\")"));
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

TEST_F(SpecChange, OfAResizedPodIsThatOfItsResources) {
  post(kPods, R"({"metadata":{"name":"a"},"spec":{"containers":[
      {"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}})");
  const std::string target = std::string(kPods) + "/a/resize";
  const Answer resized = merge(target, R"({"metadata":{"labels":{"k":"v"}},
      "spec":{"activeDeadlineSeconds":5,"nodeName":"n","containers":[{"name":"c","image":"j",
      "command":["x"],"resources":{"requests":{"cpu":"2"}}}]}})");
  ASSERT_EQ(resized.status, 200) << resized.body;
  EXPECT_THAT(resized.body, HasSubstr(R"("resources":{"requests":{"cpu":"2"}})"));
  EXPECT_THAT(resized.body, HasSubstr(R"("image":"i")"));
  EXPECT_EQ(resized.at({"metadata", "generation"}), "2");
  for (const std::string_view kept :
       {R"("labels")", R"("command")", R"("activeDeadlineSeconds")", R"("nodeName")"}) {
    EXPECT_THAT(resized.body, Not(HasSubstr(kept)));
  }
  const auto refused = [&](std::string_view container) {
    return message(merge(target, R"({"spec":{"containers":[)" + std::string(container) + "]}}"));
  };
  EXPECT_EQ(refused(R"({"name":"d","image":"i","resources":{"requests":{"cpu":"1"}}})"),
            "Forbidden: containers may not be renamed or reordered on resize");
  EXPECT_EQ(refused(R"({"name":"c","image":"i","resources":{"requests":{"memory":"1"}}})"),
            "Forbidden: resource requests cannot be removed");
  EXPECT_EQ(refused(R"({"name":"c","image":"i","resources":{"requests":
                       {"cpu":"1","ephemeral-storage":"1"}}})"),
            "Forbidden: only cpu and memory resources are mutable");
  EXPECT_EQ(refused(R"({"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}},
                       {"name":"d","image":"i"})"),
            "Forbidden: containers may not be added or removed on resize");
}

TEST_F(SpecChange, OfAStaticPodIsNotOneOfItsContainers) {
  post(kPods,
       pod("a", R"("nodeName":"n")", R"("annotations":{"kubernetes.io/config.mirror":"x"})"));
  const std::string item = std::string(kPods) + "/a";
  EXPECT_EQ(message(merge(item + "/resize", "{}")), "Forbidden: static pods cannot be resized");
  EXPECT_EQ(message(merge(item + "/ephemeralcontainers", "{}")),
            "Forbidden: static pods do not support ephemeral containers");
}

TEST_F(SpecChange, OfEphemeralContainersAddsThem) {
  post(kPods, pod("a"));
  const std::string target = std::string(kPods) + "/a/ephemeralcontainers";
  const Answer added = merge(target, R"({"metadata":{"labels":{"k":"v"}},
      "spec":{"nodeName":"n","ephemeralContainers":[{"name":"e","image":"i"}]}})");
  ASSERT_EQ(added.status, 200) << added.body;
  EXPECT_THAT(added.body, HasSubstr(R"("ephemeralContainers":[{"name":"e")"));
  EXPECT_THAT(added.body, Not(HasSubstr(R"("nodeName")")));
  EXPECT_THAT(added.body, Not(HasSubstr(R"("labels")")));
  EXPECT_EQ(message(merge(target, R"({"spec":{"ephemeralContainers":null}})")),
            "Forbidden: existing ephemeral containers \"e\" may not be removed\n");
  EXPECT_EQ(message(merge(target, R"({"spec":{"ephemeralContainers":
                                     [{"name":"e","image":"j"}]}})")),
            "Forbidden: existing ephemeral containers \"e\" may not be changed\n"
            "@@ -1,6 +1,6 @@\n {\n  \"Name\": \"e\",\n- \"Image\": \"i\",\n+ \"Image\": \"j\",\n"
            "  \"Command\": null,\n  \"Args\": null,\n  \"WorkingDir\": \"\",\n");
}

TEST_F(SpecChange, OfAPodThatWaitsOnlyNarrowsItsChoice) {
  post(kPods, pod("a", R"("schedulingGates":[{"name":"g"}],"nodeSelector":{"a":"b"},
      "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
      {"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"Exists"}]}]}}})"));
  const std::string item = std::string(kPods) + "/a";
  EXPECT_EQ(merge(item, R"({"spec":{"nodeSelector":{"c":"d"}}})").status, 200);
  const std::string only =
      ": only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  EXPECT_EQ(message(merge(item, R"({"spec":{"nodeSelector":null}})")),
            "Invalid value: null" + only);
  EXPECT_EQ(message(merge(item, R"({"spec":{"nodeSelector":{"a":"x"}}})")),
            R"(Invalid value: {"a":"x","c":"d"})" + only);
  const auto with_terms = [&](std::string_view terms) {
    return merge(item, R"({"spec":{"affinity":{"nodeAffinity":
        {"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)" +
                           std::string(terms) + "]}}}}}");
  };
  EXPECT_EQ(with_terms(R"({"matchExpressions":[{"key":"k","operator":"Exists"},
                          {"key":"l","operator":"Exists"}]})")
                .status,
            200);
  EXPECT_EQ(message(with_terms(R"({"matchExpressions":[{"key":"l","operator":"Exists"}]})")),
            R"(Invalid value: {"MatchExpressions":[{"Key":"l","Operator":"Exists","Values":null}],)"
            R"("MatchFields":null}: only additions are allowed (no mutations or deletions))");
  EXPECT_THAT(message(merge(item, R"({"spec":{"affinity":null}})")),
              "Invalid value: null: no additions/deletions to non-empty NodeSelectorTerms list are "
              "allowed");
}

TEST_F(SpecChange, OfAPodLeavesItsOwnResources) {
  post(kPods, pod("a", R"("resources":{"requests":{"cpu":"1"}})"));
  const std::string item = std::string(kPods) + "/a";
  const Answer changed = merge(item, R"({"spec":{"resources":null,"activeDeadlineSeconds":5}})");
  ASSERT_EQ(changed.status, 200) << changed.body;
  EXPECT_EQ(changed.at({"spec", "resources"}), R"({"requests":{"cpu":"1"}})");
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
