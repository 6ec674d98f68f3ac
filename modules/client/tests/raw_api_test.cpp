// SPDX-License-Identifier: Apache-2.0
//
// What each verb puts on the wire, and what it makes of answers.
#include <kube/client/raw_api.hpp>

#include <kube/meta/errors.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RawApiTest : public ClientTest {
 protected:
  RestClient client = make({.host = "https://h"});
  RawApi pods{client, kPodsResource, "web"};
  RawApi all_pods{client, kPodsResource};
  RawApi nodes{client, kNodesResource};
  RawApi deployments{client, kDeploymentsResource, "web"};
  const json::Value document =
      json::Object{{"metadata", json::Object{{"name", "a"}}}, {"spec", json::Object{}}};

  std::string sent_line() const { return request_line(last_request()); }
  std::string sent_body() const { return last_request().body; }
  std::string sent_type() const { return header(last_request(), "Content-Type"); }
};

TEST_F(RawApiTest, AnAnswerLargerThanAnyObjectIsNotTaken) {
  answer(200, std::string(kMaxObjectBytes + 1, ' '));
  const auto object = pods.get("a", "", {}, {});
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code(), ErrorCode::Decode);
  EXPECT_THAT(object.error().to_string(), HasSubstr("longer than the limit of 67108864 bytes"));
  EXPECT_THAT(pods.create("", "", "{}", {}, {}).error().to_string(), HasSubstr("the limit"));
  EXPECT_THAT(pods.list({}, {}).error().to_string(), ::testing::Not(HasSubstr("the limit")));
}

TEST_F(RawApiTest, Get) {
  answer(200, R"({"kind":"Pod"})");
  EXPECT_EQ(*pods.get("a", "", {}, {}), R"({"kind":"Pod"})");
  EXPECT_EQ(sent_line(), "GET /api/v1/namespaces/web/pods/a");
  EXPECT_EQ(sent_type(), "none");
  EXPECT_TRUE(nodes.get("n", "", {.resource_version = "42"}, {}));
  EXPECT_EQ(sent_line(), "GET /api/v1/nodes/n?resourceVersion=42");
  EXPECT_TRUE(deployments.get("front", "scale", {}, {}));
  EXPECT_EQ(sent_line(), "GET /apis/apps/v1/namespaces/web/deployments/front/scale");
}

TEST_F(RawApiTest, List) {
  answer(200,
         R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[{}]})");
  const auto list = pods.list({.label_selector = "app=web", .limit = 5}, {});
  ASSERT_TRUE(list);
  EXPECT_EQ(list->size(), 1U);
  EXPECT_EQ(list->item(0), "{}");
  EXPECT_EQ(list->info().resource_version, "9");
  EXPECT_EQ(sent_line(), "GET /api/v1/namespaces/web/pods?labelSelector=app%3Dweb&limit=5");
  EXPECT_TRUE(all_pods.list({.resource_version = "42"}, {}));
  EXPECT_EQ(sent_line(), "GET /api/v1/pods?resourceVersion=42");
}

TEST_F(RawApiTest, CS_09_TimeoutSecondsIsTheRequestsTimeoutToo) {
  answer(200, R"({"items":[]})");
  EXPECT_TRUE(pods.list({.timeout_seconds = 21}, {}));
  EXPECT_EQ(sent_line(), "GET /api/v1/namespaces/web/pods?timeout=21s&timeoutSeconds=21");
  EXPECT_EQ(last_request().timeout, 21s);
  EXPECT_TRUE(pods.delete_collection({}, {.timeout_seconds = 21}, {}));
  EXPECT_EQ(last_request().timeout, 21s);
}

TEST_F(RawApiTest, CreateAndUpdate) {
  answer(201, R"({"kind":"Pod"})");
  EXPECT_TRUE(
      pods.create("", "", "{}\n", {.field_manager = "me", .field_validation = "Strict"}, {}));
  EXPECT_EQ(sent_line(), "POST /api/v1/namespaces/web/pods?fieldManager=me&fieldValidation=Strict");
  EXPECT_EQ(sent_body(), "{}\n");
  EXPECT_EQ(sent_type(), "application/json");
  EXPECT_TRUE(nodes.create("", "", "{}", {.dry_run = {"All"}}, {}));
  EXPECT_EQ(sent_line(), "POST /api/v1/nodes?dryRun=All");
  EXPECT_TRUE(pods.create("a", "binding", "{}", {}, {}));
  EXPECT_EQ(sent_line(), "POST /api/v1/namespaces/web/pods/a/binding");
  EXPECT_TRUE(pods.update("a", "", "{}", {}, {}));
  EXPECT_EQ(sent_line(), "PUT /api/v1/namespaces/web/pods/a");
  EXPECT_TRUE(pods.update("a", "status", "{}", {.field_manager = "me"}, {}));
  EXPECT_EQ(sent_line(), "PUT /api/v1/namespaces/web/pods/a/status?fieldManager=me");
}

TEST_F(RawApiTest, DYN_06_CS_12_Patches) {
  answer(200, R"({"kind":"Pod"})");
  EXPECT_TRUE(pods.patch("a", "", Patch::merge(document), {.field_manager = "me"}, {}));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a?fieldManager=me");
  EXPECT_EQ(sent_type(), "application/merge-patch+json");
  EXPECT_EQ(sent_body(), R"({"metadata":{"name":"a"},"spec":{}})");
  EXPECT_TRUE(pods.patch("a", "status", Patch::strategic_merge(document), {}, {}));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a/status");
  EXPECT_EQ(sent_type(), "application/strategic-merge-patch+json");
  EXPECT_TRUE(pods.patch("a", "", Patch::json(json::Array{}), {}, {}));
  EXPECT_EQ(sent_type(), "application/json-patch+json");
  EXPECT_EQ(sent_body(), "[]");
  EXPECT_TRUE(pods.patch("a", "", Patch::apply(document), {.field_manager = "me"}, {}));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a?fieldManager=me&force=false");
  EXPECT_EQ(sent_type(), "application/apply-patch+yaml");
  EXPECT_TRUE(pods.patch("a", "status", Patch::apply(document),
                         {.force = true, .field_manager = "me"}, {}));
  EXPECT_EQ(sent_line(), "PATCH /api/v1/namespaces/web/pods/a/status?fieldManager=me&force=true");
  const std::size_t before = sent();
  EXPECT_EQ(pods.patch("a", "", Patch::apply(document), {}, {}).error().code(),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(sent(), before) << "an apply always has a manager";
}

TEST_F(RawApiTest, EveryVerbHasItsPathInANamespaceAndInTheCluster) {
  answer(200, R"({"kind":"Pod"})");
  for (const RawApi& api : {deployments, nodes}) {
    const std::string all =
        api == nodes ? "/api/v1/nodes" : "/apis/apps/v1/namespaces/web/deployments";
    const std::string one = all + "/a";
    const auto expect_line = [&](const auto& result, const std::string& line) {
      static_cast<void>(result);
      EXPECT_EQ(sent_line(), line);
    };
    const PatchOptions me{.field_manager = "me"};
    expect_line(api.get("a", "", {}, {}), "GET " + one);
    expect_line(api.get("a", "status", {}, {}), "GET " + one + "/status");
    expect_line(api.list({}, {}), "GET " + all);
    expect_line(api.watch({}, {}), "GET " + all + "?watch=true");
    expect_line(api.create("", "", "{}", {}, {}), "POST " + all);
    expect_line(api.create("a", "sub", "{}", {}, {}), "POST " + one + "/sub");
    expect_line(api.update("a", "", "{}", {}, {}), "PUT " + one);
    expect_line(api.update("a", "status", "{}", {}, {}), "PUT " + one + "/status");
    expect_line(api.delete_("a", {}, {}), "DELETE " + one);
    expect_line(api.delete_collection({}, {}, {}), "DELETE " + all);
    expect_line(api.patch("a", "", Patch::merge(document), {}, {}), "PATCH " + one);
    expect_line(api.patch("a", "status", Patch::merge(document), {}, {}),
                "PATCH " + one + "/status");
    expect_line(api.patch("a", "", Patch::apply(document), me, {}),
                "PATCH " + one + "?fieldManager=me&force=false");
    expect_line(api.patch("a", "status", Patch::apply(document), me, {}),
                "PATCH " + one + "/status?fieldManager=me&force=false");
  }
  EXPECT_TRUE(all_pods.watch({}, {}));
  EXPECT_EQ(sent_line(), "GET /api/v1/pods?watch=true");
  static_cast<void>(all_pods.delete_collection({}, {}, {}));
  EXPECT_EQ(sent_line(), "DELETE /api/v1/pods");
}

TEST_F(RawApiTest, DYN_07_ApplyIsCheckedBeforeItIsSent) {
  json::Value managed = document;
  managed.ensure_path({"metadata", "managedFields"}) = json::Array{};
  const auto refused = pods.patch("a", "", Patch::apply(managed), {.field_manager = "me"}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(refused.error().message(),
              ::testing::StartsWith("cannot apply an object with managed fields already set."));
  EXPECT_THAT(refused.error().message(), HasSubstr("extract_applied()"));
  EXPECT_FALSE(pods.patch("a", "", Patch::apply(document), {}, {}));
  EXPECT_EQ(sent(), 0U);
  answer(200);
  EXPECT_TRUE(
      pods.patch("a", "", Patch::apply(document), {.force = true, .field_manager = "me"}, {}));
  EXPECT_THAT(sent_line(), HasSubstr("/pods/a?fieldManager=me&force=true"));
}

TEST_F(RawApiTest, DYN_05_CS_10_DeleteAlwaysSendsOptions) {
  answer(200, R"({"kind":"Status","apiVersion":"v1","status":"Success"})");
  EXPECT_TRUE(pods.delete_("a", {}, {}));
  EXPECT_EQ(sent_line(), "DELETE /api/v1/namespaces/web/pods/a");
  EXPECT_EQ(sent_type(), "application/json");
  EXPECT_EQ(sent_body(), "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\"}\n");
  EXPECT_TRUE(pods.delete_("a", {.grace_period_seconds = 0}, {}));
  const json::Value sent = json::parse(sent_body()).value();
  EXPECT_EQ(sent.int_at({"gracePeriodSeconds"}), 0);
  EXPECT_EQ(sent.string_at({"kind"}), "DeleteOptions");
  EXPECT_TRUE(pods.delete_collection({}, {.label_selector = "a=b", .resource_version = "42"}, {}));
  EXPECT_EQ(sent_line(),
            "DELETE /api/v1/namespaces/web/pods?labelSelector=a%3Db&resourceVersion=42");
  EXPECT_EQ(sent_body(), "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\"}\n");
}

TEST_F(RawApiTest, REST_28_EveryVerbHasItsMethodAndNothingMore) {
  answer(200, R"({"kind":"Pod"})");
  EXPECT_TRUE(pods.get("a", "", {}, {}));
  EXPECT_EQ(header(last_request(), "Accept"), "application/json");
  std::vector<std::string> names;
  for (const auto& [name, value] : last_request().headers) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("Accept", "User-Agent"));
  EXPECT_EQ(last_request().method, "GET");
  EXPECT_TRUE(pods.create("", "", "{}", {}, {}));
  EXPECT_EQ(last_request().method, "POST");
  EXPECT_TRUE(pods.update("a", "", "{}", {}, {}));
  EXPECT_EQ(last_request().method, "PUT");
  EXPECT_TRUE(pods.patch("a", "", Patch::merge(document), {}, {}));
  EXPECT_EQ(last_request().method, "PATCH");
  EXPECT_TRUE(pods.delete_("a", {}, {}));
  EXPECT_EQ(last_request().method, "DELETE");
}

TEST_F(RawApiTest, CS_17_DYN_02_AnEmptyNameIsRefusedBeforeSending) {
  const auto refused = [](const auto& result) {
    EXPECT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(result.error().message(), HasSubstr("name is required"));
    EXPECT_THAT(result.error().message(), HasSubstr("resource name may not be empty"));
  };
  refused(pods.get("", "", {}, {}));
  refused(pods.update("", "", "{}", {}, {}));
  refused(pods.delete_("", {}, {}));
  refused(pods.patch("", "", Patch::merge(document), {}, {}));
  refused(pods.patch("", "", Patch::apply(document), {.field_manager = "me"}, {}));
  refused(pods.create("", "binding", "{}", {}, {}));
  EXPECT_EQ(sent(), 0U);
}

TEST_F(RawApiTest, REST_14_REST_15_NamespacedObjectsNeedANamespace) {
  const auto created = all_pods.create("", "", "{}", {}, {});
  EXPECT_EQ(created.error().to_string(),
            "create pods: an empty namespace may not be set during creation");
  EXPECT_EQ(all_pods.get("a", "", {}, {}).error().to_string(),
            "get pods \"a\": an empty namespace may not be set when a resource name is provided");
  EXPECT_EQ(
      all_pods.update("a", "", "{}", {}, {}).error().to_string(),
      "update pods \"a\": an empty namespace may not be set when a resource name is provided");
  EXPECT_EQ(
      all_pods.delete_("a", {}, {}).error().to_string(),
      "delete pods \"a\": an empty namespace may not be set when a resource name is provided");
  EXPECT_EQ(sent(), 0U);
}

TEST_F(RawApiTest, DYN_03_BadNamesAreRefusedForEveryVerb) {
  const RawApi bad(client, kPodsResource, "bad/namespace");
  EXPECT_THAT(bad.get("bad/name", "", {}, {}).error().message(), HasSubstr("invalid namespace"));
  EXPECT_THAT(bad.list({}, {}).error().message(), HasSubstr("invalid namespace"));
  EXPECT_THAT(bad.watch({}, {}).error().message(), HasSubstr("invalid namespace"));
  EXPECT_THAT(bad.create("", "", "{}", {}, {}).error().message(), HasSubstr("invalid namespace"));
  EXPECT_THAT(bad.delete_collection({}, {}, {}).error().message(), HasSubstr("invalid namespace"));
  EXPECT_THAT(pods.get("bad/name", "", {}, {}).error().message(),
              HasSubstr("invalid resource name"));
  EXPECT_THAT(pods.delete_("bad/name", {}, {}).error().message(),
              HasSubstr("invalid resource name"));
  const auto refused = [&](const RawApi& api, const char* what) {
    EXPECT_THAT(api.update("bad/name", "", "{}", {}, {}).error().message(), HasSubstr(what));
    EXPECT_THAT(api.create("bad/name", "binding", "{}", {}, {}).error().message(), HasSubstr(what));
    for (const Patch& patch : {Patch::merge(document), Patch::apply(document)}) {
      EXPECT_THAT(api.patch("bad/name", "", patch, {.field_manager = "me"}, {}).error().message(),
                  HasSubstr(what));
    }
  };
  refused(bad, "invalid namespace");
  refused(pods, "invalid resource name");
  EXPECT_EQ(sent(), 0U);
}

TEST_F(RawApiTest, REST_21_AnEmptyAnswerIsAnError) {
  answer(200, "");
  EXPECT_EQ(
      pods.get("a", "", {}, {}).error().to_string(),
      "get pods \"a\" in namespace \"web\": GET https://h/api/v1/namespaces/web/pods/a: expected "
      "an "
      "object, got 0-length response with status code: 200 and content type: application/json");
}

TEST_F(RawApiTest, REST_23_DYN_10_AStatusOfFailureIsAnErrorWhateverTheCode) {
  answer(200, status_json(404, "NotFound", "no such pod"));
  const auto pod = pods.get("a", "", {}, {});
  ASSERT_FALSE(pod);
  EXPECT_TRUE(is_not_found(pod.error()));
  EXPECT_EQ(pod.error().to_string(), "get pods \"a\" in namespace \"web\": no such pod");
}

TEST_F(RawApiTest, OnlyJsonIsUnderstood) {
  answer(200, "{}", {{"Content-Type", "application/,others"}});
  EXPECT_EQ(pods.get("a", "", {}, {}).error().message(),
            "Internal error occurred: mime: expected token after slash");
  answer(200, "<html>", {{"Content-Type", "text/html"}});
  EXPECT_EQ(pods.get("a", "", {}, {}).error().message(),
            "expected an object, got a response with an HTML page, which no Kubernetes API server "
            "sends");
  answer(200, "<html>", {{"Content-Type", "application/xml"}});
  EXPECT_EQ(pods.get("a", "", {}, {}).error().message(),
            "expected an object, got a response with an HTML page, which no Kubernetes API server "
            "sends");
  answer(200, "<a/>", {{"Content-Type", "application/xml"}});
  EXPECT_EQ(pods.get("a", "", {}, {}).error().message(),
            "expected a response of type application/json or application/vnd.kubernetes.protobuf, "
            "got \"application/xml\"");
  answer(200, "{}", {{"Content-Type", "application/json; charset=utf-8"}});
  EXPECT_TRUE(pods.get("a", "", {}, {}));
  answer(200, "{}", {});
  EXPECT_TRUE(pods.get("a", "", {}, {}));
}

TEST_F(RawApiTest, GarbageIsADecodeErrorWithTheOffset) {
  answer(200, R"({"kind":"Pod",})");
  const auto pod = pods.get("a", "", {}, {});
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().code(), ErrorCode::Decode);
  EXPECT_THAT(pod.error().to_string(),
              HasSubstr("get pods \"a\" in namespace \"web\": GET "
                        "https://h/api/v1/namespaces/web/pods/a: json: offset 14"));
  answer(200, R"({"kind":"PodList","apiVersion":"v1","items":[{"a":1},)");
  EXPECT_EQ(pods.list({}, {}).error().code(), ErrorCode::Decode);
}

// A server that hands out `total` items in pages.
class Pages : public RawApiTest {
 protected:
  void serve(int total) {
    server->on("GET", "*", [this, total](ScriptedCall call) {
      asked.push_back(call.request().url.substr(call.request().url.find("/api")));
      const int limit = std::stoi(call.query("limit").value_or("0"));
      const int first = std::stoi(call.query("continue").value_or("0"));
      const int last = limit == 0 ? total : std::min(total, first + limit);
      if (expire_at != 0 && first >= expire_at) {
        return call.respond(410, status_json(410, "Expired", "too old"));
      }
      std::string found;
      for (int i = first; i < last; ++i) {
        found += (i == first ? R"({"n":)" : R"(,{"n":)") + std::to_string(i) + "}";
      }
      const std::string more =
          last < total ? R"("continue":")" + std::to_string(last) + R"(",)" : "";
      const std::string version = std::to_string(100 + first);
      call.respond(200, R"({"kind":"PodList","apiVersion":"v1","metadata":{)" + more +
                            R"("resourceVersion":")" + version + R"("},"items":[)" + found + "]}");
    });
  }
  Result<void> walk(const ListOptions& options, bool may_restart) {
    return pods.for_each_page(
        options,
        [this](const RawList& page) -> Result<void> {
          if (++pages == fail_at_page) return Error(ErrorCode::InvalidArgument, "enough");
          items += page.size();
          return {};
        },
        may_restart ? std::function<void()>([this] {
          ++restarts;
          items = 0;
        })
                    : nullptr,
        stop.get_token());
  }

  std::vector<std::string> asked;
  int expire_at = 0;
  int fail_at_page = 0;
  int pages = 0;
  int restarts = 0;
  std::size_t items = 0;
};

TEST_F(Pages, WhatFitsOnAPageIsOneRequest) {
  for (const int total : {0, 9, 10}) {
    serve(total);
    asked.clear();
    ASSERT_TRUE(walk({.limit = 10}, true));
    EXPECT_EQ(asked.size(), 1U);
  }
  EXPECT_EQ(items, 19U);
}

TEST_F(Pages, AContinueTokenThatComesAgainIsAnError) {
  int answers = 0;
  server->on("GET", "*", [&](ScriptedCall call) {
    const std::string token = ++answers % 2 == 0 ? "even" : "odd";
    call.respond(200,
                 R"({"kind":"PodList","metadata":{"continue":")" + token + R"("},"items":[{}]})");
  });
  const auto walked = walk({.limit = 1}, true);
  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().code(), ErrorCode::Decode);
  EXPECT_THAT(walked.error().to_string(), HasSubstr("list pods in namespace \"web\""));
  EXPECT_EQ(answers, 3);
  const auto resumed = walk({.limit = 1, .continue_ = "even"}, true);
  ASSERT_FALSE(resumed);
  EXPECT_EQ(answers, 4) << "the token that it begins with counts, too";
}

TEST_F(Pages, PagesThatBringLittleAreFollowedEverSlower) {
  server->on("GET", "*", [&](ScriptedCall call) {
    ++pages;
    if (pages == 5000) stop.request_stop();  // what runs away must end, in the test
    call.respond(200, R"({"kind":"PodList","metadata":{"continue":")" + std::to_string(pages) +
                          R"("},"items":[]})");
  });
  const Timer timer = stop_after(59s);
  const auto walked = pods.for_each_page(
      {}, [](const RawList&) { return Result<void>(); }, nullptr, stop.get_token());
  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().code(), ErrorCode::Cancelled);
  EXPECT_THAT(walked.error().to_string(), HasSubstr("list pods in namespace \"web\": stopped"));
  EXPECT_EQ(elapsed(), 59s);
  EXPECT_LE(pages, 51) << "20 at once, 30 a minute";
}

TEST_F(Pages, FullPagesAreFollowedAtOnce) {
  serve(1000);
  ASSERT_TRUE(walk({.limit = 10}, true));
  EXPECT_EQ(asked.size(), 100U);
  EXPECT_EQ(elapsed(), 0s);
}

TEST_F(Pages, PAGE_03_PGR_05_LaterPagesAskWithoutResourceVersion) {
  serve(21);
  ASSERT_TRUE(walk({.label_selector = "a=b",
                    .resource_version = "5",
                    .resource_version_match = "NotOlderThan",
                    .limit = 10},
                   true));
  EXPECT_EQ(items, 21U);
  const std::string path = "/api/v1/namespaces/web/pods";
  EXPECT_THAT(asked, ElementsAre(path + "?labelSelector=a%3Db&limit=10&resourceVersion=5"
                                        "&resourceVersionMatch=NotOlderThan",
                                 path + "?continue=10&labelSelector=a%3Db&limit=10",
                                 path + "?continue=20&labelSelector=a%3Db&limit=10"));
}

TEST_F(Pages, AListForgottenOnTheWayIsFetchedAgainInOnePiece) {
  serve(21);
  expire_at = 10;
  ASSERT_TRUE(
      walk({.resource_version = "5", .resource_version_match = "NotOlderThan", .limit = 10}, true));
  EXPECT_EQ(restarts, 1);
  EXPECT_EQ(items, 21U);
  EXPECT_EQ(asked.back(),
            "/api/v1/namespaces/web/pods?resourceVersion=5&resourceVersionMatch=NotOlderThan");
}

TEST_F(Pages, WithoutThatChoiceTheExpiryIsTheError) {
  serve(21);
  expire_at = 10;
  const auto walked = walk({.limit = 10}, false);
  ASSERT_FALSE(walked);
  EXPECT_TRUE(is_resource_expired(walked.error()));
  EXPECT_EQ(items, 10U) << "pages before the expiry were visited";
}

TEST_F(Pages, PAGE_05_PGR_06_ExpiryOnTheFirstPageIsAlwaysAnError) {
  serve(21);
  expire_at = 10;
  const auto walked = walk({.limit = 10, .continue_ = "15"}, true);
  ASSERT_FALSE(walked);
  EXPECT_TRUE(is_resource_expired(walked.error()));
  EXPECT_EQ(restarts, 0);
}

TEST_F(Pages, PAGE_07_TheVisitorsErrorEndsTheWalk) {
  serve(30);
  fail_at_page = 2;
  const auto walked = walk({.limit = 10}, true);
  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().message(), "enough");
  EXPECT_EQ(asked.size(), 2U);
}

TEST_F(Pages, PAGE_07_TheVisitorsExceptionAndAStopEndTheWalkToo) {
  serve(30);
  EXPECT_THROW(
      static_cast<void>(pods.for_each_page(
          {.limit = 10}, [](const RawList&) -> Result<void> { throw std::runtime_error("no"); },
          nullptr, {})),
      std::runtime_error);
  asked.clear();
  const auto walked = pods.for_each_page(
      {.limit = 10},
      [&](const RawList& page) -> Result<void> {
        stop.request_stop();
        items += page.size();
        return {};
      },
      nullptr, stop.get_token());
  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(items, 10U) << "the page under way is finished";
  EXPECT_EQ(asked.size(), 1U);
}

TEST_F(Pages, APageHas500ItemsUnlessTheOptionsSayOtherwise) {
  serve(1);
  ASSERT_TRUE(walk({}, true));
  EXPECT_EQ(asked.back(), "/api/v1/namespaces/web/pods?limit=500");
}

}  // namespace
}  // namespace kube
