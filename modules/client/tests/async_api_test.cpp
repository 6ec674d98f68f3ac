// SPDX-License-Identifier: Apache-2.0
#include <kube/client/async_api.hpp>

#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <kube/client/pod_logs.hpp>
#include <kube/client/table_api.hpp>

#include "api_fixture.hpp"

namespace kube {
namespace {

using core::v1::Pod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

constexpr const char* kPodsJson =
    R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[{},{}]})";

class AsyncCalls : public ApiTest {
 protected:
  // Keeps what a callback gets.
  auto keep() {
    return [this](const Result<Pod>& pod) { results.push_back(pod); };
  }
  void run() { executor->run_ready(); }
  std::vector<Result<Pod>> results;
};

TEST_F(AsyncCalls, TheCallbackGetsTheObjectAndIsNotCalledInside) {
  answer(200, kPodJson);
  pods.async().get("a", keep());
  EXPECT_TRUE(results.empty());
  EXPECT_EQ(sent_line(), "GET /api/v1/namespaces/web/pods/a");
  run();
  ASSERT_EQ(results.size(), 1U);
  ASSERT_TRUE(results[0]) << results[0].error().to_string();
  EXPECT_EQ(results[0]->spec.node_name, "n1");
}

TEST_F(AsyncCalls, ErrorsAreThoseOfTheVerb) {
  answer(404, status_json(404, "NotFound", "there is no a"));
  pods.async().get("a", keep());
  run();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(is_not_found(results[0].error()));
  EXPECT_EQ(results[0].error().to_string(), pods.get("a").error().to_string());

  pods.async().get("../b", keep());
  EXPECT_EQ(results.size(), 1U) << "not inside, though nothing is sent";
  run();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].error().code(), ErrorCode::InvalidArgument);
  answer(200, R"({"kind":"Node","apiVersion":"v1"})");
  pods.async().get("a", keep());
  run();
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[2].error().code(), ErrorCode::Decode);
  EXPECT_EQ(results[2].error().to_string(), pods.get("a").error().to_string());
}

TEST_F(AsyncCalls, AllVerbsSendTheRequestOfTheApi) {
  answer(200, kPodJson);
  const AsyncApi<Pod> async = pods.async();
  Pod pod;
  pod.metadata.name = "a";
  async.create(pod, keep());
  async.update(pod, keep());
  async.update_status(pod, keep());
  async.patch("a", Patch::merge_text(R"({"spec":{}})"), keep());
  async.apply(json::Object{{"metadata", json::Object{{"name", "a"}}}}, {.field_manager = "me"},
              keep());
  async.set_label("a", "app", "web", keep());
  async.remove_label("a", "app", keep());
  async.set_annotation("a", "note", "x", keep());
  async.remove_annotation("a", "note", keep());
  async.delete_("a", [this](const Result<DeleteResult<Pod>>& deleted) {
    results.push_back(deleted.value().object.value());
  });
  run();
  EXPECT_EQ(results.size(), 10U);
  for (const auto& result : results) EXPECT_TRUE(result);
  std::vector<std::string> lines;
  for (const auto& request : server->requests()) lines.push_back(request_line(request));
  const std::string one = "/api/v1/namespaces/web/pods/a";
  EXPECT_THAT(lines, ElementsAre("POST /api/v1/namespaces/web/pods", "PUT " + one,
                                 "PUT " + one + "/status", "PATCH " + one,
                                 "PATCH " + one + "?fieldManager=me&force=false", "PATCH " + one,
                                 "PATCH " + one, "PATCH " + one, "PATCH " + one, "DELETE " + one));
  answer(200, kPodsJson);
  std::vector<std::size_t> sizes;
  const auto keep_size = [&](const Result<List<Pod>>& list) {
    sizes.push_back(list.value().size());
  };
  async.list(keep_size, {.label_selector = "app=web"});
  EXPECT_EQ(sent_line(), "GET /api/v1/namespaces/web/pods?labelSelector=app%3Dweb");
  async.delete_collection(keep_size);
  async.call([](const Api<Pod>& api) { return api.get_subresource<Unstructured>("a", "scale"); },
             [&](const Result<Unstructured>& scale) { sizes.push_back(scale ? 1 : 0); });
  run();
  EXPECT_THAT(sizes, UnorderedElementsAre(2U, 2U, 1U));
}

TEST_F(AsyncCalls, OptionsAreThoseOfTheApi) {
  answer(200, kPodJson);
  const AsyncApi<Pod> async = pods.async();
  const std::string one = "/api/v1/namespaces/web/pods/a";
  Pod pod;
  pod.metadata.name = "a";
  async.get("a", keep(), {.resource_version = "5"});
  EXPECT_EQ(sent_line(), "GET " + one + "?resourceVersion=5");
  async.create(pod, keep(), {.field_manager = "me"});
  EXPECT_EQ(sent_line(), "POST /api/v1/namespaces/web/pods?fieldManager=me");
  async.update(pod, keep(), {.dry_run = {"All"}});
  EXPECT_EQ(sent_line(), "PUT " + one + "?dryRun=All");
  async.update_status(pod, keep(), {.field_manager = "me"});
  EXPECT_EQ(sent_line(), "PUT " + one + "/status?fieldManager=me");
  async.patch("a", Patch::merge_text("{}"), keep(), {.field_manager = "me"});
  EXPECT_EQ(sent_line(), "PATCH " + one + "?fieldManager=me");
  async.set_annotation("a", "note", "x", keep(), {.dry_run = {"All"}});
  EXPECT_EQ(sent_line(), "PATCH " + one + "?dryRun=All");
  async.delete_("a", [](const Result<DeleteResult<Pod>>&) {}, {.grace_period_seconds = 0});
  EXPECT_THAT(last_request().body, HasSubstr(R"("gracePeriodSeconds":0)"));
  async.delete_collection([](const Result<List<Pod>>&) {}, {.grace_period_seconds = 1},
                          {.label_selector = "a"});
  EXPECT_EQ(sent_line(), "DELETE /api/v1/namespaces/web/pods?labelSelector=a");
  EXPECT_THAT(last_request().body, HasSubstr(R"("gracePeriodSeconds":1)"));
  run();
}

TEST_F(AsyncCalls, ACallbackNeedNotBeCopyableNorAVerbConstant) {
  answer(200, kPodJson);
  std::promise<Result<Pod>> promise;
  std::future<Result<Pod>> future = promise.get_future();
  pods.async().get(
      "a", [p = std::move(promise)](Result<Pod> pod) mutable { p.set_value(std::move(pod)); });
  int last_run = 0;
  pods.async().call(
      [&, runs = 0](const Api<Pod>& api) mutable {
        last_run = ++runs;
        return api.get("a");
      },
      keep());
  run();
  EXPECT_TRUE(future.get());
  EXPECT_EQ(last_run, 2);
  EXPECT_EQ(results.size(), 1U);
}

TEST_F(AsyncCalls, WhatWaitsFailsInAVerbAndSendsNothing) {
  answer(200, kPodsJson);
  std::vector<Error> errors;
  const auto keep_error = [&](const auto& result) { errors.push_back(result.error()); };
  const AsyncApi<Pod> async = pods.async();
  async.call([](const Api<Pod>& api) { return api.watch(); }, keep_error);
  async.call([](const Api<Pod>& api) { return api.logs("x").do_raw(); }, keep_error);
  async.call([](const Api<Pod>& api) { return api.logs("x").stream(); }, keep_error);
  async.call([](const Api<Pod>& api) { return TableApi(api.raw()).list(); }, keep_error);
  async.call([](const Api<Pod>& api) { return api.list_all(); }, keep_error);
  async.call([this](const Api<Pod>&) { return pods.get("x"); }, keep_error);
  run();
  EXPECT_EQ(sent(), 0U);
  ASSERT_EQ(errors.size(), 6U);
  for (const Error& error : errors) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.to_string();
    EXPECT_THAT(error.to_string(), HasSubstr("AsyncApi::call()"));
  }
}

TEST_F(AsyncCalls, TheApiOfAVerbIsForThatVerbAlone) {
  answer(200, kPodJson);
  std::optional<Api<Pod>> saved;
  pods.async().call(
      [&](const Api<Pod>& api) {
        saved = api;
        return api.get("a");
      },
      keep());
  EXPECT_EQ(saved->get("a").error().code(), ErrorCode::InvalidArgument) << "while it waits";
  run();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(results[0]);
  EXPECT_EQ(saved->get("a").error().code(), ErrorCode::InvalidArgument) << "when it is over";
  EXPECT_EQ(sent(), 1U);

  pods.async().call(
      [](const Api<Pod>& api) {
        return std::async(std::launch::async, [&] { return api.get("a"); }).get();
      },
      keep());
  run();
  EXPECT_EQ(results.at(1).error().code(), ErrorCode::InvalidArgument) << "in another thread";
}

TEST_F(AsyncCalls, EachRequestOfAVerbGetsTheResponseToItself) {
  next_answer(200, kPodJson);
  next_answer(200, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},)"
                   R"("spec":{"nodeName":"n2"}})");
  pods.async().call(
      [](const Api<Pod>& api) {
        const Result<Pod> before = api.get("a");
        if (!before) return before;
        EXPECT_EQ(before->spec.node_name, "n1");
        return api.get("a");
      },
      keep());
  run();
  ASSERT_EQ(results.size(), 1U);
  ASSERT_TRUE(results[0]) << results[0].error().to_string();
  EXPECT_EQ(results[0]->spec.node_name, "n2");
  EXPECT_EQ(sent(), 2U);

  answer(201, kPodJson);
  pods.async().call(
      [](const Api<Pod>& api) {
        const Result<Pod> first = api.create(Pod{});
        return first ? api.create(Pod{}) : first;
      },
      keep());
  run();
  EXPECT_TRUE(results.at(1));
  EXPECT_EQ(sent(), 4U) << "each is sent";
}

TEST_F(AsyncCalls, AVerbThatSendsAnotherRequestWhenItRunsAgainFails) {
  answer(200, kPodJson);
  pods.async().call(
      [runs = 0](const Api<Pod>& api) mutable { return api.get("pod-" + std::to_string(runs++)); },
      keep());
  pods.async().call(
      [runs = 0](const Api<Pod>& api) mutable {
        Pod pod;
        pod.metadata.name = "a";
        pod.spec.node_name = std::to_string(runs++);
        return Result<Pod>(api.update(pod).value_or(pod));
      },
      keep());
  run();
  EXPECT_EQ(sent(), 2U);
  ASSERT_EQ(results.size(), 2U);
  for (const auto& result : results) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(result.error().to_string(), HasSubstr("has sent another request before"));
  }
}

TEST_F(AsyncCalls, AVerbThatThrowsFails) {
  answer(200, kPodJson);
  pods.async().call([](const Api<Pod>&) -> Result<Pod> { throw std::runtime_error("at once"); },
                    keep());
  EXPECT_TRUE(results.empty());
  pods.async().call(
      [](const Api<Pod>& api) -> Result<Pod> {
        EXPECT_EQ(api.get("a").value().spec.node_name, "n1");  // throws when there is no response
        throw std::runtime_error("later");
      },
      keep());
  run();
  ASSERT_EQ(results.size(), 2U);
  for (const auto& result : results) EXPECT_EQ(result.error().code(), ErrorCode::Internal);
  EXPECT_THAT(results[0].error().to_string(), ::testing::EndsWith(" threw: at once"));
  EXPECT_THAT(results[1].error().to_string(), ::testing::EndsWith(" threw: later"));
  EXPECT_EQ(executor->failed_tasks(), 0U);
}

TEST_F(AsyncCalls, CodesAreThoseOfACallThatWaits) {
  for (const int code : {202, 206, 207, 299}) {
    answer(code, kPodJson);
    pods.async().get("a", keep());
    run();
    const Result<Pod> waited = pods.get("a");
    EXPECT_EQ(results.back().has_value(), waited.has_value()) << code;
    if (waited) continue;
    EXPECT_EQ(results.back().error().to_string(), waited.error().to_string());
  }
}

TEST_F(AsyncCalls, NothingIsSentAfterTheDeadlineOrAStop) {
  answer(200, kPodJson);
  pods.within(0s).async().create(Pod{}, keep());
  run();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].error().code(), ErrorCode::Timeout);
  EXPECT_EQ(results[0].error().to_string(), pods.within(0s).create(Pod{}).error().to_string());
  stop.request_stop();
  pods.async().create(Pod{}, keep(), {}, stop.get_token());
  run();
  EXPECT_EQ(results.at(1).error().to_string(),
            pods.create(Pod{}, {}, stop.get_token()).error().to_string());
  EXPECT_EQ(sent(), 0U);
}

TEST_F(AsyncCalls, WhatIsRefusedInProtobufAfterTheDeadlineIsNotSentAgain) {
  // The executor gets to it too late.
  const auto handlers = std::make_shared<SeededExecutor>(2);
  runtime.handlers = handlers;
  next_answer(415, status_json(415, "UnsupportedMediaType", "json only"));
  const Api<Pod> in_protobuf(RawApi(make(), kPodsResource, "web"));
  in_protobuf.within(3s).async().create(Pod{}, keep());
  executor->run_for(3s);
  handlers->run_ready();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].error().code(), ErrorCode::Timeout);
  EXPECT_EQ(sent(), 1U);
  handlers->stop();
}

TEST_F(AsyncCalls, WhatIsRefusedInProtobufIsSentAgainInJson) {
  next_answer(415, status_json(415, "UnsupportedMediaType", "json only"));
  next_answer(200, kPodJson);
  Pod pod;
  pod.metadata.name = "a";
  const Api<Pod> in_protobuf(RawApi(make(), kPodsResource, "web"));
  in_protobuf.async().create(pod, keep());
  run();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(results[0]) << results[0].error().to_string();
  EXPECT_EQ(sent(), 2U);
  EXPECT_EQ(header(last_request(), "Content-Type"), "application/json");
}

TEST_F(AsyncCalls, AWriteThatWasCarriedOutIsNotSentAgainWhenEncodingsChange) {
  // While it is under way, the server refuses protobuf to another call.
  const Api<Pod> in_protobuf(RawApi(make(), kPodsResource, "web"));
  Pod pod;
  pod.metadata.name = "a";
  in_protobuf.async().create(pod, keep());
  ScriptedCall slow = server->take_request().value();
  next_answer(415, status_json(415, "UnsupportedMediaType", "json only"));
  next_answer(200, kPodJson);
  EXPECT_TRUE(in_protobuf.create(pod));
  EXPECT_EQ(sent(), 3U);
  slow.respond(201, kPodJson);
  run();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(results[0]) << results[0].error().to_string();
  EXPECT_EQ(sent(), 3U);
}

TEST_F(AsyncCalls, AStopRequestEndsTheCall) {
  pods.async().get("a", keep(), {}, stop.get_token());
  const Timer timer = stop_after(1s);
  executor->run_for(1s);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(server->open(), 0U);
  pods.async().get("a", keep(), {}, stop.get_token());
  run();
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].error().code(), ErrorCode::Cancelled);
}

TEST_F(AsyncCalls, TheLimitOfWithinAndTheLimitOfSilenceApply) {
  pods.within(3s).async().get("a", keep());
  executor->run_for(3s);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].error().code(), ErrorCode::Timeout);
  EXPECT_THAT(results[0].error().to_string(), HasSubstr("the call did not end within 3s"));
  pods.async().get("a", keep());
  executor->run_for(90s);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].error().code(), ErrorCode::Timeout);
}

TEST_F(AsyncCalls, AResponseThatIsTooLongIsADecodeErrorAndEndsTheExchange) {
  server->on("", "*", [](ScriptedCall call) {
    call.head();
    for (int i = 0; i < 65; ++i) call.data(std::string(std::size_t{1} << 20, ' '));
  });
  pods.async().get("a", keep());
  run();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].error().code(), ErrorCode::Decode);
  EXPECT_EQ(server->open(), 0U);
}

TEST_F(AsyncCalls, TheCallbackRunsOnTheHandlers) {
  const auto handlers = std::make_shared<SeededExecutor>(2);
  runtime.handlers = handlers;
  answer(200, kPodJson);
  const Api<Pod> with_handlers = make_client().api<Pod>("web");
  with_handlers.async().get("a", keep());
  run();
  EXPECT_TRUE(results.empty());
  handlers->run_ready();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(results[0]);
  handlers->stop();
}

TEST_F(AsyncCalls, ACallbackMayCallAndBlock) {
  answer(200, kPodJson);
  std::vector<bool> found;
  pods.async().get("a", [&](const Result<Pod>& pod) {
    found.push_back(pod.has_value());
    found.push_back(pods.get("b").has_value());
    pods.async().get("c", [&](const Result<Pod>& next) { found.push_back(next.has_value()); });
  });
  run();
  EXPECT_THAT(found, ElementsAre(true, true, true));
}

TEST_F(AsyncCalls, ACallKeepsNoClientAlive) {
  std::weak_ptr<const std::string> held;
  {
    // Nothing else owns this transport.
    auto transport =
        std::make_shared<ScriptedTransport>(ScriptedTransport::Options{.executor = executor});
    const auto short_lived =
        RestClient::create({.host = "https://h"}, runtime, std::move(transport)).value();
    const auto text = std::make_shared<const std::string>("callback");
    held = text;
    Api<Pod>(RawApi(short_lived, kPodsResource, "web"))
        .async()
        .get("a", [this, text](const Result<Pod>& pod) { results.push_back(pod); });
  }
  run();
  ASSERT_EQ(results.size(), 1U) << "exactly one call";
  EXPECT_EQ(results[0].error().code(), ErrorCode::Cancelled);
  EXPECT_TRUE(held.expired()) << "the callback is gone";
}

TEST_F(AsyncCalls, ACallEndsWithItsClientThoughOthersHoldTheTransport) {
  auto short_lived = std::make_unique<RestClient>(make());
  Api<Pod>(RawApi(*short_lived, kPodsResource, "web")).async().get("a", keep());
  run();
  EXPECT_TRUE(results.empty());
  EXPECT_EQ(server->open(), 1U);
  short_lived.reset();
  run();
  EXPECT_EQ(server->open(), 0U);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].error().code(), ErrorCode::Cancelled);
}

TEST_F(AsyncCalls, AStoppedExecutorCancels) {
  const auto handlers = std::make_shared<SeededExecutor>(2);
  runtime.handlers = handlers;
  handlers->stop();
  answer(200, kPodJson);
  const Api<Pod> of_stopped = make_client().api<Pod>("web");
  of_stopped.async().get("a", keep());
  of_stopped.async().get("a", [](const Result<Pod>&) { throw std::runtime_error("no"); });
  run();
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].error().code(), ErrorCode::Cancelled);
}

}  // namespace
}  // namespace kube
