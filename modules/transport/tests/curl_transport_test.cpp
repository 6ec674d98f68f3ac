// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/curl_transport.hpp>

#include <algorithm>
#include <future>
#include <latch>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curl_answers.hpp"
#include "loopback_server.hpp"
#include "recording.hpp"

namespace kube::transport {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

static_assert(!std::is_copy_constructible_v<CurlTransport>);

TEST(CurlTransport, DeliversStatusHeadersAndBody) {
  LoopbackServer server(always(
      "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nX-Two: a\r\nx-two:  b \r\n"
      "Content-Length: 4\r\n\r\nbody"));
  const auto transport = make_transport();
  const Result<HttpResponse> response = round_trip(*transport, get(server.url("/x")), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->body, "body");
  EXPECT_EQ(response->headers.find("content-type"), "application/json");
  EXPECT_EQ(std::count_if(response->headers.begin(), response->headers.end(),
                          [](const auto& f) { return f.first == "X-Two" || f.first == "x-two"; }),
            2);
}

TEST(CurlTransport, SendsMethodHeadersAndBodyAndNothingOfItsOwn) {
  Peer::Request seen;
  LoopbackServer server([&](Peer& peer) {
    seen = peer.read_request().value();
    peer.write(answer(""));
  });
  const auto transport = make_transport({.compression = false});
  HttpRequest request = get(server.url("/api/v1/../pods?limit=5#fragment"));
  request.method = "PATCH";
  request.headers = {{"Content-Type", "application/merge-patch+json"}, {"X-Empty", ""}};
  request.body = R"({"a":1})";
  ASSERT_TRUE(round_trip(*transport, request, {}));
  EXPECT_EQ(seen.method, "PATCH");
  EXPECT_EQ(seen.target, "/api/v1/../pods?limit=5");
  EXPECT_EQ(seen.body, R"({"a":1})");
  EXPECT_EQ(seen.head, "PATCH /api/v1/../pods?limit=5 HTTP/1.1\r\nHost: 127.0.0.1:" +
                           std::to_string(server.port()) +
                           "\r\nContent-Type: application/merge-patch+json\r\nX-Empty:\r\n"
                           "Content-Length: 7\r\n");
}

TEST(CurlTransport, SendsALengthForWritesWithoutABodyAndNoneForReads) {
  std::vector<std::string> heads;
  LoopbackServer server([&](Peer& peer) {
    while (auto request = peer.read_request()) {
      heads.push_back(request->head);
      peer.write(std::string(kHead) + "Content-Length: 0\r\n\r\n");
    }
  });
  const auto transport = make_transport();
  for (const char* method : {"POST", "DELETE", "GET", "HEAD"}) {
    HttpRequest request = get(server.url());
    request.method = method;
    ASSERT_TRUE(round_trip(*transport, request, {})) << method;
  }
  ASSERT_EQ(heads.size(), 4U);
  EXPECT_THAT(heads[0], HasSubstr("Content-Length: 0"));
  for (std::size_t i = 1; i < 4; ++i) EXPECT_THAT(heads[i], Not(HasSubstr("Content-Length")));
}

TEST(CurlTransport, AHeadAnswerHasNoBodyWhateverItsLength) {
  LoopbackServer server(always(std::string(kHead) + "Content-Length: 1000\r\n\r\n"));
  const auto transport = make_transport();
  HttpRequest request = get(server.url());
  request.method = "HEAD";
  const Result<HttpResponse> response = round_trip(*transport, request, {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->headers.find("Content-Length"), "1000");
}

TEST(CurlTransport, DeliversTheHeadBeforeAnyByteOfTheBody) {
  LoopbackServer server([](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    peer.await_close();
  });
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>();
  const auto exchange = transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_head()->status, 200);
  exchange->cancel();
  EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
}

TEST(CurlTransport, PassesOverInterimAnswersAndTrailers) {
  LoopbackServer server(
      always("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
             "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\nTrailer: "
             "T\r\n\r\n1\r\na\r\n0\r\nT: u\r\n\r\n"));
  const auto transport = make_transport();
  const Result<HttpResponse> response = round_trip(*transport, get(server.url()), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->headers.find("Link"), std::nullopt);
  EXPECT_EQ(response->headers.find("T"), std::nullopt);
}

TEST(CurlTransport, TakesHugeHeaders) {
  const std::string huge(90'000, 'h');
  LoopbackServer server(
      always(std::string(kHead) + "X-Huge: " + huge + "\r\nContent-Length: 0\r\n\r\n"));
  const auto transport = make_transport();
  const Result<HttpResponse> response = round_trip(*transport, get(server.url()), {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->headers.find("x-huge"), huge);
}

TEST(CurlTransport, DoesNotFollowRedirects) {
  LoopbackServer server(
      always("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"));
  const auto transport = make_transport();
  EXPECT_EQ(round_trip(*transport, get(server.url()), {}).value().status, 302);
  EXPECT_EQ(transport->stats().requests, 1U);
}

TEST(CurlTransport, ABodyThatEndsWithTheConnectionIsComplete) {
  LoopbackServer server([](Peer& peer) {
    peer.read_request();
    peer.write("HTTP/1.0 200 OK\r\n\r\nuntil the end");
  });
  const auto transport = make_transport();
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url()), {})), "until the end");
}

TEST(CurlTransport, TRN_44_OffersGzipAndDecodesIt) {
  // "hello gzip\n" as gzip makes it.
  static constexpr unsigned char kGzip[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00,
                                            0x00, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57,
                                            0x48, 0xaf, 0xca, 0x2c, 0xe0, 0x02, 0x00, 0x39,
                                            0x7c, 0x63, 0x56, 0x0b, 0x00, 0x00, 0x00};
  const std::string gzip(reinterpret_cast<const char*>(kGzip), sizeof kGzip);
  std::vector<std::string> heads;
  LoopbackServer server([&](Peer& peer) {
    while (auto request = peer.read_request()) {
      heads.push_back(request->head);
      peer.write("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                 std::to_string(gzip.size()) + "\r\n\r\n" + gzip);
    }
  });
  const auto transport = make_transport();
  const Result<HttpResponse> decoded = round_trip(*transport, get(server.url()), {});
  ASSERT_TRUE(decoded) << error_text(decoded);
  EXPECT_EQ(decoded->body, "hello gzip\n");
  EXPECT_EQ(decoded->headers.find("Content-Encoding"), std::nullopt);

  // Who asks for a coding gets the bytes as they are.
  HttpRequest own = get(server.url());
  own.headers = {{"accept-encoding", "gzip"}};
  EXPECT_EQ(body_or_error(round_trip(*transport, own, {})), gzip);

  const auto plain = make_transport({.compression = false});
  EXPECT_EQ(body_or_error(round_trip(*plain, get(server.url()), {})), gzip);
  ASSERT_EQ(heads.size(), 3U);
  EXPECT_THAT(heads[0], HasSubstr("Accept-Encoding: gzip\r\n"));
  EXPECT_THAT(heads[1], Not(HasSubstr("Accept-Encoding: gzip")));
  EXPECT_THAT(heads[2], Not(HasSubstr("Encoding")));
}

TEST(CurlTransport, RequestsThatHttpCannotExpressAreRefusedLocally) {
  const auto transport = make_transport();
  const auto refusal = [&](HttpRequest request) {
    return code_of(round_trip(*transport, std::move(request), {}));
  };
  EXPECT_EQ(refusal(get("not a url")), ErrorCode::InvalidArgument);
  EXPECT_EQ(refusal(get("ftp://127.0.0.1/")), ErrorCode::InvalidArgument);
  EXPECT_EQ(refusal(get("file:///etc/passwd")), ErrorCode::InvalidArgument);
  EXPECT_EQ(refusal(get("http://host@127.0.0.1/")), ErrorCode::InvalidArgument);
  HttpRequest method = get("http://127.0.0.1:1/");
  method.method = "GET / HTTP/1.1\r\nEvil: yes\r\n\r\n";
  EXPECT_EQ(refusal(method), ErrorCode::InvalidArgument);
  HttpRequest value = get("http://127.0.0.1:1/");
  value.headers = {{"X", "a\r\nEvil: yes"}};
  EXPECT_EQ(refusal(value), ErrorCode::InvalidArgument);
  HttpRequest name = get("http://127.0.0.1:1/");
  name.headers = {{"X y", "a"}};
  EXPECT_EQ(refusal(name), ErrorCode::InvalidArgument);
}

TEST(RoundTrip, RefusesABodyBeyondItsLimit) {
  LoopbackServer server(always(answer("0123456789")));
  const auto transport = make_transport();
  EXPECT_EQ(body_or_error(round_trip(*transport, get(server.url()), {}, 10)), "0123456789");
  const auto response = round_trip(*transport, get(server.url()), {}, 9);
  EXPECT_EQ(code_of(response), ErrorCode::Decode);
  EXPECT_THAT(error_text(response), HasSubstr("9 bytes"));
}

TEST(RoundTrip, IsEndedByAStopRequest) {
  std::latch requested(1);
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    requested.count_down();
    peer.await_close();
  });
  const auto transport = make_transport();
  std::stop_source stop;
  auto response = std::async(std::launch::async, [&] {
    return round_trip(*transport, get(server.url()), stop.get_token());
  });
  requested.wait();
  stop.request_stop();
  EXPECT_EQ(code_of(response.get()), ErrorCode::Cancelled);
}

}  // namespace
}  // namespace kube::transport
