// SPDX-License-Identifier: Apache-2.0
//
// Bodies as they arrive: chunks, pauses and what resumes them.
#include <atomic>
#include <future>
#include <latch>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "curl_answers.hpp"
#include "gzip.hpp"
#include "loopback_server.hpp"
#include "recording.hpp"

namespace kube::transport {
namespace {

using ::testing::ElementsAre;

TEST(CurlTransportFlow, DeliversChunksWhenTheyAreSentNotWhenTheBodyIsComplete) {
  std::promise<void> first_seen;
  std::promise<void> second_seen;
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    peer.write(chunk("one"));
    first_seen.get_future().wait();
    peer.write(chunk("two"));
    second_seen.get_future().wait();
    peer.write("0\r\n\r\n");
    peer.await_close();
  });
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>();
  transport->start(get(server.url()), handler, {});
  ASSERT_TRUE(handler->await_head());
  EXPECT_EQ(handler->await_body(3), "one");
  EXPECT_FALSE(handler->ended());
  first_seen.set_value();
  EXPECT_EQ(handler->await_body(6), "onetwo");
  EXPECT_FALSE(handler->ended());
  second_seen.set_value();
  EXPECT_EQ(handler->await_end(), std::nullopt);
  EXPECT_THAT(handler->chunks(), ElementsAre("one", "two"));
  EXPECT_EQ(handler->violations(), 0);
}

TEST(CurlTransportFlow, APauseHoldsTheServerBackAndResumeLetsItGoOn) {
  constexpr std::size_t kTotal = std::size_t{64} << 20;
  std::promise<std::size_t> stalled_after;
  std::promise<void> resumed;
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(std::string(kHead) + "Content-Length: " + std::to_string(kTotal) + "\r\n\r\n");
    const std::string piece(64 * 1024, 'x');
    const std::size_t sent = peer.write_until_stalled(piece, kTotal);
    stalled_after.set_value(sent);
    resumed.get_future().wait();
    for (std::size_t left = kTotal - sent; left > 0;) {
      const std::size_t size = std::min(left, piece.size());
      peer.write(std::string_view(piece).substr(0, size));
      left -= size;
    }
    peer.await_close();
  });
  const auto transport = make_transport();
  std::atomic<bool> pausing{true};
  std::atomic<int> calls{0};
  const auto handler = std::make_shared<Recording>([&](std::string_view) {
    calls.fetch_add(1);
    return pausing.load() ? Flow::Pause : Flow::Continue;
  });
  const auto exchange = transport->start(get(server.url()), handler, {});
  handler->await_body(1);
  const std::size_t sent = stalled_after.get_future().get();
  EXPECT_LT(sent, kTotal / 2) << "the server was not held back";
  EXPECT_EQ(calls.load(), 1) << "called while paused";
  pausing = false;
  exchange->resume();
  resumed.set_value();
  EXPECT_EQ(handler->await_end(), std::nullopt);
  EXPECT_EQ(handler->body_size(), kTotal);
  EXPECT_EQ(handler->violations(), 0);
}

TEST(CurlTransportFlow, APauseAfterEachChunkLosesNothing) {
  std::string sent;
  for (int i = 0; i < 20'000; ++i) sent += std::to_string(i) + ',';
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kChunkedHead);
    for (std::size_t i = 0; i < sent.size(); i += 999) peer.write(chunk(sent.substr(i, 999)));
    peer.write("0\r\n\r\n");
    peer.await_close();
  });
  const auto transport = make_transport();
  std::shared_ptr<Exchange> exchange;
  std::latch started(1);
  const auto handler = std::make_shared<Recording>([&](std::string_view) {
    started.wait();
    exchange->resume();  // Before the Pause is even returned: must count.
    return Flow::Pause;
  });
  exchange = transport->start(get(server.url()), handler, {});
  started.count_down();
  EXPECT_EQ(handler->await_end(), std::nullopt);
  EXPECT_EQ(handler->body(), sent);
}

constexpr const char* kGzipHead =
    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n";

// As kube-apiserver 1.37 streams a list and then the changes: one member for each flush.
TEST(CurlTransportFlow, DeliversGzipMembersAsTheyCome) {
  std::promise<void> first_seen;
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kGzipHead);
    peer.write(chunk(gzip("one")));
    first_seen.get_future().wait();
    const std::string two = gzip("two");
    peer.write(chunk(two.substr(0, 5)));
    peer.write(chunk(two.substr(5) + gzip("three")));
    peer.write("0\r\n\r\n");
    peer.await_close();
  });
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>();
  transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_body(3), "one");
  EXPECT_FALSE(handler->ended());
  first_seen.set_value();
  EXPECT_EQ(handler->await_end(), std::nullopt);
  EXPECT_EQ(handler->body(), "onetwothree");
}

TEST(CurlTransportFlow, AGzipThatEndsInTheMiddleIsAnError) {
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    const std::string whole = gzip("the whole text");
    peer.write(kGzipHead + chunk(whole.substr(0, whole.size() - 1)) + "0\r\n\r\n");
    peer.await_close();
  });
  const auto transport = make_transport();
  const auto answer = round_trip(*transport, get(server.url()), {});
  EXPECT_EQ(code_of(answer), ErrorCode::Unreachable) << "what came before is whole";
  EXPECT_TRUE(error_text(answer).ends_with("the response ended in the middle of its gzip"))
      << error_text(answer);
}

// 64 MiB in 64 KiB of gzip: what follows the Pause waits compressed, and a resume or a cancel
// counts in the middle of it.
TEST(CurlTransportFlow, APauseInsideOfAGzipHoldsTheRestBack) {
  constexpr std::size_t kTotal = std::size_t{64} << 20;
  const std::string bytes = gzip(std::string(kTotal, 'x'));
  LoopbackServer server([&](Peer& peer) {
    while (peer.read_request()) peer.write(kGzipHead + chunk(bytes) + "0\r\n\r\n");
  });
  const auto transport = make_transport();
  std::shared_ptr<Exchange> exchange;
  std::latch started(1);
  std::atomic<std::size_t> calls{0};
  const auto handler = std::make_shared<Recording>([&](std::string_view) {
    started.wait();
    if (calls.fetch_add(1) > 0) exchange->resume();
    return Flow::Pause;
  });
  exchange = transport->start(get(server.url()), handler, {});
  started.count_down();
  const std::size_t first = handler->await_body(1).size();
  ASSERT_TRUE(round_trip(*transport, get(server.url()), {}));  // the loop has gone on meanwhile
  EXPECT_EQ(handler->body_size(), first);
  EXPECT_EQ(calls.load(), 1U);
  exchange->resume();
  EXPECT_EQ(handler->await_end(), std::nullopt);
  EXPECT_EQ(handler->body_size(), kTotal);
  EXPECT_EQ(handler->violations(), 0);

  std::latch again(1);
  const auto waits = std::make_shared<Recording>([&](std::string_view) {
    again.wait();
    exchange->cancel();
    return Flow::Continue;
  });
  exchange = transport->start(get(server.url()), waits, {});
  again.count_down();
  EXPECT_EQ(waits->await_end(), ErrorCode::Cancelled);
  EXPECT_LT(waits->body_size(), std::size_t{1} << 20);
}

// The whole response waits behind a Pause; a cancel comes while that is handed out.
TEST(CurlTransportFlow, ACancelAmongWhatWasHeldIsACancel) {
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    peer.write(kGzipHead + chunk(gzip(std::string(std::size_t{1} << 20, 'x'))) + "0\r\n\r\n");
    peer.await_close();
  });
  const auto transport = make_transport();
  std::shared_ptr<Exchange> exchange;
  std::latch started(1);
  int calls = 0;
  const auto handler = std::make_shared<Recording>([&](std::string_view) {
    started.wait();
    if (++calls == 1) return Flow::Pause;
    exchange->cancel();
    return Flow::Continue;
  });
  exchange = transport->start(get(server.url()), handler, {});
  started.count_down();
  const std::size_t first = handler->await_body(1).size();
  exchange->resume();
  EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
  EXPECT_EQ(handler->body_size(), 2 * first);
}

TEST(CurlTransportFlow, TheEndWaitsForResumeToo) {
  LoopbackServer server(always(answer("all")));
  const auto transport = make_transport();
  const auto handler = std::make_shared<Recording>([](std::string_view) { return Flow::Pause; });
  const auto exchange = transport->start(get(server.url()), handler, {});
  EXPECT_EQ(handler->await_body(3), "all");
  // Another exchange goes by meanwhile; the first one is complete but must not end.
  ASSERT_TRUE(round_trip(*transport, get(server.url()), {}));
  EXPECT_FALSE(handler->ended());
  exchange->resume();
  EXPECT_EQ(handler->await_end(), std::nullopt);
}

TEST(CurlTransportFlow, AResumeBeforeThePauseDoesNotEndIt) {
  std::promise<void> resumed;
  LoopbackServer server([&](Peer& peer) {
    peer.read_request();
    resumed.get_future().wait();
    peer.write(kChunkedHead);
    peer.write(chunk("first"));
    peer.write(chunk("second"));
    peer.await_close();
  });
  const auto transport = make_transport();
  std::shared_ptr<Exchange> exchange;
  const auto handler = std::make_shared<Recording>([&](std::string_view) { return Flow::Pause; });
  exchange = transport->start(get(server.url()), handler, {});
  exchange->resume();
  resumed.set_value();
  EXPECT_EQ(handler->await_body(1), "first");
  ASSERT_EQ(round_trip(*transport, get("http://127.0.0.1:" + std::to_string(closed_port())), {})
                .error()
                .code(),
            ErrorCode::Unreachable);
  EXPECT_EQ(handler->body(), "first");
  exchange->resume();
  EXPECT_EQ(handler->await_body(6), "firstsecond");
  exchange->cancel();
  EXPECT_EQ(handler->await_end(), ErrorCode::Cancelled);
}

}  // namespace
}  // namespace kube::transport
