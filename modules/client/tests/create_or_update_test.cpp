// SPDX-License-Identifier: Apache-2.0
#include <kube/client/create_or_update.hpp>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/api/core/v1/node.hpp>

#include "api_fixture.hpp"

namespace kube {
namespace {

using core::v1::ConfigMap;
using core::v1::Node;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr const char* kSettings =
    R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"settings","namespace":"web",)"
    R"("resourceVersion":"7"},"data":{"level":"1","color":"red"}})";

std::string settings_of_version(const std::string& version) {
  std::string text = kSettings;
  return text.replace(text.find("\"7\""), 3, "\"" + version + "\"");
}

void set_level(ConfigMap& map) {
  map.data["level"] = "2";
}

class CreateOrUpdate : public ApiTest {
 protected:
  void not_found() { next_answer(404, status_json(404, "NotFound", "there is no settings")); }
  void conflict() { next_answer(409, status_json(409, "Conflict", "it has been modified")); }
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const auto& request : server->requests()) lines.push_back(request_line(request));
    return lines;
  }
  const std::string one = "/api/v1/namespaces/web/configmaps/settings";
  const std::string all = "/api/v1/namespaces/web/configmaps";
  Api<ConfigMap> maps = client.api<ConfigMap>("web");
};

TEST_F(CreateOrUpdate, WhatIsMissingIsCreated) {
  not_found();
  next_answer(201, kSettings);
  const auto done = create_or_update(maps, "settings", set_level, {.field_manager = "me"});
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(done->operation, OperationResult::Created);
  EXPECT_EQ(done->object.metadata.resource_version, "7") << "the object of the server";
  EXPECT_EQ(lines(), (std::vector{"GET " + one, "POST " + all + "?fieldManager=me"}));
  EXPECT_THAT(
      last_request().body,
      HasSubstr(R"("metadata":{"name":"settings","namespace":"web"},"data":{"level":"2"})"));
}

TEST_F(CreateOrUpdate, WhatIsThereIsUpdated) {
  next_answer(200, kSettings);
  next_answer(200, settings_of_version("8"));
  const auto done = create_or_update(maps, "settings", set_level, {.field_manager = "me"});
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(done->operation, OperationResult::Updated);
  EXPECT_EQ(lines(), (std::vector{"GET " + one, "PUT " + one + "?fieldManager=me"}));
  EXPECT_THAT(last_request().body, HasSubstr(R"("resourceVersion":"7")"));
  EXPECT_THAT(last_request().body, HasSubstr(R"("data":{"color":"red","level":"2"})"));
}

TEST_F(CreateOrUpdate, NothingIsSentWhenNothingChanges) {
  next_answer(200, kSettings);
  const auto done =
      create_or_update(maps, "settings", [](ConfigMap& map) { map.data["level"] = "1"; });
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(done->operation, OperationResult::Unchanged);
  EXPECT_EQ(done->object.data.at("color"), "red");
  EXPECT_EQ(lines(), std::vector{"GET " + one});
  // An object that does not exist is created, though nothing is changed in it.
  not_found();
  next_answer(201, kSettings);
  EXPECT_EQ(create_or_update(maps, "settings", [](ConfigMap&) {}).value().operation,
            OperationResult::Created);
}

TEST_F(CreateOrUpdate, WhatTheServerIgnoresIsUnchanged) {
  answer(200, R"({"kind":"Deployment","apiVersion":"apps/v1",)"
              R"("metadata":{"name":"front","namespace":"web","resourceVersion":"7"}})");
  const auto set_status = [](Unstructured& deployment) {
    EXPECT_TRUE(deployment.set({"status", "replicas"}, 2));
  };
  const auto done = create_or_update(any, "front", set_status);
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(done->operation, OperationResult::Unchanged);
  EXPECT_EQ(last_request().method, "PUT");
  answer(200, kSettings);
  EXPECT_EQ(create_or_update(maps, "settings", set_level).value().operation,
            OperationResult::Unchanged);
  EXPECT_EQ(create_or_update(maps, "settings", set_level, {.dry_run = {"All"}}).value().operation,
            OperationResult::Updated)
      << "a dry run leaves the version";
}

TEST_F(CreateOrUpdate, AfterAConflictItBeginsAgainWithTheObjectOfThatTime) {
  next_answer(200, kSettings);
  conflict();
  next_answer(200, settings_of_version("8"));
  next_answer(200, settings_of_version("9"));
  std::vector<std::string> seen;
  const auto done = create_or_update(maps, "settings", [&](ConfigMap& map) {
    seen.push_back(map.metadata.resource_version);
    set_level(map);
  });
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(done->operation, OperationResult::Updated);
  EXPECT_EQ(seen, (std::vector<std::string>{"7", "8"}));
  EXPECT_GE(elapsed(), 10ms);
}

TEST_F(CreateOrUpdate, WhatAnotherHasCreatedMeanwhileIsUpdated) {
  not_found();
  next_answer(409, status_json(409, "AlreadyExists", "settings already exists"));
  next_answer(200, kSettings);
  next_answer(200, settings_of_version("8"));
  const auto done = create_or_update(maps, "settings", set_level);
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(done->operation, OperationResult::Updated);
  EXPECT_EQ(sent(), 4U);
}

TEST_F(CreateOrUpdate, WhatAnotherHasDeletedMeanwhileIsCreated) {
  next_answer(200, kSettings);
  not_found();
  not_found();
  next_answer(201, kSettings);
  const auto done = create_or_update(maps, "settings", set_level);
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(done->operation, OperationResult::Created);
}

TEST_F(CreateOrUpdate, AMissingNamespaceIsNoReasonToTryAgain) {
  not_found();
  next_answer(404, status_json(404, "NotFound", "there is no namespace web"));
  const auto done = create_or_update(maps, "settings", set_level);
  ASSERT_FALSE(done);
  EXPECT_TRUE(is_not_found(done.error()));
  EXPECT_EQ(sent(), 2U);
}

TEST_F(CreateOrUpdate, ConflictsWithoutEndAreTheConflictItself) {
  server->on("GET", "*", [](ScriptedCall call) { call.respond(200, kSettings); });
  server->on("PUT", "*", [](ScriptedCall call) {
    call.respond(409, status_json(409, "Conflict", "it has been modified"));
  });
  const auto done = create_or_update(maps, "settings", set_level);
  ASSERT_FALSE(done);
  EXPECT_TRUE(is_conflict(done.error()));
  EXPECT_EQ(sent(), 8U);
  EXPECT_LT(elapsed(), 1s);
}

TEST_F(CreateOrUpdate, AStopRequestEndsThePauseBetweenAttempts) {
  server->on("GET", "*", [](ScriptedCall call) { call.respond(200, kSettings); });
  server->on("PUT", "*", [this](ScriptedCall call) {
    call.respond(409, status_json(409, "Conflict", "it has been modified"));
    stop.request_stop();
  });
  const auto done = create_or_update(maps, "settings", set_level, {}, stop.get_token());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(sent(), 2U);
}

TEST_F(CreateOrUpdate, TheErrorOfTheFunctionEndsIt) {
  next_answer(200, kSettings);
  const auto done = create_or_update(maps, "settings", [](ConfigMap&) -> Result<void> {
    return Error(ErrorCode::InvalidArgument, "not this one");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message(), "not this one");
  EXPECT_EQ(sent(), 1U);
  next_answer(200, kSettings);
  next_answer(200, kSettings);
  EXPECT_TRUE(create_or_update(maps, "settings", [](ConfigMap& map) -> Result<void> {
    set_level(map);
    return {};
  }));
}

TEST_F(CreateOrUpdate, AnotherNameOrNamespaceIsRefused) {
  next_answer(200, kSettings);
  const auto renamed =
      create_or_update(maps, "settings", [](ConfigMap& map) { map.metadata.name = "other"; });
  ASSERT_FALSE(renamed);
  EXPECT_EQ(renamed.error().code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(renamed.error().message(), HasSubstr(R"("web/settings" to "web/other")"));
  not_found();
  const auto moved =
      create_or_update(maps, "settings", [](ConfigMap& map) { map.metadata.namespace_ = "x"; });
  ASSERT_FALSE(moved);
  EXPECT_THAT(moved.error().message(), HasSubstr(R"("web/settings" to "x/settings")"));
  EXPECT_EQ(sent(), 2U) << "two gets";
}

TEST_F(CreateOrUpdate, ErrorsOtherThanNotFoundEndTheGet) {
  next_answer(403, status_json(403, "Forbidden", "no"));
  EXPECT_TRUE(is_forbidden(create_or_update(maps, "settings", set_level).error()));
  EXPECT_EQ(create_or_update(maps, "", set_level).error().code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(sent(), 1U);
}

TEST_F(CreateOrUpdate, ObjectsWithoutAType) {
  not_found();
  next_answer(201, R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"front"}})");
  const auto done = create_or_update(any, "front", [](Unstructured& deployment) {
    deployment.content.if_object()->set("spec", json::Object{{"replicas", 2}});
  });
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_EQ(done->operation, OperationResult::Created);
  for (const char* part : {R"("apiVersion":"apps/v1")", R"("kind":"Deployment")",
                           R"("name":"front")", R"("namespace":"web")", R"("replicas":2)"}) {
    EXPECT_THAT(last_request().body, HasSubstr(part));
  }
}

TEST_F(CreateOrUpdate, ObjectsOfTheCluster) {
  not_found();
  next_answer(201, R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"}})");
  const auto done = create_or_update(client.api<Node>(), "n1",
                                     [](Node& node) { node.spec.unschedulable = true; });
  ASSERT_TRUE(done) << done.error().to_string();
  EXPECT_THAT(last_request().body, Not(HasSubstr("namespace")));
}

TEST_F(CreateOrUpdate, TheLimitOfWithinIsThatOfAllAttempts) {
  server->on("GET", "*", [](ScriptedCall call) { call.respond(200, kSettings); });
  std::vector<Timer> timers;
  server->on("PUT", "*", [&](ScriptedCall call) {
    timers.push_back(executor->submit_after(2s, [=]() mutable {
      call.respond(409, status_json(409, "Conflict", "it has been modified"));
    }));
  });
  const auto done = create_or_update(maps.within(3s), "settings", set_level);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::Timeout);
  EXPECT_LE(elapsed(), 3001ms) << "a transport counts milliseconds";
}

TEST(OperationResults, HaveTheWordsOfControllerRuntime) {
  EXPECT_EQ(to_string(OperationResult::Unchanged), "unchanged");
  EXPECT_EQ(to_string(OperationResult::Created), "created");
  EXPECT_EQ(to_string(OperationResult::Updated), "updated");
}

}  // namespace
}  // namespace kube
