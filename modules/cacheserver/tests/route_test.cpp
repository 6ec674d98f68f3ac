// SPDX-License-Identifier: Apache-2.0
//
// Routes: paths of a program's own.
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/eventually.hpp>

#include "cluster_fixture.hpp"

namespace kube::cacheserver::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// Answers with the name of the route and what it was asked.
RouteHandler telling(const char* route) {
  return [route](const RouteRequest& request) -> Result<json::Value> {
    std::string text = route;
    for (const auto& [name, value] : request.path_values) text += " " + name + "=" + value;
    for (const auto& [name, value] : request.query) text += " ?" + name + "=" + value;
    if (!request.body.empty()) text += " body=" + request.body;
    return json::Value(json::Object{{"asked", text}});
  };
}

class RouteTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    options.routes["GET /own/{name}"] = telling("get");
    options.routes["PUT /own/{name}/size"] = telling("size");
    options.routes["DELETE /own/{name}"] = telling("delete");
    options.routes["GET /own/all"] = telling("all");
    options.routes["GET /own/{every...}"] = telling("every");
    options.routes["GET /own/{name}/{rest...}"] = telling("rest");
    options.routes["GET /wrong"] = [](const RouteRequest&) -> Result<json::Value> {
      return Error(ErrorCode::InvalidArgument, "expected another");
    };
    options.routes["GET /throws"] = [](const RouteRequest&) -> Result<json::Value> {
      throw std::runtime_error("secret");
    };
    return options;
  }
  Answer send(std::string_view method, std::string_view target, std::string_view body = {},
              const Headers& headers = {}) {
    return HttpClient(cache->port()).send(method, target, body, headers);
  }
  std::string asked(std::string_view method, std::string_view target, std::string_view body = {}) {
    const Answer answer = send(method, target, body);
    return answer.status == 200 ? answer.at({"asked"}) : std::to_string(answer.status);
  }
};

TEST_F(RouteTest, AHandlerGetsPathQueryAndBodyWithoutEscapes) {
  EXPECT_EQ(asked("PUT", "/own/a%2Fb%20c/size?n=2&n=3&x=%26+", "{}"),
            "size name=a/b c ?n=2 ?x=&  body={}");
  EXPECT_EQ(asked("DELETE", "/own/a/"), "delete name=a") << "a slash at the end has no meaning";
  const RouteRequest request{.path_values = {{"name", "a"}}, .query = {{"n", ""}}};
  EXPECT_EQ(request.path_value("name"), "a");
  EXPECT_EQ(request.path_value("other"), "");
  EXPECT_EQ(request.query_value("n", "7"), "");
  EXPECT_EQ(request.query_value("m", "7"), "7");
}

TEST_F(RouteTest, TheMoreSpecificPatternCounts) {
  EXPECT_EQ(asked("GET", "/own/all"), "all");
  EXPECT_EQ(asked("DELETE", "/own/all"), "delete name=all");
  EXPECT_EQ(asked("GET", "/own/some"), "get name=some");
  EXPECT_EQ(asked("GET", "/own/some/a/b"), "rest name=some rest=a/b");
}

TEST_F(RouteTest, OtherMethodsOfAPathAreA405AndOtherPathsA404) {
  const Answer wrong = send("POST", "/own/a");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("allow"), "DELETE, GET");
  EXPECT_EQ(wrong.at({"reason"}), "MethodNotAllowed");
  EXPECT_EQ(send("GET", "/own").status, 404);
  EXPECT_EQ(send("GET", "/own//size").status, 404) << "an empty name";
  EXPECT_EQ(send("PUT", "/own/a/size/more").status, 405) << "GET /own/{name}/{rest...}";
  EXPECT_EQ(send("GET", "/other").status, 404);
  EXPECT_EQ(send("GET", "/version").status, 200) << "the server's own";
}

TEST_F(RouteTest, ErrorsAreStatusesInJson) {
  const Answer wrong = send("GET", "/wrong");
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(wrong.at({"message"}), "expected another");
  const Answer thrown = send("GET", "/throws");
  EXPECT_EQ(thrown.status, 500);
  EXPECT_THAT(thrown.body, ::testing::Not(HasSubstr("secret")));
}

TEST_F(RouteTest, APageOfAnotherSiteCanNotWrite) {
  EXPECT_EQ(send("DELETE", "/own/a", {}, {{"Origin", "http://evil.example"}}).status, 403);
  EXPECT_EQ(send("DELETE", "/own/a", {}, {{"Sec-Fetch-Site", "cross-site"}}).status, 403);
}

TEST_F(RouteTest, AnswersHaveTheAgeOfTheOldestCache) {
  serve(pods());
  serve(secrets());
  const Answer answer = ask_cache("/own/a");
  EXPECT_THAT(answer.header("age"), MatchesRegex("[0-9]+"));
  EXPECT_EQ(answer.header("warning"), "");
  EXPECT_THAT(ask_cache("/wrong").header("age"), MatchesRegex("[0-9]+"));
}

TEST_F(RouteTest, AnswersAreA503UntilEachInformerHasSynced) {
  serve(pods());
  AnyInformer late(client->rest(), secrets());
  ASSERT_TRUE(cache->add(late));
  const Answer early = ask_cache("/own/a");
  EXPECT_EQ(early.status, 503);
  EXPECT_EQ(early.at({"message"}), "the cache of secrets can't be served: it has not synced yet");
  EXPECT_EQ(early.header("retry-after"), "1");
  EXPECT_EQ(ask_cache("/api/v1/secrets").header("retry-after"), "1");
  ASSERT_TRUE(late.start());
  ASSERT_TRUE(late.wait_for_sync({}));
  EXPECT_EQ(ask_cache("/own/a").status, 200);
}

class OldRouteTest : public RouteTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = RouteTest::cache_options();
    options.max_age = Duration(1);  // every cache is older
    options.routes_before_sync = true;
    return options;
  }
};

TEST_F(OldRouteTest, AnswersWarnWhenACacheIsTooOld) {
  serve(pods());
  EXPECT_THAT(ask_cache("/own/a").header("warning"), HasSubstr("the cache of pods has heard"));
}

TEST_F(OldRouteTest, AnswersMayComeBeforeTheSync) {
  AnyInformer late(client->rest(), pods());
  ASSERT_TRUE(cache->add(late));
  const Answer early = ask_cache("/own/a");
  EXPECT_EQ(early.status, 200);
  EXPECT_EQ(early.header("age"), "") << "nothing was heard of the cluster yet";
}

/// Its handler returns when it is let go, or asked to stop.
class BlockingRouteTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    options.threads = 1;
    options.route_threads = 1;
    options.stop_timeout = testing::kPatience;
    options.routes["PUT /slow"] = [this](const RouteRequest& request) -> Result<json::Value> {
      std::unique_lock lock(mutex_);
      ++calls_;
      changed_.notify_all();
      changed_.wait(lock, request.stop, [this] { return let_go_; });
      return json::Value(request.stop.stop_requested() ? "stopped" : "done");
    };
    return options;
  }
  std::future<Answer> call() {
    return std::async(std::launch::async,
                      [port = cache->port()] { return HttpClient(port).send("PUT", "/slow"); });
  }
  void await_call() {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, testing::kPatience, [this] { return calls_ > 0; }));
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    let_go_ = true;
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  mutable int calls_ = 0;
  bool let_go_ = false;
};

TEST_F(BlockingRouteTest, AHandlerThatBlocksDelaysNoOtherRequest) {
  load(pod_json("a"));
  serve(pods());
  auto slow = call();
  await_call();
  EXPECT_EQ(ask_cache(std::string(kPods) + "/a").status, 200);
  let_go();
  EXPECT_EQ(slow.get().body, "\"done\"\n");
}

TEST_F(BlockingRouteTest, AStopWaitsForTheAnswersUnderWay) {
  auto slow = call();
  await_call();
  const std::jthread stopper([this] { cache->stop(); });
  EXPECT_TRUE(testing::eventually([this] { return refuses_connections(cache->port()); }));
  let_go();
  EXPECT_EQ(slow.get().body, "\"done\"\n");
}

class ImpatientRouteTest : public BlockingRouteTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = BlockingRouteTest::cache_options();
    options.route_timeout = 1ms;
    options.stop_timeout = 1ms;
    return options;
  }
};

TEST_F(ImpatientRouteTest, ALateAnswerIsA504AndItsHandlerIsAskedToStop) {
  const Answer late = call().get();
  EXPECT_EQ(late.status, 504);
  EXPECT_THAT(late.at({"message"}), HasSubstr("may be carried out"));
  // Its only thread is free again.
  EXPECT_EQ(call().get().status, 504);
  EXPECT_TRUE(testing::eventually([this] {
    const std::lock_guard lock(mutex_);
    return calls_ == 2;
  }));
}

class StoppedRouteTest : public BlockingRouteTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = BlockingRouteTest::cache_options();
    options.stop_timeout = 1ms;
    return options;
  }
};

TEST_F(StoppedRouteTest, AStopEndsHandlersThatDoNotReturnByThemselves) {
  std::thread caller([port = cache->port()] {
    try {
      static_cast<void>(HttpClient(port).send("PUT", "/slow"));
    } catch (const std::runtime_error&) {  // the connection is closed
    }
  });
  await_call();
  cache->stop();
  caller.join();
}

TEST(RoutePatterns, AreRefusedAtTheStartWhenTheyAreWrong) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> kWrong = {
      {{"/own"}, "expected DELETE, GET, PATCH, POST or PUT"},
      {{"get /own"}, "expected DELETE, GET, PATCH, POST or PUT"},
      {{"GET own"}, "a path such as"},
      {{"GET  /own"}, "a path such as"},
      {{"GET /"}, "expected segments"},
      {{"GET /own/"}, "expected segments"},
      {{"GET /own/{}"}, "expected segments"},
      {{"GET /own/{a}b"}, "expected segments"},
      {{"GET /own/{a}/{a}"}, "the same name twice"},
      {{"GET /own/{a...}/b"}, "nothing can follow"},
      {{"GET /{a}"}, "begins with a text of its own"},
      {{"GET /api/{a}"}, "are the server's"},
      {{"GET /metrics"}, "are the server's"},
      {{"GET /own/{a}", "GET /own/{b}"}, "the same method and paths"},
  };
  for (const auto& [patterns, why] : kWrong) {
    CacheServer::Options options;
    for (const std::string& pattern : patterns) options.routes[pattern] = telling("");
    const auto server = CacheServer::start(options);
    ASSERT_FALSE(server) << patterns.front();
    EXPECT_EQ(server.error().code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(server.error().message(), HasSubstr("\"" + patterns.back() + "\": "));
    EXPECT_THAT(server.error().message(), HasSubstr(why));
  }
  CacheServer::Options options;
  options.routes["GET /own"] = nullptr;
  EXPECT_THAT(CacheServer::start(options).error().message(), HasSubstr("expected a handler"));
}

TEST(OwnPage, ABrowserGetsItWithThePolicyOfTheServer) {
  CacheServer::Options options;
  options.page = "<title>own</title><script></script>";
  const auto server = CacheServer::start(options).value();
  const Answer page = HttpClient(server->port()).send("GET", "/", {}, {{"Accept", "text/html"}});
  EXPECT_EQ(page.body, options.page);
  EXPECT_THAT(page.header("content-security-policy"),
              HasSubstr("default-src 'none'; connect-src 'self'; script-src "
                        "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; style-src 'none'"));
  EXPECT_THAT(HttpClient(server->port()).send("GET", "/").body, HasSubstr("paths"));
}

}  // namespace
}  // namespace kube::cacheserver::test
