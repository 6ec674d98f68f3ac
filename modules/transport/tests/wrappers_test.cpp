// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/wrappers.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/scripted_transport.hpp>

#include "recording.hpp"

namespace kube::transport {
namespace {

using testing::ScriptedCall;
using testing::ScriptedTransport;

// Adds its letter to the header "X-Way".
class Lettered final : public RoundTripper {
 public:
  Lettered(std::string letter, std::shared_ptr<RoundTripper> inner)
      : letter_(std::move(letter)), inner_(std::move(inner)) {}
  std::shared_ptr<Exchange> start(HttpRequest request, std::shared_ptr<ResponseHandler> handler,
                                  std::stop_token stop) override {
    const std::string way(request.headers.find("X-Way").value_or(""));
    request.headers.set("X-Way", way + letter_);
    return inner_->start(std::move(request), std::move(handler), std::move(stop));
  }

 private:
  const std::string letter_;
  const std::shared_ptr<RoundTripper> inner_;
};

Wrapper adding(std::string letter) {
  return [letter](std::shared_ptr<RoundTripper> inner) {
    return std::make_shared<Lettered>(letter, std::move(inner));
  };
}

TEST(Wrappers, TRN_23_TheFirstIsInnermostAndEmptyOnesAreLeftOut) {
  const auto server = std::make_shared<ScriptedTransport>();
  server->on("", "*", [](ScriptedCall call) { call.respond(200, "", {}); });
  const auto way = [&](std::vector<Wrapper> list) {
    const auto transport = wrappers(std::move(list))(server);
    (void)round_trip(*transport, {.url = "https://h/"}, {});
    const auto requests = server->requests();
    return std::string(requests.back().headers.find("X-Way").value_or(""));
  };
  EXPECT_EQ(way({adding("a"), adding("b"), adding("c")}), "cba");
  EXPECT_EQ(way({nullptr, adding("a"), nullptr, adding("b")}), "ba");
  EXPECT_EQ(wrappers({nullptr})(server), server);
  EXPECT_EQ(wrappers({nullptr, nullptr}), nullptr);
}

TEST(Wrappers, TRN_24_AStoppedTransportStartsNothing) {
  const auto server = std::make_shared<ScriptedTransport>();
  server->on("", "*", [](ScriptedCall call) { call.respond(200, "yes", {}); });
  std::stop_source stop;
  const Error gone(ErrorCode::Unreachable, "the cluster is gone");
  const auto transport = until_stopped(stop.get_token(), gone)(server);
  EXPECT_EQ(body_or_error(round_trip(*transport, {.url = "https://h/"}, {})), "yes");
  std::optional<ScriptedCall> running;  // never answered
  server->on("", "*", [&](ScriptedCall call) { running = std::move(call); });
  const auto open = std::make_shared<Recording>();
  const auto exchange = transport->start({.url = "https://h/"}, open, {});
  stop.request_stop();
  EXPECT_EQ(open->await_error(), "the cluster is gone");
  EXPECT_EQ(body_or_error(round_trip(*transport, {.url = "https://h/"}, {})),
            "the cluster is gone");
  EXPECT_EQ(server->requests().size(), 2U);
}

TEST(Wrappers, WatchesHaveATransportOfTheirOwn) {
  const auto answers = [](std::string body) {
    auto server = std::make_shared<ScriptedTransport>();
    server->on("", "*", [body](ScriptedCall call) { call.respond(200, body, {}); });
    return server;
  };
  const auto both = separate_watches(answers("a watch"), answers("another"));
  HttpRequest request{.url = "https://h/"};
  EXPECT_EQ(body_or_error(round_trip(*both, request, {})), "another");
  request.is_watch = true;
  EXPECT_EQ(body_or_error(round_trip(*both, request, {})), "a watch");
}

}  // namespace
}  // namespace kube::transport
