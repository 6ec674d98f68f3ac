// SPDX-License-Identifier: Apache-2.0
//
// Chapter 9.8 of the reference: delete, finalizers, ownership; and binding and eviction of pods.
#include <kube/base/executor.hpp>
#include <kube/testing/fake_clock.hpp>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Delete : public ServerTest {
 protected:
  // Only what is loaded can have a negative one.
  void load_pod_without_grace(std::string_view spec) {
    ASSERT_TRUE(server().load_text(
        R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"t"},"spec":{)" +
        std::string(spec) + R"("terminationGracePeriodSeconds":-5}})"));
  }

  const std::string item_ = std::string(kConfigMaps) + "/a";
  const std::string pods_ = "/api/v1/namespaces/t/pods";
};

constexpr std::string_view kFinalizer = R"("finalizers":["x.io/y"])";

TEST_F(Delete, API_139_OfMostKindsAnswersWithAStatus) {
  const Answer made = make_config_map("a");
  const Answer answer = remove(item_);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.at({"kind"}), "Status");
  EXPECT_EQ(answer.at({"status"}), "Success");
  EXPECT_EQ(answer.at({"details", "name"}), "a");
  EXPECT_EQ(answer.at({"details", "kind"}), "configmaps");
  EXPECT_EQ(answer.at({"details", "uid"}), made.at({"metadata", "uid"}));
  EXPECT_THAT(answer.at({"code"}), IsEmpty());
  EXPECT_EQ(get(item_).status, 404);
}

TEST_F(Delete, API_140_OfAPodAnswersWithThePod) {
  post(pods_, pod("p"));
  const Answer answer = remove(pods_ + "/p");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.at({"kind"}), "Pod");
  EXPECT_EQ(get(pods_ + "/p").status, 404);
}

TEST_F(Delete, API_141_OfAMissingObjectIsNotFound) {
  expect_status(remove(item_), 404, "NotFound");
}

TEST_F(Delete, API_142_API_143_ChecksPreconditions) {
  make_config_map("a");
  const Answer uid = remove(item_, R"({"preconditions":{"uid":"other"}})");
  expect_status(uid, 409, "Conflict");
  EXPECT_THAT(uid.at({"message"}), HasSubstr("the UID in the precondition (other) does not match"));
  EXPECT_EQ(uid.at({"details", "kind"}), "ConfigMap");
  const Answer version = remove(item_, R"({"preconditions":{"resourceVersion":"1"}})");
  expect_status(version, 409, "Conflict");
  EXPECT_EQ(get(item_).status, 200);
  EXPECT_EQ(
      remove(item_, R"({"preconditions":{"resourceVersion":")" + revision() + R"("}})").status,
      200);
}

TEST_F(Delete, API_144_TakesOptionsWithAndWithoutKind) {
  make_config_map("a");
  EXPECT_EQ(remove(item_, R"({"propagationPolicy":"Background"})").status, 200);
  make_config_map("a");
  EXPECT_EQ(remove(item_, R"({"kind":"DeleteOptions","apiVersion":"v1"})").status, 200);
  make_config_map("a");
  expect_status(remove(item_, R"({"kind":"ConfigMap","apiVersion":"v1"})"), 400, "BadRequest");
}

TEST_F(Delete, API_145_API_146_API_224_WaitsForFinalizers) {
  const Answer made = make_config_map("a", "{}", "t", kFinalizer);
  WatchClient watch(port(), std::string(kConfigMaps) + "?watch=true&resourceVersion=" + revision());
  const Answer first = remove(item_);
  EXPECT_EQ(first.status, 200);
  EXPECT_THAT(first.at({"metadata", "deletionTimestamp"}), Not(IsEmpty()));
  EXPECT_EQ(first.at({"metadata", "deletionGracePeriodSeconds"}), "0");
  EXPECT_EQ(get(item_).status, 200);
  const auto event = watch.next();
  EXPECT_EQ(text_at_path(*event, {"type"}), "MODIFIED");
  EXPECT_THAT(text_at_path(*event, {"object", "metadata", "deletionTimestamp"}), Not(IsEmpty()));

  const Answer again = remove(item_);
  EXPECT_EQ(again.status, 200);
  EXPECT_EQ(again.body, first.body);
  make_config_map("fence");
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(Delete, API_147_NoFinalizerCanBeAddedMeanwhile) {
  make_config_map("a", "{}", "t", kFinalizer);
  const Answer dying = remove(item_);
  const Answer answer =
      put(item_, with(dying.json(), {"metadata", "finalizers"}, json::Array{"x.io/y", "x.io/z"}));
  expect_status(answer, 422, "Invalid");
  EXPECT_EQ(first_cause(answer), "FieldValueForbidden metadata.finalizers");
}

TEST_F(Delete, API_148_API_224_RemovingTheLastFinalizerRemovesTheObject) {
  make_config_map("a", "{}", "t", kFinalizer);
  const Answer dying = remove(item_);
  WatchClient watch(port(), std::string(kConfigMaps) + "?watch=true&resourceVersion=" + revision());
  const Answer answer = merge(item_, R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.at({"metadata", "finalizers"}), IsEmpty());
  EXPECT_EQ(get(item_).status, 404);
  const auto event = watch.next();
  EXPECT_EQ(text_at_path(*event, {"type"}), "DELETED");
  // The last stored state still had it.
  EXPECT_EQ(text_at_path(*event, {"object", "metadata", "finalizers"}), R"(["x.io/y"])");
  EXPECT_GT(std::stoll(text_at_path(*event, {"object", "metadata", "resourceVersion"})),
            std::stoll(dying.at({"metadata", "resourceVersion"})));
}

TEST_F(Delete, API_149_API_150_ATerminatingObjectCanBeChangedButNotRevived) {
  make_config_map("a", "{}", "t", kFinalizer);
  const Answer dying = remove(item_);
  json::Value body = with(dying.json(), {"data", "k"}, "v");
  body.if_object()->find("metadata")->if_object()->erase("deletionTimestamp");
  const Answer answer = put(item_, body);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.at({"data", "k"}), "v");
  EXPECT_EQ(answer.at({"metadata", "deletionTimestamp"}),
            dying.at({"metadata", "deletionTimestamp"}));
}

TEST_F(Delete, API_151_API_152_PoliciesAddTheirFinalizers) {
  make_config_map("a");
  const Answer foreground = remove(item_, R"({"propagationPolicy":"Foreground"})");
  EXPECT_EQ(foreground.at({"metadata", "finalizers"}), R"(["foregroundDeletion"])");
  EXPECT_THAT(foreground.at({"metadata", "deletionTimestamp"}), Not(IsEmpty()));
  make_config_map("b");
  const Answer orphan = call("DELETE", std::string(kConfigMaps) + "/b?propagationPolicy=Orphan");
  EXPECT_EQ(orphan.at({"metadata", "finalizers"}), R"(["orphan"])");
}

TEST_F(Delete, API_153_JobsKeepTheirPodsUnlessToldOtherwise) {
  const std::string jobs = "/apis/batch/v1/namespaces/t/jobs";
  for (const std::string_view name : {"a", "b"}) {
    ASSERT_EQ(
        post(jobs, R"({"metadata":{"name":")" + std::string(name) +
                       R"("},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[
                 {"name":"c","image":"i"}]}}}})")
            .status,
        201);
  }
  const Answer answer = remove(jobs + "/a");
  EXPECT_EQ(answer.at({"metadata", "finalizers"}), R"(["orphan"])");
  EXPECT_THAT(answer.header("warning"), HasSubstr("299 - \"child pods are preserved"));
  EXPECT_EQ(remove(jobs + "/b", R"({"propagationPolicy":"Background"})").at({"kind"}), "Status");
  EXPECT_EQ(get(jobs + "/b").status, 404);
}

TEST_F(Delete, API_154_API_155_ChecksThePolicy) {
  make_config_map("a");
  expect_status(remove(item_, R"({"propagationPolicy":"Foo"})"), 422, "Invalid");
  expect_status(remove(item_, R"({"propagationPolicy":"Orphan","orphanDependents":true})"), 422,
                "Invalid");
  expect_status(remove(item_, R"({"gracePeriodSeconds":"x"})"), 400, "BadRequest");
}

TEST_F(Delete, API_156_API_157_ScheduledPodsGetAGracePeriod) {
  post(pods_, pod("p", R"("nodeName":"n1")"));
  const Answer answer = remove(pods_ + "/p");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.at({"metadata", "deletionGracePeriodSeconds"}), "30");
  EXPECT_EQ(get(pods_ + "/p").status, 200);
  WatchClient watch(port(), pods_ + "?watch=true&resourceVersion=" + revision());
  EXPECT_EQ(remove(pods_ + "/p", R"({"gracePeriodSeconds":0})").status, 200);
  EXPECT_EQ(get(pods_ + "/p").status, 404);
  EXPECT_EQ(watch.next_text(), "DELETED p");
}

TEST_F(Delete, TheAnswerIsAsTheObjectWasAtLast) {
  const Answer made = post(pods_, pod("p", R"("nodeName":"n1")"));
  const Answer pod_gone = remove(pods_ + "/p", R"({"gracePeriodSeconds":0})");
  EXPECT_EQ(pod_gone.at({"metadata", "deletionGracePeriodSeconds"}), "0");
  EXPECT_EQ(pod_gone.at({"metadata", "generation"}), "2");
  EXPECT_EQ(pod_gone.at({"metadata", "resourceVersion"}), revision());
  post("/api/v1/namespaces/t/serviceaccounts", R"({"metadata":{"name":"s"}})");
  const Answer account = remove("/api/v1/namespaces/t/serviceaccounts/s");
  EXPECT_EQ(account.at({"metadata", "resourceVersion"}), revision());
  EXPECT_EQ(account.at({"metadata", "deletionTimestamp"}), "");
  // A collection's are as they were listed.
  const Answer kept = post(pods_, pod("q", R"("nodeName":"n1")"));
  const json::Value items = call("DELETE", pods_ + "?gracePeriodSeconds=0").json();
  EXPECT_EQ(text_at_path(items.array_at({"items"}).front(), {"metadata", "resourceVersion"}),
            kept.at({"metadata", "resourceVersion"}));
}

TEST_F(Delete, ChildrenThatStayAreSpokenOfInErrorsToo) {
  const std::string jobs = "/apis/batch/v1/namespaces/t/jobs";
  const std::string warning = "child pods are preserved by default when jobs are deleted";
  EXPECT_THAT(remove(jobs + "/none").header("warning"), HasSubstr(warning));
  EXPECT_THAT(call("DELETE", jobs).header("warning"), HasSubstr(warning));
  EXPECT_EQ(remove(jobs + "/none", R"({"propagationPolicy":"Orphan"})").header("warning"), "");
}

TEST_F(Delete, API_158_ASecondDeletionCanOnlyShortenTheGracePeriod) {
  post(pods_, pod("p", R"("nodeName":"n1")"));
  const auto grace = [&](int seconds) {
    return remove(pods_ + "/p", R"({"gracePeriodSeconds":)" + std::to_string(seconds) + "}")
        .at({"metadata", "deletionGracePeriodSeconds"});
  };
  EXPECT_EQ(grace(60), "60");
  EXPECT_EQ(grace(10), "10");
  EXPECT_EQ(grace(60), "10");
}

TEST_F(Delete, API_156_ANegativeGracePeriodCountsAsOneSecond) {
  load_pod_without_grace(R"("nodeName":"n1",)");
  WatchClient watch(port(), pods_ + "?watch=true&resourceVersion=" + revision());
  EXPECT_EQ(remove(pods_ + "/p").at({"metadata", "deletionGracePeriodSeconds"}), "1");
  EXPECT_EQ(watch.next_text(), "MODIFIED p");
  EXPECT_EQ(watch.next_text(), "DELETED p");
}

TEST_F(Delete, AnUnscheduledPodOfANegativeGracePeriodGoesAtOnce) {
  load_pod_without_grace("");
  EXPECT_EQ(remove(pods_ + "/p").status, 200);
  EXPECT_EQ(get(pods_ + "/p").status, 404);
}

TEST_F(Delete, AGracePeriodLongerThanTimeItselfEndsWhenTimeEnds) {
  post(pods_, pod("p", R"("nodeName":"n1","terminationGracePeriodSeconds":9223372036854775807)"));
  const Answer answer = remove(pods_ + "/p");
  EXPECT_EQ(answer.at({"metadata", "deletionTimestamp"}), "2262-04-11T23:47:16Z");
  EXPECT_EQ(get(pods_ + "/p").status, 200);
  EXPECT_EQ(remove(pods_ + "/p", R"({"gracePeriodSeconds":0})").status, 200);
  EXPECT_EQ(get(pods_ + "/p").status, 404);
}

TEST_F(Delete, FinishedPodsNeedNoGracePeriod) {
  post(pods_, pod("p", R"("nodeName":"n1")"));
  merge(pods_ + "/p/status", R"({"status":{"phase":"Succeeded"}})");
  remove(pods_ + "/p");
  EXPECT_EQ(get(pods_ + "/p").status, 404);
}

TEST_F(Delete, API_159_OfACollectionTakesWhatTheSelectorMatches) {
  make_config_map("a", "{}", "t", R"("labels":{"x":"1"})");
  make_config_map("b", "{}", "t", R"("labels":{"x":"1"})");
  make_config_map("c");
  WatchClient watch(port(), std::string(kConfigMaps) + "?watch=true&resourceVersion=" + revision());
  const Answer answer = call("DELETE", std::string(kConfigMaps) + "?labelSelector=x%3D1");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.at({"kind"}), "ConfigMapList");
  EXPECT_EQ(names_of(answer), "a b");
  EXPECT_EQ(names_of(get(kConfigMaps)), "c");
  EXPECT_EQ(watch.next_text(), "DELETED a");
  EXPECT_EQ(watch.next_text(), "DELETED b");
  make_config_map("fence");
  EXPECT_EQ(watch.next_text(), "ADDED fence");
}

TEST_F(Delete, API_160_OfAnEmptyCollectionIsAnEmptyList) {
  const Answer answer = call("DELETE", std::string(kConfigMaps) + "?labelSelector=x");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.at({"items"}), "[]");
}

TEST_F(Delete, API_161_NamespacesHaveNoDeleteCollection) {
  expect_status(call("DELETE", "/api/v1/namespaces"), 405, "MethodNotAllowed");
}

TEST_F(Delete, API_162_API_163_ChecksOwnerReferences) {
  const Answer without_uid = post(
      kConfigMaps,
      config_map("a", "{}", R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p"}])"));
  expect_status(without_uid, 422, "Invalid");
  EXPECT_THAT(first_cause(without_uid), HasSubstr("metadata.ownerReferences[0].uid"));
  expect_status(post(kConfigMaps, config_map("a", "{}",
                                             R"("ownerReferences":[
        {"apiVersion":"v1","kind":"Pod","name":"p","uid":"1","controller":true},
        {"apiVersion":"v1","kind":"Pod","name":"q","uid":"2","controller":true}])")),
                422, "Invalid");
}

TEST_F(Delete, API_169_ARecreatedObjectIsAnotherOne) {
  const Answer first = make_config_map("a");
  remove(item_);
  const Answer second = make_config_map("a");
  EXPECT_NE(first.at({"metadata", "uid"}), second.at({"metadata", "uid"}));
  EXPECT_GT(std::stoll(second.at({"metadata", "resourceVersion"})),
            std::stoll(first.at({"metadata", "resourceVersion"})));
}

TEST_F(Delete, API_168_EvictionDeletesThePod) {
  post(pods_, pod("p"));
  const Answer answer =
      post(pods_ + "/p/eviction",
           R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"p"}})");
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_EQ(answer.at({"status"}), "Success");
  EXPECT_EQ(get(pods_ + "/p").status, 404);
  expect_status(post(pods_ + "/q/eviction", R"({"metadata":{"name":"q"}})"), 404, "NotFound");
}

TEST_F(Delete, AnEvictedPodThatStaysSaysWhy) {
  post(pods_, pod("p", {}, R"("finalizers":["x.io/y"])"));
  const std::string version = get(pods_ + "/p").at({"metadata", "resourceVersion"});
  const auto evict = [&](const std::string& options) {
    return post(pods_ + "/p/eviction",
                R"({"metadata":{"name":"p"},"deleteOptions":)" + options + "}");
  };
  expect_status(evict(R"({"preconditions":{"resourceVersion":"1"}})"), 409, "Conflict");
  expect_status(post(pods_ + "/p/eviction", "{}"), 400, "BadRequest");
  EXPECT_EQ(get(pods_ + "/p").at({"metadata", "resourceVersion"}), version);
  EXPECT_EQ(evict(R"({"preconditions":{"resourceVersion":")" + version + R"("}})").status, 201);
  EXPECT_THAT(get(pods_ + "/p").at({"status", "conditions"}),
              AllOf(HasSubstr(R"("type":"DisruptionTarget","status":"True")"),
                    HasSubstr(R"("reason":"EvictionByEvictionAPI")"),
                    HasSubstr(R"("message":"Eviction API: evicting")")));
}

TEST_F(Delete, API_167_ADisruptionBudgetBlocksEviction) {
  post(pods_, pod("p", {}, R"("labels":{"app":"x"})"));
  ASSERT_EQ(
      post(
          "/apis/policy/v1/namespaces/t/poddisruptionbudgets",
          R"({"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"x"}}}})")
          .status,
      201);
  const Answer answer = post(pods_ + "/p/eviction", R"({"metadata":{"name":"p"}})");
  expect_status(answer, 429, "TooManyRequests");
  EXPECT_EQ(first_cause(answer), "DisruptionBudget ");
  EXPECT_EQ(get(pods_ + "/p").status, 200);
}

class Binding : public Delete {
 protected:
  Answer bind(std::string_view node) {
    return post(
        pods_ + "/p/binding",
        R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p"},"target":{"apiVersion":"v1","kind":"Node","name":")" +
            std::string(node) + R"("}})");
  }
};

TEST_F(Binding, SetsTheNodeOnceAndSaysSo) {
  post(pods_, pod("p"));
  WatchClient watch(port(), pods_ + "?watch=true&resourceVersion=" + revision());
  const Answer bound = bind("n1");
  EXPECT_EQ(bound.status, 201) << bound.body;
  EXPECT_EQ(bound.at({"kind"}), "Status");
  EXPECT_EQ(bound.at({"status"}), "Success");
  const Answer after = get(pods_ + "/p");
  EXPECT_EQ(after.at({"spec", "nodeName"}), "n1");
  EXPECT_THAT(after.at({"status", "conditions"}),
              HasSubstr("\"PodScheduled\",\"status\":\"True\""));
  EXPECT_EQ(watch.next_text(), "MODIFIED p");

  const Answer again = bind("n2");
  expect_status(again, 409, "Conflict");
  EXPECT_THAT(again.at({"message"}), HasSubstr("already assigned to node \"n1\""));
}

TEST_F(Binding, NeedsATargetAndAPod) {
  expect_status(bind("n1"), 404, "NotFound");
  post(pods_, pod("p"));
  const Answer none = bind("");
  expect_status(none, 500, "");
  EXPECT_EQ(none.at({"message"}), "target.name: Required value");
  EXPECT_THAT(none.body, Not(HasSubstr("details")));
  bind("n1");
  EXPECT_EQ(get(pods_ + "/p").at({"metadata", "generation"}), "1");
}

TEST_F(Binding, IsForThePodThatItNames) {
  post(pods_, pod("p"));
  const auto post_binding = [&](const std::string& metadata) {
    return post(pods_ + "/p/binding",
                R"({"metadata":{)" + metadata + R"(},"target":{"name":"n1"}})");
  };
  expect_status(post_binding(""), 400, "BadRequest");
  const Answer old = post_binding(R"("name":"p","resourceVersion":"1")");
  expect_status(old, 409, "Conflict");
  EXPECT_THAT(old.at({"message"}),
              HasSubstr("Code: 4, Key: /registry/pods/t/p, ResourceVersion: 0, AdditionalErrorMsg: "
                        "Precondition failed: ResourceVersion in precondition: 1, "
                        "ResourceVersion in object meta: "));
  EXPECT_THAT(post_binding(R"("name":"p","uid":"u")").at({"message"}),
              HasSubstr("Precondition failed: UID in precondition: u, UID in object meta: "));
  const Answer unnamed = post("/api/v1/namespaces/t/bindings", R"({"target":{"name":"n1"}})");
  expect_status(unnamed, 400, "BadRequest");
  EXPECT_EQ(unnamed.at({"message"}), "Name parameter required.");
}

TEST_F(Binding, WaitsForGatesAndOverwritesLabels) {
  post(pods_, pod("p", R"("schedulingGates":[{"name":"g"}])", R"("labels":{"a":"b","c":"d"})"));
  const Answer gated = bind("n1");
  expect_status(gated, 409, "Conflict");
  EXPECT_EQ(gated.at({"message"}),
            "Operation cannot be fulfilled on pods/binding \"p\": pod p has non-empty "
            ".spec.schedulingGates");
  EXPECT_EQ(merge(pods_ + "/p", R"({"spec":{"schedulingGates":null}})").status, 200);
  post(pods_ + "/p/binding",
       R"({"metadata":{"name":"p","labels":{"a":"x"}},"target":{"name":"n1"}})");
  EXPECT_EQ(get(pods_ + "/p").at({"metadata", "labels"}), R"({"a":"x","c":"d"})");
  EXPECT_THAT(get(pods_ + "/p").body, Not(HasSubstr("SchedulingGated")));
}

TEST_F(Binding, WorksByTheOlderPathToo) {
  post(pods_, pod("p"));
  const Answer bound =
      post("/api/v1/namespaces/t/bindings", R"({"metadata":{"name":"p"},"target":{"name":"n1"}})");
  EXPECT_EQ(bound.status, 201) << bound.body;
  EXPECT_EQ(get(pods_ + "/p").at({"spec", "nodeName"}), "n1");
}

TEST(GracefulDeletion, API_156_EndsByItselfWhenTheGracePeriodIsOver) {
  const auto clock = std::make_shared<kube::testing::FakeClock>();
  ApiServer::Options options;
  options.initial_revision = 100;
  options.runtime.executor = std::make_shared<ThreadPool>(ThreadPool::Options{1, "timers", clock});
  auto server = ApiServer::start(std::move(options));
  ASSERT_TRUE(server) << server.error().to_string();
  HttpClient client((*server)->port());
  const std::string pods = "/api/v1/namespaces/default/pods";
  ASSERT_EQ(client.send("POST", pods, pod("p", R"("nodeName":"n1")")).status, 201);
  EXPECT_EQ(client.send("DELETE", pods + "/p").at({"metadata", "deletionTimestamp"}),
            "2026-01-01T00:00:30Z");
  WatchClient watch((*server)->port(), pods + "?watch=true&resourceVersion=" +
                                           std::to_string((*server)->resource_version()));
  clock->await_waiters(1);
  clock->advance(std::chrono::seconds(29));
  clock->await_waiters(1);
  EXPECT_EQ(client.send("GET", pods + "/p").status, 200);
  clock->advance(std::chrono::seconds(1));
  EXPECT_EQ(watch.next_text(), "DELETED p");
}

}  // namespace
}  // namespace kube::apiserver::test
