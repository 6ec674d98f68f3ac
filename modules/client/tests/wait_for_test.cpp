// SPDX-License-Identifier: Apache-2.0
#include <kube/client/wait_for.hpp>

#include <kube/api/batch/v1/job.hpp>
#include <kube/base/join.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/partial_object_metadata.hpp>
#include <kube/transport/no_waiting.hpp>

#include "api_fixture.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using core::v1::Pod;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kNotReady =
    R"({"type":"PodScheduled","status":"True"},{"type":"Ready","status":"False",)"
    R"("reason":"ContainersNotReady","message":"containers with unready status: [web]"})";
constexpr const char* kReady = R"({"type":"Ready","status":"True"})";

struct PodText {
  std::string version{};
  std::string phase = "Pending";
  std::string conditions = kNotReady;
  std::string name = "a";
  std::string uid = "u1";
  std::string metadata{};  // more of it, after a comma

  std::string json() const {
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
           R"(","namespace":"web","uid":")" + uid + R"(","resourceVersion":")" + version + "\"" +
           metadata + R"(},"status":{"phase":")" + phase + R"(","conditions":[)" + conditions +
           "]}}";
  }
};

std::string list_of(const std::string& version, const std::vector<PodText>& pods) {
  std::vector<std::string> items;
  for (const PodText& pod : pods) items.push_back(pod.json());
  return R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" + version +
         R"("},"items":[)" + join(items, ",") + "]}";
}
std::string event(const std::string& type, const PodText& pod) {
  return R"({"type":")" + type + R"(","object":)" + pod.json() + "}\n";
}
std::string too_old() {
  return R"({"type":"ERROR","object":)" + status_json(410, "Expired", "old") + "}\n";
}

class WaitForTest : public ApiTest {
 protected:
  /// Answers the next request with a watch that stays open.
  void next_watch(const std::string& events = "") {
    server->once("", "*", [events](ScriptedCall call) { call.head(200).data(events); });
  }
  void next_list(const std::string& version, const std::vector<PodText>& listed = {}) {
    next_answer(200, list_of(version, listed));
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> sent;
    for (const transport::HttpRequest& request : server->requests())
      sent.push_back(request_line(request));
    return sent;
  }
  static ObjectCondition<Pod> phase_is(std::string phase) {
    return [phase = std::move(phase)](const Pod& pod) { return pod.status.phase == phase; };
  }
};

TEST_F(WaitForTest, ReturnsThePresentStateWithoutAWatch) {
  next_list("5", {{.version = "3", .conditions = kReady}});
  const auto pod = wait_for(pods, "a", is_pod_ready, 30s);
  ASSERT_TRUE(pod) << pod.error().to_string();
  EXPECT_EQ(pod->metadata.resource_version, "3");
  EXPECT_THAT(lines(),
              ElementsAre("GET /api/v1/namespaces/web/pods?fieldSelector=metadata.name%3Da"));
  EXPECT_EQ(elapsed(), 0s);
}

TEST_F(WaitForTest, WatchesFromTheVersionOfTheList) {
  next_list("5", {{.version = "3"}});
  next_watch(event("MODIFIED", {.version = "6"}) +
             event("MODIFIED", {.version = "7", .conditions = kReady}) +
             event("MODIFIED", {.version = "8"}));
  const auto pod = wait_for(pods, "a", is_pod_ready, 30s);
  ASSERT_TRUE(pod) << pod.error().to_string();
  EXPECT_EQ(pod->metadata.resource_version, "7") << "the state that meets it, not a later one";
  EXPECT_THAT(lines().back(), AllOf(HasSubstr("fieldSelector=metadata.name%3Da"),
                                    HasSubstr("resourceVersion=5"), HasSubstr("watch=true")));
}

TEST_F(WaitForTest, AnObjectThatDoesNotExistYetIsWaitedFor) {
  next_list("5");
  next_watch(event("ADDED", {.version = "6", .phase = "Running"}));
  const auto pod = wait_for(pods, "a", phase_is("Running"), 30s);
  ASSERT_TRUE(pod) << pod.error().to_string();
  EXPECT_EQ(pod->metadata.resource_version, "6");
}

TEST_F(WaitForTest, TheNextObjectOfTheNameIsWaitedForWhenOneIsDeleted) {
  next_list("5", {{.version = "3"}});
  // What is deleted does not count, whatever its last state is.
  next_watch(event("DELETED", {.version = "6", .conditions = kReady}) +
             event("ADDED", {.version = "7", .uid = "u2"}) +
             event("MODIFIED", {.version = "8", .conditions = kReady, .uid = "u2"}));
  const auto pod = wait_for(pods, "a", is_pod_ready, 30s);
  ASSERT_TRUE(pod) << pod.error().to_string();
  EXPECT_EQ(pod->metadata.uid, "u2");
}

TEST_F(WaitForTest, ListsAgainWhenTheWatchIsTooOld) {
  next_list("5", {{.version = "3"}});
  next_watch(too_old());
  next_list("9", {{.version = "8"}});
  next_watch(event("MODIFIED", {.version = "10", .conditions = kReady}));
  const auto pod = wait_for(pods, "a", is_pod_ready, 30s);
  ASSERT_TRUE(pod) << pod.error().to_string();
  ASSERT_EQ(lines().size(), 4U);
  EXPECT_THAT(lines()[2], Not(HasSubstr("resourceVersion")));
  EXPECT_THAT(lines()[3], HasSubstr("resourceVersion=9"));
}

TEST_F(WaitForTest, AServerWithoutPastIsAskedOnceASecond) {
  server->on("", "*", [](ScriptedCall call) {
    if (call.request().url.find("watch=") == std::string::npos) {
      call.respond(200, list_of("5", {{.version = "3"}}));
    } else {
      call.respond(200, too_old());
    }
  });
  const auto late = wait_for(pods, "a", is_pod_ready, 10s);
  EXPECT_EQ(late.error().code(), ErrorCode::Timeout);
  EXPECT_LE(sent(), 22U) << "a list and a watch each second";
}

TEST_F(WaitForTest, ALostConnectionGoesOn) {
  next_list("5", {{.version = "3"}});
  server->once("", "*", [](ScriptedCall call) {
    call.head(200).data(event("MODIFIED", {.version = "6"})).reset();
  });
  server->once("", "*", [](ScriptedCall call) { call.refuse(); });
  server->on("", "*", [](ScriptedCall call) {
    call.head(200).data(event("MODIFIED", {.version = "7", .conditions = kReady}));
  });
  const auto pod = wait_for(pods, "a", is_pod_ready, 30s);
  ASSERT_TRUE(pod) << pod.error().to_string();
  EXPECT_THAT(lines().back(), HasSubstr("resourceVersion=6")) << "from the last event";
}

TEST_F(WaitForTest, AServerThatIsDownOrOverloadedIsAskedAgain) {
  server->set_down(true);
  const Timer up = executor->submit_after(5s, [this] {
    server->set_down(false);
    next_answer(503, status_json(503, "ServiceUnavailable", "starting"));
    next_answer(429, status_json(429, "TooManyRequests", "later"));
    next_list("5", {{.version = "3", .conditions = kReady}});
  });
  const auto pod = wait_for(pods, "a", is_pod_ready, 30s);
  ASSERT_TRUE(pod) << pod.error().to_string();
  EXPECT_GE(elapsed(), 5s);
  EXPECT_LT(elapsed(), 30s);
}

TEST_F(WaitForTest, ARefusalEndsTheWaitAtOnce) {
  for (const auto& [code, reason] : std::map<int, std::string>{{401, "Unauthorized"},
                                                               {403, "Forbidden"},
                                                               {404, "NotFound"},
                                                               {405, "MethodNotAllowed"}}) {
    next_answer(code, status_json(code, reason, "no"));
    const auto refused = wait_for(pods, "a", is_pod_ready, 30s);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().http_status(), code);
    EXPECT_EQ(refused.error().reason(), reason);
  }
  EXPECT_EQ(elapsed(), 0s);

  for (const auto& [code, reason] : std::map<int, std::string>{
           {403, "Forbidden"}, {404, "NotFound"}, {405, "MethodNotAllowed"}}) {
    next_list("5", {{.version = "3"}});
    next_answer(code, status_json(code, reason, "no"));
    const auto refused = wait_for(pods, "a", is_pod_ready, 30s);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().http_status(), code) << "of the watch";
  }
  EXPECT_EQ(elapsed(), 0s);
}

TEST_F(WaitForTest, ListsAgainWhenAWatchIsRefusedAsTooOld) {
  next_list("5", {{.version = "3"}});
  next_answer(410, status_json(410, "Expired", "old"));
  next_list("9", {{.version = "8", .conditions = kReady}});
  EXPECT_TRUE(wait_for(pods, "a", is_pod_ready, 30s));
  EXPECT_EQ(lines().size(), 3U);
}

TEST_F(WaitForTest, AServerThatKnowsNoSelectorConfusesNoWait) {
  const PodText other = {.version = "4", .conditions = kReady, .name = "other"};
  next_list("5", {other, {.version = "3"}});
  next_watch(event("MODIFIED", {.version = "6", .conditions = kReady, .name = "other"}) +
             event("MODIFIED", {.version = "7", .conditions = kReady}));
  const auto pod = wait_for(pods, "a", is_pod_ready, 30s);
  ASSERT_TRUE(pod) << pod.error().to_string();
  EXPECT_EQ(pod->metadata.resource_version, "7");

  next_list("5", {other});
  EXPECT_TRUE(wait_deleted(pods, "a", 30s)) << "the other one is not waited for";
}

TEST_F(WaitForTest, ADeletionIsWaitedForInTheNamespaceOfTheObject) {
  Pod pod;
  pod.metadata.name = "a";
  pod.metadata.namespace_ = "shop";
  const auto wrong = wait_deleted(pods, pod, 30s);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().to_string(),
            "wait for the deletion of pods: expected an object in namespace \"web\", got shop/a");
  EXPECT_THAT(lines(), ElementsAre());
}

TEST_F(WaitForTest, ATimeoutSaysWhatWasWaitedForAndWhatWasLastSeen) {
  next_list("5", {{.version = "3"}});
  next_watch();
  const auto late = wait_for(pods, "a", is_pod_ready, 90s);
  EXPECT_EQ(elapsed(), 90s);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), ErrorCode::Timeout);
  EXPECT_EQ(late.error().to_string(),
            "timed out after 1m30s waiting for condition Ready=True of pods \"a\" in namespace "
            "\"web\"; last seen: phase Pending, Ready=False (ContainersNotReady: containers with "
            "unready status: [web])");
}

TEST_F(WaitForTest, ATimeoutSaysWhatAnObjectHasInstead) {
  const auto text_of = [&](const std::vector<PodText>& listed, const std::string& events,
                           const ObjectCondition<Pod>& condition) {
    next_list("5", listed);
    next_watch(events);
    return wait_for(pods, "a", condition, 5s).error().message();
  };
  EXPECT_THAT(text_of({{.version = "3"}}, "", phase_is("Running")),
              AllOf(HasSubstr("waiting for a condition of pods \"a\""),
                    EndsWith("last seen: phase Pending, PodScheduled=True, Ready=False")));
  EXPECT_THAT(text_of({}, "", is_pod_ready), EndsWith("last seen: it does not exist"));
  EXPECT_THAT(text_of({{.version = "3"}}, event("DELETED", {.version = "6"}), is_pod_ready),
              EndsWith("last seen: it was deleted"));
  EXPECT_THAT(text_of({{.version = "3", .conditions = ""}}, "", is_pod_ready),
              EndsWith("last seen: phase Pending, no condition Ready"));
  EXPECT_THAT(text_of({{.version = "3",
                        .conditions = kReady,
                        .metadata = R"(,"deletionTimestamp":"2026-11-27T10:00:00Z")"}},
                      "", condition_is("Ready", "Unknown")),
              AllOf(HasSubstr("condition Ready=Unknown of"),
                    EndsWith("last seen: being deleted, phase Pending, Ready=True")));
  EXPECT_THAT(
      text_of({{.version = "3"}}, "", {"the leader's election", [](const Pod&) { return false; }}),
      HasSubstr("waiting for the leader's election of pods"));
  EXPECT_THAT(text_of({{.version = "3",
                        .conditions = R"({"type":"Ready","status":"True","observedGeneration":1})",
                        .metadata = R"(,"generation":2)"}},
                      "", is_pod_ready),
              EndsWith("Ready=True, of an older generation"));
}

TEST_F(WaitForTest, ATimeoutHasNoControlCharactersAndABoundedText) {
  next_list("5", {{.version = "3",
                   .conditions = R"({"type":"Ready","status":"False","message":"\u001b[31m)" +
                                 std::string(5000, 'x') + "\"}"}});
  next_watch();
  const auto late = wait_for(pods, "a", is_pod_ready, 5s);
  EXPECT_THAT(late.error().message(), AllOf(HasSubstr("\\x1b[31mxxx"), HasSubstr("xxx...")));
  EXPECT_LT(late.error().message().size(), 1000U);
}

TEST_F(WaitForTest, ATimeoutHasTheErrorThatWasNotRepaired) {
  server->set_down(true);
  const auto late = wait_for(pods, "a", is_pod_ready, 5s);
  EXPECT_EQ(late.error().code(), ErrorCode::Timeout);
  EXPECT_THAT(late.error().message(),
              AllOf(HasSubstr("of pods \"a\" in namespace \"web\"; last error: list pods"),
                    HasSubstr("refused")));
  server->set_down(false);

  next_list("5", {{.version = "3"}});
  const Timer down = executor->submit_after(1s, [this] { server->set_down(true); });
  server->once("", "*", [](ScriptedCall call) { call.head(200).reset(); });
  server->once("", "*", [](ScriptedCall call) { call.refuse(); });
  EXPECT_THAT(wait_for(pods, "a", is_pod_ready, 10s).error().message(),
              HasSubstr("last error: watch pods"));
}

TEST_F(WaitForTest, AStopIsNotATimeout) {
  next_list("5", {{.version = "3"}});
  next_watch();
  const Timer later = stop_after(10s);
  const auto stopped = wait_for(pods, "a", is_pod_ready, 30s, stop.get_token());
  EXPECT_EQ(elapsed(), 10s);
  EXPECT_EQ(stopped.error().code(), ErrorCode::Cancelled);
  EXPECT_THAT(stopped.error().message(),
              AllOf(StartsWith("stopped waiting for condition Ready=True of pods \"a\""),
                    HasSubstr("last seen: phase Pending")));
  const std::size_t before = sent();
  EXPECT_EQ(wait_for(pods, "a", is_pod_ready, 30s, stop.get_token()).error().code(),
            ErrorCode::Cancelled);
  EXPECT_EQ(sent(), before) << "stopped before it began";
}

TEST_F(WaitForTest, ATimeoutEndsARequestThatIsNotAnswered) {
  server->on("", "*", [](ScriptedCall) {});
  const auto late = wait_for(pods, "a", is_pod_ready, 20s);
  EXPECT_EQ(late.error().code(), ErrorCode::Timeout);
  EXPECT_EQ(elapsed(), 20s);
}

TEST_F(WaitForTest, WithoutTimeItLooksOnce) {
  for (const Duration none : {Duration(0s), Duration(-3s)}) {
    next_list("5", {{.version = "3", .conditions = kReady}});
    EXPECT_TRUE(wait_for(pods, "a", is_pod_ready, none));
    next_list("5", {{.version = "3"}});
    const std::size_t before = sent();
    const auto late = wait_for(pods, "a", is_pod_ready, none);
    EXPECT_EQ(late.error().code(), ErrorCode::Timeout);
    EXPECT_THAT(late.error().message(), HasSubstr("Ready=False (ContainersNotReady"));
    EXPECT_EQ(sent(), before + 1);
    next_answer(503, status_json(503, "ServiceUnavailable", "starting"));
    EXPECT_TRUE(is_service_unavailable(wait_for(pods, "a", is_pod_ready, none).error()));
  }
  EXPECT_EQ(elapsed(), 0s);
}

TEST_F(WaitForTest, TheGreatestDurationIsNoTimeout) {
  next_list("5", {{.version = "3"}});
  next_watch();
  const Timer later = stop_after(std::chrono::hours(24 * 365));
  EXPECT_EQ(wait_for(pods, "a", is_pod_ready, Duration::max(), stop.get_token()).error().code(),
            ErrorCode::Cancelled);
}

TEST_F(WaitForTest, TheErrorOfAConditionEndsTheWait) {
  // It looks like one that a watch goes on after.
  const Error own = Error(ErrorCode::Server, "own").with_reason("Expired").with_http_status(410);
  next_list("5", {{.version = "3"}});
  const ObjectCondition<Pod> fails = [&](const Pod&) -> Result<bool> { return own; };
  EXPECT_EQ(wait_for(pods, "a", fails, 30s).error().to_string(), "own");

  next_list("5", {});
  next_watch(event("ADDED", {.version = "6"}));
  EXPECT_EQ(wait_for(pods, "a", fails, 30s).error().to_string(), "own");
  EXPECT_EQ(sent(), 3U);
}

TEST_F(WaitForTest, AFailedJobIsAnError) {
  next_answer(200,
              R"({"kind":"JobList","apiVersion":"batch/v1","metadata":{"resourceVersion":"5"},)"
              R"("items":[{"metadata":{"name":"a"},"status":{"conditions":[{"type":"Failed",)"
              R"("status":"True","reason":"DeadlineExceeded"}]}}]})");
  const auto failed = wait_for(client.api<batch::v1::Job>("web"), "a", is_job_complete, 30s);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason(), "DeadlineExceeded");
  EXPECT_EQ(elapsed(), 0s);
}

TEST_F(WaitForTest, UntypedObjectsHaveTheSameConditions) {
  const auto widget = [](const std::string& version, const std::string& status) {
    return R"({"kind":"Widget","apiVersion":"e/v1","metadata":{"name":"w","resourceVersion":")" +
           version + R"("},"status":{"conditions":[{"type":"Ready","status":")" + status + "\"}]}}";
  };
  next_answer(200, R"({"kind":"WidgetList","apiVersion":"e/v1","metadata":{"resourceVersion":"5"},)"
                   R"("items":[)" +
                       widget("3", "False") + "]}");
  next_watch(R"({"type":"MODIFIED","object":)" + widget("6", "True") + "}\n");
  const auto ready = wait_for(any, "w", condition_is("Ready"), 30s);
  ASSERT_TRUE(ready) << ready.error().to_string();
  EXPECT_EQ(ready->resource_version(), "6");
}

TEST_F(WaitForTest, WhatCanNotBeReadIsAnError) {
  next_answer(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},)"
                   R"("items":[{"metadata":{"name":7}}]})");
  const auto unread = wait_for(pods, "a", is_pod_ready, 30s);
  EXPECT_EQ(unread.error().code(), ErrorCode::Decode);
  EXPECT_THAT(unread.error().to_string(), StartsWith("list pods in namespace \"web\": items[0]"));

  next_list("5", {});
  next_watch(R"({"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":7}}})"
             "\n");
  const auto event_unread = wait_for(pods, "a", is_pod_ready, 30s);
  EXPECT_EQ(event_unread.error().code(), ErrorCode::Decode);
  EXPECT_THAT(event_unread.error().to_string(), StartsWith("watch pods in namespace \"web\""));

  next_list("", {});
  EXPECT_EQ(wait_for(pods, "a", is_pod_ready, 30s).error().code(), ErrorCode::Decode)
      << "no version to watch from";
  EXPECT_EQ(elapsed(), 0s);
}

TEST_F(WaitForTest, ANameThatNoObjectCanHaveIsRefusedBeforeARequest) {
  for (const char* name : {"", "a/b", ".."}) {
    const auto refused = wait_for(pods, name, is_pod_ready, 30s);
    EXPECT_EQ(refused.error().code(), ErrorCode::InvalidArgument) << name;
    EXPECT_EQ(wait_deleted(pods, name, 30s).error().code(), ErrorCode::InvalidArgument) << name;
  }
  EXPECT_EQ(wait_for(client.api<Pod>(), "a", is_pod_ready, 30s).error().code(),
            ErrorCode::InvalidArgument)
      << "a name without a namespace";
  EXPECT_EQ(sent(), 0U);

  const transport::NoWaiting handler;
  EXPECT_EQ(wait_for(pods, "a", is_pod_ready, 30s).error().code(), ErrorCode::InvalidArgument)
      << "a response handler would wait for itself";
}

TEST_F(WaitForTest, UntilSeesThatTheObjectIsGone) {
  next_list("5", {{.version = "3"}});
  next_watch(event("MODIFIED", {.version = "6"}) + event("DELETED", {.version = "7"}));
  std::vector<std::string> seen;
  const auto gone = wait_until(
      pods, "a",
      [&](const Pod* pod) {
        seen.push_back(pod == nullptr ? "gone" : pod->metadata.resource_version);
        return pod == nullptr;
      },
      30s);
  ASSERT_TRUE(gone) << gone.error().to_string();
  EXPECT_FALSE(gone->has_value());
  EXPECT_THAT(seen, ElementsAre("3", "6", "gone"));
}

class WaitDeletedTest : public WaitForTest {
 protected:
  PodText left(const std::string& name, const std::string& uid = "u1") {
    return {.version = "3", .name = name, .uid = uid};
  }
};

TEST_F(WaitDeletedTest, WhatDoesNotExistIsGone) {
  next_list("5");
  EXPECT_TRUE(wait_deleted(pods, "a", 30s));
  EXPECT_THAT(header(last_request(), "Accept"), HasSubstr("PartialObjectMetadataList"));
  next_list("5");
  EXPECT_TRUE(wait_deleted(pods, {.label_selector = "app=old"}, 30s));
  EXPECT_THAT(sent_line(), EndsWith("/pods?labelSelector=app%3Dold"));
  EXPECT_EQ(sent(), 2U);
}

TEST_F(WaitDeletedTest, WaitsForTheDeletion) {
  next_list("5", {left("a")});
  next_watch(event("MODIFIED", {.version = "6"}) + event("DELETED", {.version = "7"}));
  EXPECT_TRUE(wait_deleted(pods, "a", 30s));
  EXPECT_THAT(sent_line(),
              AllOf(HasSubstr("fieldSelector=metadata.name%3Da"), HasSubstr("resourceVersion=5")));
}

TEST_F(WaitDeletedTest, AnotherObjectOfTheNameIsNotTheSame) {
  next_list("5", {left("a")});
  next_watch(too_old());
  next_list("9", {left("a", "u2")});
  EXPECT_TRUE(wait_deleted(pods, "a", 30s)) << "deleted and created while the watch was gone";

  next_list("5", {left("a")});
  next_watch(event("MODIFIED", {.version = "6", .uid = "u2"}));
  EXPECT_TRUE(wait_deleted(pods, "a", 30s));
}

TEST_F(WaitDeletedTest, OneObjectIsItsUid) {
  Pod deleted;
  deleted.metadata.name = "a";
  deleted.metadata.uid = "u1";
  next_list("5", {left("a", "u2")});
  EXPECT_TRUE(wait_deleted(pods, deleted, 30s)) << "its successor is there already";

  next_list("5", {left("a")});
  next_watch();
  EXPECT_EQ(wait_deleted(pods, deleted, 30s).error().code(), ErrorCode::Timeout);

  next_list("5", {left("a", "u2")});
  EXPECT_TRUE(wait_deleted(any, meta::to_unstructured(deleted), 30s));
}

TEST_F(WaitDeletedTest, AllSelectedObjectsHaveToBeGone) {
  next_list("5", {left("a", "ua"), left("b", "ub"), left("c", "uc")});
  next_watch(event("DELETED", {.version = "6", .name = "b", .uid = "ub"}) +
             event("ADDED", {.version = "7", .name = "d", .uid = "ud"}) + too_old());
  next_list("9", {left("c", "uc"), left("d", "ud"), left("e", "ue")});
  next_watch(event("DELETED", {.version = "10", .name = "c", .uid = "uc"}));
  const auto gone = wait_deleted(pods, {.label_selector = "app=old"}, 60s);
  EXPECT_TRUE(gone) << gone.error().to_string() << ": d and e are not waited for";
  EXPECT_EQ(sent(), 4U);
}

TEST_F(WaitDeletedTest, ObjectsOfSeveralNamespacesAreDifferent) {
  PodText other = left("a", "u2");
  std::string body = list_of("5", {left("a"), other});
  body.replace(body.rfind(R"("web")"), 5, R"("shop")");
  next_answer(200, body);
  next_watch(event("DELETED", {.version = "6"}));
  const auto late = wait_deleted(client.api<Pod>(), {.field_selector = "spec.nodeName=n1"}, 30s);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message(),
            "timed out after 30s waiting for the deletion of pods in all namespaces, fields "
            "spec.nodeName=n1; last seen: 1 of 2 left: shop/a (nobody has deleted it)");
}

TEST_F(WaitDeletedTest, ATimeoutSaysWhatIsLeftAndWhatHoldsIt) {
  PodText held = left("a");
  held.metadata =
      R"(,"deletionTimestamp":"2026-11-27T10:00:00Z","finalizers":["e.com/one","e.com/two"])";
  next_list("5", {held});
  next_watch();
  const auto late = wait_deleted(pods, "a", 30s);
  EXPECT_EQ(late.error().code(), ErrorCode::Timeout);
  EXPECT_EQ(late.error().message(),
            "timed out after 30s waiting for the deletion of pods \"a\" in namespace \"web\"; last "
            "seen: 1 of 1 left: web/a (being deleted since 2026-11-27T10:00:00Z, finalizers "
            "e.com/one, e.com/two)");

  std::vector<PodText> many;
  for (int i = 0; i < 9; ++i) many.push_back(left("p" + std::to_string(i)));
  next_list("5", many);
  next_watch();
  EXPECT_THAT(wait_deleted(pods, {.label_selector = "app=old"}, 30s).error().message(),
              AllOf(HasSubstr("labels app=old; last seen: 9 of 9 left: web/p0"),
                    HasSubstr("web/p4"), Not(HasSubstr("web/p5")), EndsWith(", ...")));
}

TEST_F(WaitDeletedTest, TheObjectsOfAResourceThatIsGoneAreNotReportedAsDeleted) {
  next_answer(404,
              status_json(404, "NotFound", "the server could not find the requested resource"));
  EXPECT_TRUE(is_not_found(wait_deleted(pods, {.label_selector = "app=old"}, 30s).error()))
      << "it may be a wrong resource";
}

}  // namespace
}  // namespace kube
