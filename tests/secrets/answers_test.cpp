// SPDX-License-Identifier: Apache-2.0
//
// Secrets in what servers answer, well-formed and not, and in what is sent to them.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "canary.hpp"
#include "client_use.hpp"
#include "tcp_server.hpp"

namespace secrets {
namespace {

std::string answer(const std::string& head, const std::string& body) {
  return "HTTP/1.1 " + head + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

// Bodies of 200 with a Secret in them that can't be understood.
std::vector<std::string> bodies() {
  const std::string meta =
      R"("metadata":{"name":"a","namespace":"web","uid":"1","resourceVersion":"1"})";
  const std::string kind = R"("kind":"Secret","apiVersion":"v1",)";
  std::vector<std::string> all;
  for (const char* data :
       {R"("data":{"password":"CANARY!"})", R"("data":{"password":["CANARY"]})",
        R"("data":{"password":{"CANARY":"CANARY"}})", R"("data":"CANARY")", R"("data":["CANARY"])",
        R"("data":{"password":CANARY})", R"("data":{"password":"CANARY)",
        R"("data":{"password":"CANARY\q"})", "\"data\":{\"password\":\"CANARY\n\"}",
        "\"data\":{\"password\":\"\xff"
        "CANARY\"}",
        R"("stringData":{"password":["CANARY"]})", R"("immutable":"CANARY")",
        R"("type":["CANARY"])"}) {
    all.push_back("{" + kind + meta + "," + data + "}");
  }
  const std::string secret = "{" + kind + meta + R"(,"data":{"password":"CANARY"}})";
  // Something else than was asked for.
  for (
      const std::string& body : std::vector<std::string>{
          secret, secret + "CANARY",
          R"({"kind":"SecretList","apiVersion":"v1","items":["CANARY"]})",
          R"({"kind":"SecretList","apiVersion":"v1","metadata":{},"items":[)" + secret + "," +
              "CANARY]}",
          R"({"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{"data":{"a":"CANARY!"}}]})",
          R"({"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":)" +
              secret + "}",
          R"({"type":"ERROR","object":)" + secret + "}", R"({"type":"ADDED","object":"CANARY"})",
          R"({"type":"ADDED","object":["CANARY"]})",
          R"({"type":"ADDED","object":{"data":{"a":"CANARY"}}})",
          R"({"type":"ADDED","object":)" + secret + "}{\"CANARY",
          R"({"type":"BOOKMARK","object":)" + secret + "}", R"(["CANARY"])", R"("CANARY")",
          std::string("CANARY"), std::string("k8s\0CANARY", 10),
          std::string("k8s\0\x0a\x02v1", 8) + "CANARY"}) {
    all.push_back(body);
  }
  return all;
}

void expect_not_shown(const std::string& answer, kube::rest::Config config = {}) {
  const programs::TcpServer server({answer});
  config.host = server.url();
  Outputs outputs;
  use(config, outputs);
  EXPECT_GT(outputs.size(), 10U);
  outputs.expect_no_canary(answer);
}

TEST(AnswerSecrets, OfObjectsThatCannotBeDecodedAreNotShown) {
  for (const std::string& body : bodies()) {
    for (const char* type : {"application/json", "application/vnd.kubernetes.protobuf",
                             "application/vnd.kubernetes.protobuf;stream=watch"}) {
      expect_not_shown(answer(std::string("200 OK\r\nContent-Type: ") + type, with_canary(body)));
    }
  }
}

TEST(AnswerSecrets, OfHeadersAreNotShown) {
  for (const char* head :
       {"302 Found\r\nLocation: https://user:CANARY@elsewhere/?token=CANARY",
        "302 Found\r\nLocation: CANARY", "307 Temporary Redirect\r\nLocation: //a:CANARY@b",
        "200 OK\r\nSet-Cookie: session=CANARY", "401 Unauthorized\r\nSet-Cookie: session=CANARY",
        "401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"CANARY\"",
        "407 Proxy Authentication Required\r\nProxy-Authenticate: CANARY",
        "200 OK\r\nAuthorization: Bearer CANARY", "500 Internal Server Error\r\nX-Token: CANARY",
        "200 OK\r\nContent-Encoding: gzip\r\nX-Token: CANARY"}) {
    expect_not_shown(answer(with_canary(head), "{}"));
  }
}

TEST(AnswerSecrets, OfWhatIsSentAreNotShownByWhateverIsAnswered) {
  kube::rest::Config config;
  config.bearer_token = kCanary;
  for (const char* head : {"200 OK", "301 Moved Permanently", "400 Bad Request", "401 Unauthorized",
                           "403 Forbidden", "404 Not Found", "409 Conflict", "415 Unsupported",
                           "422 Unprocessable", "429 Too Many", "500 Error", "503 Unavailable"}) {
    expect_not_shown(answer(head, ""), config);
    expect_not_shown(answer(std::string(head) + "\r\nContent-Type: text/html", "<html>no</html>"),
                     config);
  }
  config.bearer_token = {};
  config.username = "user";
  config.password = kCanary;
  expect_not_shown(answer("401 Unauthorized", ""), config);
}

}  // namespace
}  // namespace secrets
