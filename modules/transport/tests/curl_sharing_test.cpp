// SPDX-License-Identifier: Apache-2.0
//
// How many connections many exchanges take.
#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/transport/curl_transport.hpp>

#include "http2_server.hpp"
#include "loopback_server.hpp"
#include "recording.hpp"

namespace kube::transport {
namespace {

const TestAuthority& sharing_authority() {
  static const TestAuthority one("kube test CA");
  return one;
}

HttpRequest get_url(std::string url) {
  HttpRequest request;
  request.url = std::move(url);
  return request;
}

// A list that is followed by a watch, as an informer sends them.
class ListThenWatch final : public ResponseHandler {
 public:
  ListThenWatch(CurlTransport& transport, std::string url, std::shared_ptr<Recording> watch)
      : transport_(transport), url_(std::move(url)), watch_(std::move(watch)) {}
  void on_head(ResponseHead /*head*/) override {}
  Flow on_data(std::string_view /*chunk*/) override { return Flow::Continue; }
  void on_end(Result<void> result) override {
    EXPECT_TRUE(result) << error_text(result);
    transport_.start(get_url(url_), watch_, {});
  }

 private:
  CurlTransport& transport_;
  const std::string url_;
  const std::shared_ptr<Recording> watch_;
};

// Returns the number of connections of so many informers, at a server that allows so many streams
// on each.
int connections_of(std::size_t informers, std::uint32_t streams) {
  LoopbackServer server(http2(
                            [](const Http2Request& request) {
                              if (request.path == "/watch") {
                                return Http2Answer{.body = "first", .open = true};
                              }
                              return Http2Answer{.filler = std::size_t{64} << 10};
                            },
                            streams),
                        {.tls = ServerTls{.certificate = sharing_authority().server({"127.0.0.1"}),
                                          .protocols = {"h2"}}});
  const auto transport =
      CurlTransport::create({.tls = {.ca = {.data = sharing_authority().certificate()}}}).value();
  std::vector<std::shared_ptr<Recording>> watches;
  for (std::size_t i = 0; i < informers; ++i) {
    watches.push_back(std::make_shared<Recording>());
    transport->start(
        get_url(server.url("/list")),
        std::make_shared<ListThenWatch>(*transport, server.url("/watch"), watches.back()), {});
  }
  for (const auto& watch : watches) EXPECT_EQ(watch->await_body(5), "first");
  EXPECT_EQ(transport->stats().connections, static_cast<std::uint64_t>(server.accepted()));
  return server.accepted();
}

TEST(CurlSharing, TwoHundredInformersTakeTwoConnectionsOfAHundredStreams) {
  EXPECT_EQ(connections_of(200, 100), 2);
}

TEST(CurlSharing, TwoHundredInformersTakeOneConnectionOfMoreStreams) {
  EXPECT_EQ(connections_of(200, 250), 1);
}

TEST(CurlSharing, AThousandInformersTakeNoMoreConnectionsThanTheirStreamsNeed) {
  EXPECT_LE(connections_of(1000, 100), 11);
}

}  // namespace
}  // namespace kube::transport
