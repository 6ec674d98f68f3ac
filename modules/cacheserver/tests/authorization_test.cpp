// SPDX-License-Identifier: Apache-2.0
//
// What callers may read of a server with authorization rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/file.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/recording_logger.hpp>

#include "cluster_fixture.hpp"
#include "server_files.hpp"

namespace kube::cacheserver::test {
namespace {

using namespace std::chrono_literals;
using kube::testing::eventually;
using kube::testing::RecordingLogger;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kTokens = R"(ann-token,ann,1
bob-token,bob,2,"web-team,other-team"
admin-token,admin,3
guest-token,guest,4
)";
constexpr std::string_view kRules = R"(
- users: [ann]
  groups: [web-team]
  resources: [pods, namespaces]
  namespaces: [web]
- users: [admin]
  resources: ["*"]
  namespaces: ["*"]
)";

class AuthorizationTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    options.token_auth_file = folder.write("tokens", std::string(kTokens));
    options.authorization_rules_file = folder.write("rules", std::string(kRules));
    options.reload_period = 2ms;
    options.runtime.logger = logger;
    options.routes["GET /own/{name}"] = [](const RouteRequest&) -> Result<json::Value> {
      return json::Object{};
    };
    return options;
  }
  void fill() {
    load(pod_json("a") + "\n---\n" + pod_json("b") + "\n---\n" + pod_json("d", {}, {}, "other"));
    load(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"web"}})");
    serve(pods());
    serve({"", "v1", "Namespace", "namespaces", "namespace", false});
    ASSERT_TRUE(cache->check_rules());
  }
  static Headers as(const std::string& user, const std::string& accept = "*/*") {
    return {{"Authorization", "Bearer " + user + "-token"}, {"Accept", accept}};
  }
  Answer read(const std::string& user, std::string_view target) {
    return ask_cache(target, as(user));
  }
  std::string refusal(const std::string& user, std::string_view target) {
    const Answer answer = read(user, target);
    EXPECT_EQ(answer.status, 403) << target;
    EXPECT_EQ(answer.at({"reason"}), "Forbidden") << target;
    return answer.at({"message"});
  }

  Folder folder;
  const std::shared_ptr<RecordingLogger> logger = std::make_shared<RecordingLogger>(LogLevel::Info);
};

TEST_F(AuthorizationTest, CallersReadWhatARuleLetsThem) {
  fill();
  const std::string pods = std::string(kPods);
  for (const char* user : {"ann", "bob", "admin"}) {
    EXPECT_EQ(read(user, pods).status, 200) << user;
    EXPECT_EQ(read(user, pods + "/a").status, 200) << user;
    EXPECT_EQ(read(user, pods + "/none").status, 404) << user;
    EXPECT_EQ(read(user, "/api/v1/namespaces/web").status, 200) << "a namespace is in itself";
    const WatchClient watch(cache->port(), pods + "?watch=1", as(user));
    EXPECT_EQ(watch.head().status, 200) << user;
  }
  for (const char* target : {"/api/v1/pods", "/api/v1/namespaces", "/api/v1/namespaces/other/pods",
                             "/api/v1/pods?fieldSelector=metadata.namespace%3Dweb"}) {
    EXPECT_EQ(read("admin", target).status, 200) << target;
    EXPECT_EQ(read("ann", target).status, 403) << target;
    EXPECT_EQ(read("guest", target).status, 403) << target;
  }
  EXPECT_EQ(ask_cache(pods).status, 401) << "without a token";
}

TEST_F(AuthorizationTest, RefusalsHaveTheWordsOfTheApiServer) {
  fill();
  EXPECT_EQ(refusal("ann", "/api/v1/pods"),
            "pods is forbidden: User \"ann\" cannot list resource \"pods\" in API group \"\" at "
            "the cluster scope");
  EXPECT_EQ(refusal("ann", "/api/v1/pods?watch=true"),
            "pods is forbidden: User \"ann\" cannot watch resource \"pods\" in API group \"\" at "
            "the cluster scope");
  EXPECT_EQ(refusal("guest", std::string(kPods) + "/none"),
            "pods \"none\" is forbidden: User \"guest\" cannot get resource \"pods\" in API group "
            "\"\" in the namespace \"web\"");
  EXPECT_EQ(refusal("ann", "/own/x"), "forbidden: User \"ann\" cannot get path \"/own/x\"");
  serve({"apps", "v1", "Deployment", "deployments", "deployment", true});
  EXPECT_EQ(refusal("ann", "/apis/apps/v1/namespaces/web/deployments"),
            "deployments.apps is forbidden: User \"ann\" cannot list resource \"deployments\" in "
            "API group \"apps\" in the namespace \"web\"");
}

TEST_F(AuthorizationTest, EachTokenReadsWhatHasNoObjects) {
  fill();
  for (const char* target : {"/", "/api", "/api/v1", "/apis", "/openapi/v2", "/openapi/v3",
                             "/openapi/v3/api/v1", "/version", "/metrics"}) {
    EXPECT_EQ(read("guest", target).status, 200) << target;
    EXPECT_EQ(ask_cache(target).status, 401) << target;
  }
  for (const char* target : {"/healthz", "/livez", "/readyz?verbose"}) {
    EXPECT_EQ(ask_cache(target).status, 200) << target;
  }
  EXPECT_EQ(read("admin", "/own/x").status, 200) << "may read everything";
}

TEST_F(AuthorizationTest, ThePageShowsWhatItsUserMayRead) {
  fill();
  const auto shown = [&](const std::string& user) { return read(user, "/page/resources").body; };
  EXPECT_THAT(shown("admin"),
              AllOf(HasSubstr(R"("plural":"pods","namespaced":true,"namespace":"","objects":3)"),
                    HasSubstr(R"("plural":"namespaces")")));
  EXPECT_THAT(shown("ann"),
              AllOf(HasSubstr(R"("plural":"pods","namespaced":true,"namespace":"web","objects":2)"),
                    Not(HasSubstr(R"("plural":"namespaces")"))));
  EXPECT_EQ(shown("guest"), "[]\n");
  const std::string rows = "/page/rows/api/v1/pods?watch=1";
  const std::string rows_of_web = "/page/rows/api/v1/namespaces/web/pods?watch=1";
  EXPECT_THAT(refusal("ann", rows), HasSubstr("cannot watch resource \"pods\""));
  EXPECT_THAT(refusal("guest", rows_of_web), HasSubstr("in the namespace \"web\""));
  const WatchClient watch(cache->port(), rows_of_web, as("ann"));
  EXPECT_EQ(watch.head().status, 200);
  EXPECT_EQ(read("ann", "/page/object/api/v1/namespaces/web/pods/a").status, 200);
  EXPECT_THAT(refusal("ann", "/page/object/api/v1/namespaces/other/pods/d"),
              HasSubstr("pods \"d\" is forbidden"));
}

TEST_F(AuthorizationTest, AWatchEndsWhenItsRuleGoesAndOthersGoOn) {
  fill();
  const std::string from = std::string(kPods) + "?watch=1&resourceVersion=" + revision();
  WatchClient of_ann(cache->port(), from, as("ann"));
  WatchClient of_bob(cache->port(), from, as("bob"));
  WatchClient rows(cache->port(), "/page/rows/api/v1/namespaces/web/pods?watch=1", as("ann"));
  ASSERT_EQ(of_ann.head().status, 200);
  ASSERT_EQ(of_bob.head().status, 200);
  ASSERT_EQ(rows.head().status, 200);
  ASSERT_TRUE(replace_file(folder / "rules",
                           "- groups: [web-team]\n  resources: [pods]\n  namespaces: [web]\n"));
  EXPECT_EQ(of_ann.next_text(), "END");
  EXPECT_TRUE(of_ann.ended_cleanly());
  while (rows.next()) {
  }
  EXPECT_TRUE(rows.ended_cleanly());
  EXPECT_EQ(read("ann", kPods).status, 403);
  EXPECT_EQ(read("admin", kPods).status, 403);
  load(pod_json("later"));
  EXPECT_EQ(of_bob.next_text(), "ADDED later");
}

TEST_F(AuthorizationTest, WrongRulesKeepTheOldOnesAndAreLogged) {
  fill();
  const auto logged = [&](std::string_view part) {
    return eventually([&] {
      for (const std::string& line : logger->lines()) {
        if (line.find(part) != std::string::npos) return true;
      }
      return false;
    });
  };
  ASSERT_TRUE(replace_file(folder / "rules",
                           "- users: [guest]\n  resources: [services]\n  namespaces: [web]\n"));
  EXPECT_TRUE(logged("is not served; expected"));
  EXPECT_EQ(read("ann", kPods).status, 200);
  ASSERT_TRUE(replace_file(folder / "rules", ""));
  EXPECT_TRUE(logged("rules file"));
  EXPECT_EQ(read("ann", kPods).status, 200);
  EXPECT_EQ(read("guest", kPods).status, 403);
  ASSERT_TRUE(replace_file(folder / "rules",
                           "- users: [guest]\n  resources: [pods]\n  namespaces: [web]\n"));
  EXPECT_TRUE(eventually([&] { return read("guest", kPods).status == 200; }));
  EXPECT_EQ(read("ann", kPods).status, 403);
}

TEST(CacheServerRules, WrongUseIsNamed) {
  const Folder folder;
  const auto refused = [](CacheServer::Options options) {
    const auto server = CacheServer::start(std::move(options));
    return server ? "" : server.error().message();
  };
  const std::string tokens = folder.write("tokens", "t,u,1\n");
  const std::string rules =
      folder.write("rules", "- users: [u]\n  resources: [pods]\n  namespaces: [web]\n");
  EXPECT_EQ(refused({.authorization_rules_file = rules}),
            "authorization rules: expected a file of tokens, too, which says who a caller is");
  EXPECT_THAT(refused({.token_auth_file = tokens, .authorization_rules_file = folder / "none"}),
              HasSubstr("/none: No such file or directory"));
  EXPECT_EQ(
      refused({.token_auth_file = tokens,
               .authorization_rules_file = folder.write("bad", "- users: [u]\n  verbs: [get]\n")}),
      "rules file \"" + (folder / "bad") +
          "\": line 2: unknown field \"verbs\"; expected users, groups, resources or "
          "namespaces");
  const auto server =
      CacheServer::start({.token_auth_file = tokens, .authorization_rules_file = rules});
  ASSERT_TRUE(server);
  const auto checked = (*server)->check_rules();
  ASSERT_FALSE(checked) << "nothing is served";
  EXPECT_THAT(checked.error().message(), HasSubstr("line 2: resource \"pods\" is not served"));
}

TEST(CacheServerRules, TokensWithoutRulesAreLogged) {
  const Folder folder;
  CacheServer::Options options;
  options.token_auth_file = folder.write("tokens", "t,u,1\n");
  const auto logger = std::make_shared<RecordingLogger>(LogLevel::Warning);
  options.runtime.logger = logger;
  ASSERT_TRUE(CacheServer::start(options));
  EXPECT_THAT(logger->lines(), Contains(HasSubstr("each token may read all that is served")));
}

}  // namespace
}  // namespace kube::cacheserver::test
