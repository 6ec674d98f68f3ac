// SPDX-License-Identifier: Apache-2.0
#include <kube/config/request_log.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/config/transport_for.hpp>
#include <kube/testing/recording_logger.hpp>
#include <kube/testing/scripted_transport.hpp>

namespace kube::rest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RequestLogTest : public ::testing::Test {
 protected:
  ~RequestLogTest() override {
    server->stop();
    executor->stop();
  }
  // The log of one exchange at a verbosity.
  std::vector<std::string> lines_of(int verbosity, const std::string& path = "/x?secret=1",
                                    const std::string& answer = "{}") {
    server->once("", "*", [answer](testing::ScriptedCall call) {
      call.respond(200, answer, {{"Content-Type", "application/json"}, {"X-A", "b"}});
    });
    const auto transport =
        transport_for(
            {.host = "https://h", .bearer_token = "t0ken", .request_log_verbosity = verbosity},
            {.executor = executor, .logger = log}, server)
            .value();
    transport::HttpRequest request;
    request.method = "POST";
    request.url = "https://h" + path;
    request.headers.add("Accept", "application/json");
    request.body = R"({"a":1})";
    const auto ended = std::make_shared<Ended>();
    transport->start(request, ended, {});
    EXPECT_TRUE(executor->run_until([&] { return ended->ended; }));
    std::vector<std::string> lines = log->take_lines();
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("debug http"); });
    for (const std::string& line : lines) {
      EXPECT_EQ(line.find("t0ken"), line.npos) << line;
      EXPECT_EQ(line.find("secret=1"), line.npos) << line;
    }
    return lines;
  }

  struct Ended final : public transport::ResponseHandler {
    void on_head(transport::ResponseHead /*head*/) override {}
    transport::Flow on_data(std::string_view chunk) override {
      bytes += chunk.size();
      return transport::Flow::Continue;
    }
    void on_end(Result<void> /*result*/) override { ended = true; }
    bool ended = false;
    std::size_t bytes = 0;
  };

  std::shared_ptr<SeededExecutor> executor = std::make_shared<SeededExecutor>(1);
  std::shared_ptr<testing::RecordingLogger> log = std::make_shared<testing::RecordingLogger>();
  std::shared_ptr<testing::ScriptedTransport> server = std::make_shared<testing::ScriptedTransport>(
      testing::ScriptedTransport::Options{.executor = executor});
};

TEST_F(RequestLogTest, EachLevelAddsToTheOneBefore) {
  EXPECT_THAT(lines_of(5), IsEmpty());
  EXPECT_THAT(lines_of(6), ElementsAre(HasSubstr("status=200 duration=0ms")));
  const auto seven = lines_of(7);
  ASSERT_EQ(seven.size(), 2U);
  EXPECT_THAT(seven[0], HasSubstr("Authorization: Bearer <masked>"));
  EXPECT_THAT(seven[1], Not(HasSubstr("X-A")));
  const auto eight = lines_of(8);
  ASSERT_EQ(eight.size(), 4U);
  EXPECT_THAT(eight[1], HasSubstr("request body"));
  EXPECT_THAT(eight[2], HasSubstr("X-A: b"));
  EXPECT_THAT(eight[3], HasSubstr("response body"));
  const auto nine = lines_of(9);
  ASSERT_EQ(nine.size(), 4U);
  EXPECT_THAT(nine[0], HasSubstr("curl -v -XPOST -H 'Accept: application/json' -H "
                                 "'Authorization: Bearer <masked>' 'https://h/x'"));
}

TEST_F(RequestLogTest, BodiesWithCredentialsAreNotLogged) {
  for (const char* path : {"/api/v1/namespaces/n/secrets", "/api/v1/namespaces/n/secrets/s?a=b",
                           "/api/v1/namespaces/n/serviceaccounts/s/token",
                           "/apis/authentication.k8s.io/v1/tokenreviews"}) {
    for (const std::string& line : lines_of(10, path)) EXPECT_THAT(line, Not(HasSubstr("body")));
  }
}

TEST_F(RequestLogTest, REST_29_TheLogTruncatesAndTheResponseIsWhole) {
  const std::string body(2000, 'x');
  EXPECT_EQ(body_for_log(body, 1024, 2000), std::string(1024, 'x') + " [truncated 976 chars]");
  const auto lines = lines_of(8, "/x", body);
  EXPECT_THAT(lines.back(), HasSubstr(std::string(1024, 'x') + " [truncated 976 chars]"));
  EXPECT_THAT(lines_of(9, "/x", body).back(), HasSubstr(body));
  // The handler behind the log gets every byte.
  server->once("", "*", [&](testing::ScriptedCall call) { call.respond(200, body, {}); });
  const auto logged = with_request_log(server, log, executor->clock(), 8);
  const auto collected = std::make_shared<Ended>();
  transport::HttpRequest request;
  request.url = "https://h/x";
  logged->start(request, collected, {});
  EXPECT_TRUE(executor->run_until([&] { return collected->ended; }));
  EXPECT_EQ(collected->bytes, 2000U);
}

TEST_F(RequestLogTest, REST_30_BinaryBodiesAreDumpedInHex) {
  EXPECT_EQ(body_for_log(std::string("k8s\0\x0a", 5), 1024, 5), "6b 38 73 00 0a");
  EXPECT_EQ(body_for_log("line\nline\ttab", 1024, 13).substr(0, 5), "6c 69") << "a tab is below";
  EXPECT_EQ(body_for_log("line\nline", 1024, 9), "line\nline");
}

TEST(MaskHeader, TRN_34_HidesCredentialsButNotTheScheme) {
  const auto masked = [](std::string_view value) { return mask_header("Authorization", value); };
  EXPECT_EQ(masked("Basic abc"), "Basic <masked>");
  EXPECT_EQ(masked("Bearer abc"), "Bearer <masked>");
  EXPECT_EQ(masked("Negotiate abc"), "Negotiate <masked>");
  EXPECT_EQ(mask_header("authorization", "bearer abc"), "bearer <masked>");
  EXPECT_EQ(masked("Digest abc"), "<masked>");
  EXPECT_EQ(masked("abc"), "<masked>");
  EXPECT_EQ(masked("Bearer"), "Bearer");
  EXPECT_EQ(masked("Bearer "), "Bearer");
  EXPECT_EQ(masked(""), "");
  EXPECT_EQ(mask_header("X-Other", "Bearer abc"), "Bearer abc");
}

}  // namespace
}  // namespace kube::rest
