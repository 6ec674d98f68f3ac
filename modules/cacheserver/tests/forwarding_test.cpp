// SPDX-License-Identifier: Apache-2.0
//
// Requests that a server passes on: what the cluster gets of them, and what comes back.
#include <future>
#include <latch>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/eventually.hpp>

#include "cluster_fixture.hpp"
#include "http/gated_executor.hpp"
#include "http/http_server.hpp"
#include "http/io_threads.hpp"
#include "server_files.hpp"

namespace kube::cacheserver::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Stands for a cluster that writes are passed on to: keeps requests, and has one answer.
class Recorder {
 public:
  Recorder() {
    server_ = serving::HttpServer::listen(
                  {}, io_, timers_, ids_,
                  {[this](const serving::HttpRequest& request, bool) { return handle(request); },
                   [](const serving::HttpRequest&) { return serving::text_response(413, ""); }})
                  .value();
    io_.start("recorder", 1, nullptr);
  }
  ~Recorder() {
    server_->stop();
    timers_.close();
    io_.stop();
  }
  std::string url() const { return server_->url(); }
  void answer(std::function<serving::HttpResponse()> make) {
    const std::lock_guard lock(mutex_);
    make_ = std::move(make);
  }
  std::vector<serving::HttpRequest> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(requests_, {});
  }

 private:
  serving::HttpResponse handle(const serving::HttpRequest& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    return make_();
  }

  serving::IoThreads io_;
  serving::GatedExecutor timers_{io_.executor()};
  serving::Ids ids_{1};
  std::mutex mutex_;
  std::vector<serving::HttpRequest> requests_;
  std::function<serving::HttpResponse()> make_ = [] { return serving::text_response(201, "{}"); };
  std::unique_ptr<serving::HttpServer> server_;
};

class ForwardingTest : public ClusterTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ClusterTest::cache_options();
    rest::Config config;
    config.host = writes.url() + "/prefix";
    config.disable_compression = true;  // else the transport decodes what comes back
    options.writes_to = config;
    options.stop_timeout = testing::kPatience;
    return options;
  }
  int send(std::string_view method, std::string_view target, const Headers& headers = {}) {
    return HttpClient(cache->port()).send(method, target, "{}", headers).status;
  }

  Recorder writes;
};

TEST_F(ForwardingTest, AWriteHasTheImpersonationOfItsSender) {
  serve(pods());
  const Headers headers = {{"Authorization", "Bearer t"},   {"Impersonate-User", "low"},
                           {"Impersonate-Group", "a"},      {"impersonate-group", "b"},
                           {"Impersonate-Uid", "7"},        {"Impersonate-Extra-scopes", "view"},
                           {"X-Remote-User", "system:root"}};
  EXPECT_EQ(send("POST", kPods, headers), 201);
  const auto sent = writes.take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].authorization, "Bearer t");
  EXPECT_THAT(sent[0].impersonation,
              ElementsAre(Pair("Impersonate-User", "low"), Pair("Impersonate-Group", "a"),
                          Pair("impersonate-group", "b"), Pair("Impersonate-Uid", "7"),
                          Pair("Impersonate-Extra-scopes", "view")));
}

TEST_F(ForwardingTest, AWriteGoesToThePathThatWasReadOfItsTarget) {
  serve(pods());
  const std::string own = "http://127.0.0.1:" + std::to_string(cache->port());
  const std::string path = "/api/v1/namespaces/web/pods";
  for (const std::string& target : {path, own + path, "HTTPS://localhost" + path}) {
    EXPECT_EQ(send("POST", target + "?dryRun=All"), 201) << target;
    const auto sent = writes.take();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].target, "/prefix" + path + "?dryRun=All");
  }
  EXPECT_EQ(send("DELETE", path + "/a#b/../.."), 404) << "deeper than an object";
  EXPECT_EQ(send("DELETE", path + "/a#b"), 201);
  EXPECT_EQ(writes.take().at(0).target, "/prefix" + path + "/a%23b");
}

TEST_F(ForwardingTest, TargetsThatNameAnotherHostAreRefused) {
  serve(pods());
  const Recorder other;
  const std::string authority = other.url().substr(7);  // after "http://"
  const std::string path = "/api/v1/namespaces/web/pods";
  for (const std::string& target :
       {"@" + authority + "/://x" + path, ".evil.example/://x" + path, ":1/://x" + path,
        "x://127.0.0.1" + path, "http://user@127.0.0.1" + path, "http://" + path,
        "http://127.0.0.1?x=" + path, std::string("*")}) {
    EXPECT_EQ(send("POST", target), 400) << target;
  }
  EXPECT_EQ(send("POST", "http://evil.example" + path), 403);
  EXPECT_THAT(writes.take(), IsEmpty());
}

TEST_F(ForwardingTest, AnAnswerHasAllWarningsOfTheCluster) {
  serve(pods());
  writes.answer([] {
    serving::HttpResponse answer = serving::text_response(422, "packed");
    answer.headers = {{"Warning", "299 - \"one\""},
                      {"Warning", "299 - \"two\""},
                      {"Content-Encoding", "x-own"},
                      {"X-Other", "x"}};
    return answer;
  });
  const Answer answer = HttpClient(cache->port()).send("POST", kPods, "{}");
  EXPECT_EQ(answer.status, 422);
  EXPECT_EQ(answer.body, "packed");
  EXPECT_EQ(answer.header("warning"), "299 - \"one\", 299 - \"two\"");
  EXPECT_EQ(answer.header("content-encoding"), "x-own");
  EXPECT_EQ(answer.header("x-other"), "");
  EXPECT_EQ(answer.header("x-content-type-options"), "nosniff");
}

TEST_F(ForwardingTest, AStopWaitsForTheAnswersOfTheCluster) {
  serve(pods());
  std::latch asked(1);
  std::latch let_go(1);
  writes.answer([&] {
    asked.count_down();
    let_go.wait();
    return serving::text_response(201, "{}");
  });
  auto status = std::async(std::launch::async, [this] { return send("POST", kPods); });
  asked.wait();
  const std::jthread stopper([this] { cache->stop(); });
  EXPECT_TRUE(testing::eventually([this] { return refuses_connections(cache->port()); }));
  let_go.count_down();
  EXPECT_EQ(status.get(), 201);
}

class ImpatientForwardingTest : public ForwardingTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ForwardingTest::cache_options();
    options.stop_timeout = std::chrono::milliseconds(1);
    return options;
  }
};

TEST_F(ImpatientForwardingTest, AWriteThatTheClusterHasNotAnsweredAtTheStopSaysSo) {
  serve(pods());
  const auto asked = std::make_shared<std::latch>(1);
  const auto let_go = std::make_shared<std::latch>(1);
  writes.answer([asked, let_go] {
    asked->count_down();
    let_go->wait();
    return serving::text_response(201, "{}");
  });
  auto sent = std::async(std::launch::async,
                         [this] { return HttpClient(cache->port()).send("POST", kPods, "{}"); });
  asked->wait();
  cache->stop();
  const Answer answer = sent.get();
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.at({"message"}), HasSubstr("passed on to the cluster, which may have"));
  let_go->count_down();
}

TEST_F(ForwardingTest, SubresourcesArePassedOn) {
  serve({"apps", "v1", "Deployment", "deployments", "deployment", true});
  serve(pods());
  const std::string scale = "/apis/apps/v1/namespaces/web/deployments/d/scale";
  for (const char* method : {"GET", "PATCH", "PUT"}) {
    EXPECT_EQ(send(method, scale), 201) << method;
    EXPECT_EQ(writes.take().at(0).target, "/prefix" + scale);
  }
  const std::string log = std::string(kPods) + "/a/log";
  EXPECT_EQ(send("GET", log + "?tailLines=1"), 201);
  EXPECT_EQ(writes.take().at(0).target, "/prefix" + log + "?tailLines=1");
  EXPECT_EQ(send("GET", log + "?follow=true"), 400) << "it has no end";
  for (const char* name : {"/a/exec", "/a/attach", "/a/portforward", "/a/proxy"}) {
    EXPECT_EQ(send("GET", std::string(kPods) + name), 400) << name;
    EXPECT_EQ(send("POST", std::string(kPods) + name), 400) << name;
  }
  EXPECT_EQ(send("OPTIONS", kPods), 405);
  EXPECT_THAT(writes.take(), IsEmpty());
}

TEST_F(ForwardingTest, DiscoveryHasTheVerbsAndSubresourcesThatArePassedOn) {
  serve({"apps", "v1", "Deployment", "deployments", "deployment", true});
  const std::string list = ask_cache("/apis/apps/v1").body;
  EXPECT_THAT(list, HasSubstr(R"("verbs":["create","delete","deletecollection","get","list",)"
                              R"("patch","update","watch"])"));
  EXPECT_THAT(list, HasSubstr(R"("name":"deployments/scale")"));
  EXPECT_THAT(list, HasSubstr(R"("name":"deployments/status")"));
}

TEST_F(ForwardingTest, TheCredentialForTheClusterMayHaveAFieldOfItsOwn) {
  serve(pods());
  EXPECT_EQ(send("POST", kPods,
                 {{"Authorization", "Bearer for-the-cache"},
                  {"Cluster-Authorization", "Bearer for-the-cluster"}}),
            201);
  const auto sent = writes.take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].authorization, "Bearer for-the-cluster");
  EXPECT_EQ(sent[0].cluster_authorization, "");
}

class ForwardingWithTokensTest : public ForwardingTest {
 protected:
  CacheServer::Options cache_options() const override {
    CacheServer::Options options = ForwardingTest::cache_options();
    options.token_auth_file = folder.write("tokens", "ours,ann,1\n");
    return options;
  }
  Folder folder;
};

TEST_F(ForwardingWithTokensTest, ATokenOfTheCacheIsNeverSentToTheCluster) {
  serve(pods());
  const Headers ours = {{"Authorization", "Bearer ours"}};
  const std::string pod = std::string(kPods) + "/a";
  for (const auto& [method, target] : std::vector<std::pair<std::string, std::string>>{
           {"POST", std::string(kPods)}, {"DELETE", pod}, {"GET", pod + "/log"}}) {
    const Answer refused = HttpClient(cache->port()).send(method, target, "{}", ours);
    EXPECT_EQ(refused.status, 403) << method;
    EXPECT_EQ(refused.at({"reason"}), "Forbidden");
    EXPECT_THAT(refused.at({"message"}), HasSubstr("does not pass its own tokens on"));
    EXPECT_THAT(refused.at({"message"}), HasSubstr("Cluster-Authorization"));
  }
  EXPECT_EQ(send("POST", kPods, {{"Cluster-Authorization", "Bearer theirs"}}), 401)
      << "the cache does not know who it is";
  EXPECT_EQ(send("POST", kPods, {{"Authorization", "Bearer theirs"}}), 401);
  EXPECT_THAT(writes.take(), IsEmpty());
  EXPECT_EQ(send("POST", kPods,
                 {{"Authorization", "Bearer ours"}, {"Cluster-Authorization", "Bearer theirs"}}),
            201);
  const auto sent = writes.take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].authorization, "Bearer theirs");
  EXPECT_EQ(sent[0].cluster_authorization, "");
}

}  // namespace
}  // namespace kube::cacheserver::test
