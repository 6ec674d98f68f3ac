// SPDX-License-Identifier: Apache-2.0
//
// Requests as an attacker or a broken proxy frames them.
#include <string>
#include <utility>
#include <vector>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using ::testing::HasSubstr;

class HostileRequests : public ServerTest {
 protected:
  /// Sends bytes on a new connection and reads a response.
  Answer answer_to(std::string_view bytes) {
    HttpClient client(port());
    client.write(bytes);
    return client.read_answer();
  }
  std::string chunked_head(std::string_view fields = {}) {
    return "POST " + std::string(kConfigMaps) + " HTTP/1.1\r\nHost: t\r\n" + std::string(fields) +
           "Transfer-Encoding: chunked\r\n\r\n";
  }
  static std::string chunk(std::string_view bytes, std::string_view extensions = {}) {
    std::array<char, 24> size{};
    std::snprintf(size.data(), size.size(), "%zx", bytes.size());
    return size.data() + std::string(extensions) + "\r\n" + std::string(bytes) + "\r\n";
  }
};

TEST_F(HostileRequests, ChunkExtensionsAreTakenUpTo16KiBOfAll) {
  const std::string body = config_map("a");
  const std::string_view first = std::string_view(body).substr(0, 10);
  const std::string_view rest = std::string_view(body).substr(10);
  EXPECT_EQ(answer_to(chunked_head() + chunk(first, ";x=" + std::string(8'000, 'y')) +
                      chunk(rest, ";z=\"" + std::string(8'000, 'y') + "\"") + "0\r\n\r\n")
                .status,
            201);
  const std::string many = ";x=" + std::string(8'200, 'y');
  EXPECT_EQ(answer_to(chunked_head() + chunk(first, many) + chunk(rest, many) + "0\r\n\r\n").status,
            431);
  EXPECT_EQ(answer_to(chunked_head() + "5;" + std::string(200'000, 'x')).status, 431);
  EXPECT_EQ(answer_to(chunked_head() + std::string(200'000, '0')).status, 431);
}

TEST_F(HostileRequests, FieldsBehindABodyAreTakenUpTo64KiB) {
  const auto with_trailer = [&](std::string_view name, std::string_view trailer) {
    return answer_to(chunked_head() + chunk(config_map(name)) + "0\r\n" + std::string(trailer) +
                     "\r\n");
  };
  std::string fields;
  while (fields.size() < 60'000) fields += "X-Trailer: " + std::string(1'000, 'x') + "\r\n";
  EXPECT_EQ(with_trailer("a", fields).status, 201);
  EXPECT_EQ(with_trailer("b", fields + fields).status, 431);
  // The head does not end.
  EXPECT_EQ(
      answer_to(chunked_head() + chunk(config_map("c")) + "0\r\nX: " + std::string(200'000, 'x'))
          .status,
      431);
  EXPECT_EQ(with_trailer("d", "no field\r\n").status, 400);
  const json::Value list = get(std::string(kConfigMaps)).json();
  EXPECT_EQ(list.at_path({"items"})->if_array()->size(), 1U);
}

TEST_F(HostileRequests, FieldsBehindABodyAreNoFieldsOfTheRequest) {
  const Answer answer =
      answer_to(chunked_head() + chunk(config_map("a")) +
                "0\r\nAudit-ID: forged\r\nContent-Type: text/plain\r\nAccept: text/plain\r\n\r\n");
  EXPECT_EQ(answer.status, 201);
  EXPECT_NE(answer.header("audit-id"), "forged");
}

TEST_F(HostileRequests, ManyTinyChunksAreOneBody) {
  std::string chunks;
  for (const char c : config_map("a", "{\"k\":\"" + std::string(50'000, 'v') + "\"}")) {
    chunks += chunk(std::string(1, c));
  }
  EXPECT_EQ(answer_to(chunked_head() + chunks + "0\r\n\r\n").status, 201);
}

TEST_F(HostileRequests, ABodyWhoseEndIsUnclearIsRefused) {
  const auto refused = [&](std::string_view fields) {
    return answer_to("POST " + std::string(kConfigMaps) + " HTTP/1.1\r\nHost: t\r\n" +
                     std::string(fields) + "\r\n" + chunk(config_map("a")) + "0\r\n\r\n")
        .status;
  };
  EXPECT_EQ(refused("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(refused("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), 400);
  EXPECT_EQ(refused("Content-Length: 5\r\nContent-Length: 6\r\n"), 400);
  EXPECT_EQ(refused("Content-Length: 5, 6\r\n"), 400);
  EXPECT_EQ(refused("Content-Length: +5\r\n"), 400);
  EXPECT_EQ(refused("Content-Length: 5 5\r\n"), 400);
  EXPECT_EQ(refused("Content-Length: 0x5\r\n"), 400);
  EXPECT_EQ(refused("Content-Length:\r\n"), 400);
  EXPECT_EQ(refused("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(refused("Transfer-Encoding: xchunked\r\n"), 501);
  const Answer old = answer_to("POST " + std::string(kConfigMaps) +
                               " HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" +
                               chunk(config_map("a")) + "0\r\n\r\n");
  EXPECT_EQ(old.status, 400);
  const json::Value list = get(std::string(kConfigMaps)).json();
  EXPECT_EQ(list.at_path({"items"})->if_array()->size(), 0U);
}

TEST_F(HostileRequests, EqualLengthsThatAreSaidTwiceAreOne) {
  const std::string body = config_map("a");
  const std::string length = "Content-Length: " + std::to_string(body.size()) + "\r\n";
  EXPECT_EQ(answer_to("POST " + std::string(kConfigMaps) + " HTTP/1.1\r\nHost: t\r\n" + length +
                      length + "\r\n" + body)
                .status,
            201);
}

TEST_F(HostileRequests, FieldsThatTwoReadersMayReadDifferentlyAreRefused) {
  const auto status = [&](std::string_view field) {
    return answer_to("GET /version HTTP/1.1\r\nHost: t\r\n" + std::string(field) + "\r\n\r\n")
        .status;
  };
  EXPECT_EQ(status("X-A : 1"), 400);
  EXPECT_EQ(status("X A: 1"), 400);
  EXPECT_EQ(status(" X-A: 1"), 403) << "a continuation of Host's value, which is no name then";
  EXPECT_EQ(status(": 1"), 400);
  EXPECT_EQ(status("X-A"), 400);
  EXPECT_EQ(status("X-A: 1\n X-B: 2"), 400);
  EXPECT_EQ(status(std::string("X-A: \0", 6)), 400);
  EXPECT_EQ(status("X-A: 1\r\n\tfolded"), 200);
  EXPECT_EQ(answer_to("GET /version HTTP/1.1\nHost: t\n\n").status, 400);
  EXPECT_EQ(answer_to("GET  /version HTTP/1.1\r\nHost: t\r\n\r\n").status, 400);
  EXPECT_EQ(answer_to("GET /version HTTP/2.0\r\nHost: t\r\n\r\n").status, 400);
}

TEST_F(HostileRequests, OnlyOneExpectationIsKnown) {
  const auto answer = [&](std::string_view version, std::string_view expectation) {
    const std::string body = config_map("a" + std::string(version));
    HttpClient client(port());
    client.write("POST " + std::string(kConfigMaps) + " HTTP/" + std::string(version) +
                 "\r\nHost: t\r\nExpect: " + std::string(expectation) +
                 "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.read_head().status;
  };
  EXPECT_EQ(answer("1.1", "200-ok"), 417);
  EXPECT_EQ(answer("1.1", "100-Continue"), 100);
  // HTTP/1.0 has no chunks.
  EXPECT_EQ(answer("1.0", "100-continue"), 201);
}

TEST_F(HostileRequests, ABodyThatIsTooLongIsRefusedBeforeItIsSent) {
  HttpClient client(port());
  client.write("POST " + std::string(kConfigMaps) +
               " HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n");
  expect_status(client.read_answer(), 413, "RequestEntityTooLarge");
}

TEST_F(HostileRequests, AnAbsoluteTargetIsReadAsItsPath) {
  EXPECT_EQ(answer_to("GET http://t/healthz HTTP/1.1\r\nHost: t\r\n\r\n").body, "ok");
  EXPECT_EQ(answer_to("GET http://t HTTP/1.1\r\nHost: t\r\n\r\n").status, 200);
  EXPECT_EQ(answer_to("CONNECT t:443 HTTP/1.1\r\nHost: t\r\n\r\n").status, 400);
  EXPECT_EQ(answer_to("OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n").status, 400);
}

TEST_F(HostileRequests, Http10IsKeptAliveWhenItAsks) {
  HttpClient client(port());
  const std::string request = "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  for (int i = 0; i < 3; ++i) {
    client.write(request);
    const Answer answer = client.read_answer();
    EXPECT_EQ(answer.body, "ok");
    EXPECT_EQ(answer.header("connection"), "keep-alive");
  }
}

TEST_F(HostileRequests, AClientThatHasSentAllMayCloseItsHalf) {
  HttpClient client(port());
  client.write("GET /healthz HTTP/1.1\r\nHost: t\r\n\r\n");
  client.finish_writing();
  EXPECT_EQ(client.read_answer().body, "ok");
  EXPECT_TRUE(client.closed_by_peer());
}

TEST_F(HostileRequests, HalfARequestIsForgottenWithItsConnection) {
  for (const std::string_view bytes :
       {std::string_view("GET /healthz HT"), std::string_view("GET / HTTP/1.1\r\nHost: t\r\n"),
        std::string_view(
            "POST /api/v1/namespaces HTTP/1.1\r\nHost: t\r\nContent-Length: 9\r\n\r\n{")}) {
    HttpClient client(port());
    client.write(bytes);
    client.finish_writing();
    EXPECT_TRUE(client.closed_by_peer());
  }
}

TEST_F(HostileRequests, AThousandPipelinedRequestsAreAnswered) {
  std::string requests;
  for (int i = 0; i < 1000; ++i) requests += "GET /healthz HTTP/1.1\r\nHost: t\r\n\r\n";
  HttpClient client(port());
  client.write(requests);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(client.read_answer().body, "ok") << i;
}

}  // namespace
}  // namespace kube::apiserver::test
