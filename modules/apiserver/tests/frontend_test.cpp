// SPDX-License-Identifier: Apache-2.0
#include <kube/apiserver/frontend.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kube::apiserver {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

class FrontendTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ApiServer::Options options;
    options.listens = false;
    options.initial_revision = 100;
    options.seed = 1;
    options.runtime.executor = executor_;
    options.on_write = [this](const StoreWrite& write) { reported_.push_back(write); };
    server_ = ApiServer::start(std::move(options)).value();
    frontend_.emplace(*server_);
  }
  void TearDown() override {
    last_.reset();  // its watch ends before the frontend
    frontend_.reset();
    server_.reset();
    executor_->stop();
  }

  void write(const std::string& name) {
    ASSERT_TRUE(server_->load(Unstructured(
        json::Object{{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata", json::Object{{"name", name}, {"namespace", "default"}}}})));
  }
  std::optional<FrontendResponse> get(const std::string& target) {
    auto out = std::make_shared<std::optional<FrontendResponse>>();
    frontend_->handle({.method = "GET", .target = target},
                      [out](FrontendResponse response) { *out = std::move(response); });
    last_ = out;
    return *out;
  }

  const std::shared_ptr<SeededExecutor> executor_ = std::make_shared<SeededExecutor>(1);
  std::unique_ptr<ApiServer> server_;
  std::optional<Frontend> frontend_;
  std::shared_ptr<std::optional<FrontendResponse>> last_;
  std::vector<StoreWrite> reported_;
};

constexpr const char* kList = "/api/v1/namespaces/default/configmaps";

TEST_F(FrontendTest, ReadsOfAVersionComeFromTheWatchCacheOthersFromTheStore) {
  write("a");
  EXPECT_EQ(frontend_->behind(), 1U);
  EXPECT_THAT(get(std::string(kList))->body, HasSubstr(R"("name":"a")"));
  EXPECT_THAT(get(std::string(kList) + "?resourceVersion=0")->body, Not(HasSubstr(R"("a")")));
  frontend_->follow(1);
  EXPECT_EQ(frontend_->behind(), 0U);
  EXPECT_EQ(frontend_->resource_version(), server_->resource_version());
  EXPECT_THAT(get(std::string(kList) + "?resourceVersion=0")->body, HasSubstr(R"("name":"a")"));
}

TEST_F(FrontendTest, AReadWaitsForItsVersionAndIsRefusedInTheEnd) {
  write("a");
  const std::string target =
      std::string(kList) + "?resourceVersion=" + std::to_string(server_->resource_version());
  EXPECT_FALSE(get(target));
  frontend_->follow(1);
  executor_->run_ready();
  ASSERT_TRUE(*last_);
  EXPECT_EQ((*last_)->status, 200);

  write("b");
  EXPECT_FALSE(
      get(std::string(kList) + "?resourceVersion=" + std::to_string(server_->resource_version())));
  executor_->run_for(seconds(10));
  ASSERT_TRUE(*last_);
  EXPECT_EQ((*last_)->status, 504);
}

TEST_F(FrontendTest, AWatchGetsWhatTheCacheLearns) {
  const auto response = get(std::string(kList) + "?watch=true&resourceVersion=" +
                            std::to_string(server_->resource_version()));
  ASSERT_TRUE(response && response->watch);
  int wakes = 0;
  response->watch->start([&] { ++wakes; });
  std::string out;
  EXPECT_EQ(response->watch->next(out), FrontendWatch::State::Idle);
  write("a");
  ASSERT_TRUE(server_->remove({"", "v1", "configmaps"}, {"default", "a"}));
  executor_->run_ready();
  EXPECT_EQ(wakes, 0);
  frontend_->follow(2);
  executor_->run_ready();
  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(response->watch->next(out), FrontendWatch::State::Data);
  EXPECT_THAT(out, HasSubstr(R"("type":"ADDED")"));
  EXPECT_THAT(out, HasSubstr(R"("type":"DELETED")"));
  EXPECT_THAT(out, HasSubstr("\"resourceVersion\":\"" +
                             std::to_string(server_->resource_version()) + "\""));
}

TEST_F(FrontendTest, ARestartForgetsTheHistoryAndMayBeOlder) {
  write("a");
  write("b");
  frontend_->follow(2);
  frontend_->restart(1);
  EXPECT_EQ(frontend_->behind(), 1U);
  const std::string list = get(std::string(kList) + "?resourceVersion=0")->body;
  EXPECT_THAT(list, HasSubstr(R"("name":"a")"));
  EXPECT_THAT(list, Not(HasSubstr(R"("name":"b")")));
  const auto watch = get(std::string(kList) + "?watch=true&resourceVersion=101");
  ASSERT_TRUE(watch && watch->watch);
  std::string out;
  watch->watch->start([] {});
  EXPECT_EQ(watch->watch->next(out), FrontendWatch::State::End);
  EXPECT_THAT(out, HasSubstr("410"));
}

TEST_F(FrontendTest, NamesTheWritesInTheirOrder) {
  const std::size_t before = frontend_->writes().size();
  write("a");
  ASSERT_TRUE(server_->remove({"", "v1", "configmaps"}, {"default", "a"}));
  const auto writes = frontend_->writes(before);
  ASSERT_EQ(writes.size(), 2U);
  EXPECT_EQ(writes[0].resource, "configmaps");
  EXPECT_EQ(writes[0].key, (ObjectKey{"default", "a"}));
  EXPECT_FALSE(writes[0].deleted);
  EXPECT_TRUE(writes[1].deleted);
  EXPECT_EQ(writes[1].resource_version, server_->resource_version());
  EXPECT_EQ(writes[0].uid, writes[1].uid);
  ASSERT_EQ(reported_.size(), before + 2);
  EXPECT_EQ(reported_.back().resource_version, writes[1].resource_version);
  EXPECT_TRUE(reported_.back().deleted);
}

TEST(Frontend, AServerThatDoesNotListenNeedsAnExecutor) {
  ApiServer::Options options;
  options.listens = false;
  const auto started = ApiServer::start(std::move(options));
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace kube::apiserver
