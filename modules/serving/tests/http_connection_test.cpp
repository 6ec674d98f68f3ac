// SPDX-License-Identifier: Apache-2.0
//
// The steps of a connection in any order: clients that send and receive piece by piece, requests
// ahead of their answers, answers that do not fit the socket, watches beside them, and a stop.
#include <poll.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <ostream>
#include <random>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <kube/testing/eventually.hpp>
#include <kube/testing/seeds.hpp>

#include "certificate_files.hpp"
#include "conversation.hpp"
#include "stepped_client.hpp"
#include "test_site.hpp"

namespace kube::serving {
namespace {

using kube::testing::kPatience;
using test::AnswerReader;
using test::Conversation;
using test::Feed;
using test::SteppedSocket;
using test::TestSite;
using test::text_of;

constexpr int kPatienceMs = static_cast<int>(std::chrono::milliseconds(kPatience).count());

enum class Over { Tcp, Unix };
struct Way {
  std::string name;
  Over over;
  bool tls;

  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
};

class HttpConnectionTest : public ::testing::TestWithParam<Way> {
 protected:
  HttpConnectionTest() {
    std::string name = "/tmp/http_connection-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    if (GetParam().tls) test::write_certificate(folder_ + "/cert", folder_ + "/key");
  }
  ~HttpConnectionTest() override { std::filesystem::remove_all(folder_); }

  HttpServer::Options options() const {
    HttpServer::Options out;
    // What does not go on fails by the test's deadline, not by the server's.
    out.header_timeout = out.body_timeout = out.write_timeout = out.stream_timeout =
        out.idle_timeout = out.fresh_read_timeout = out.stop_timeout = 2 * Duration(kPatience);
    if (GetParam().over == Over::Unix) out.unix_path = folder_ + "/socket";
    if (GetParam().tls) out.tls_cert_file = folder_ + "/cert", out.tls_key_file = folder_ + "/key";
    return out;
  }
  SSL_CTX* tls() const { return GetParam().tls ? client_context_.get() : nullptr; }

  std::vector<std::unique_ptr<Conversation>> converse(TestSite& site, std::size_t count,
                                                      std::mt19937_64& random,
                                                      bool in_turn = false) const {
    std::vector<std::unique_ptr<Conversation>> out;
    for (std::size_t i = 0; i < count; ++i) {
      out.push_back(std::make_unique<Conversation>(*site.server, tls(), random, in_turn));
    }
    return out;
  }

 private:
  std::string folder_;
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> client_context_{
      SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
};

using Conversations = std::vector<std::unique_ptr<Conversation>>;

std::string unfinished(const Conversations& all) {
  std::string out;
  for (const auto& each : all) {
    if (!each->is_done()) out += "\n  " + each->where();
  }
  return out;
}

// One thread does every step of clients and server, in an order that the seed says.
TEST_P(HttpConnectionTest, EachAnswerComesWholeInAnyOrderOfSteps) {
  if (GetParam().over == Over::Tcp) GTEST_SKIP() << "its bytes come when the kernel likes";
  for (const std::uint64_t seed : kube::testing::chosen_seeds(20)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    TestSite site(options());
    Conversations all = converse(site, 1 + random() % 4, random);
    auto& context = site.io.context();
    Conversations::size_type left = all.size();
    std::size_t idle = 0;
    while (left != 0) {
      const bool served = random() % 3 != 0 && context.poll_one() != 0;
      Conversation& chosen = *all[random() % all.size()];
      const bool was_done = chosen.is_done();
      const bool went_on = !was_done && chosen.step();
      ASSERT_FALSE(HasFatalFailure());
      if (!was_done && chosen.is_done()) --left;
      if (served || went_on) {
        idle = 0;
        continue;
      }
      if (++idle < 100) continue;
      // Nobody can do anything but those that wait for an event.
      bool waits = false;
      for (const auto& each : all) waits = waits || each->watches();
      ASSERT_TRUE(waits && idle < 1000) << "stalled:" << unfinished(all);
      if (idle % 100 == 0) site.feed.publish();
    }
  }
}

// Waits until a socket is ready; returns false when none is for kPatience, whatever happens.
bool wait_for_any(const Conversations& all, Feed& feed) {
  std::vector<pollfd> sockets;
  for (const auto& each : all) {
    if (each->socket.ended || (each->is_done() && !each->stopped)) continue;
    const bool sends = !each->socket.all_sent();
    sockets.push_back(
        {each->socket.native(), static_cast<short>(POLLIN | (sends ? POLLOUT : 0)), 0});
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    if (::poll(sockets.data(), sockets.size(), 5) > 0) return true;
    feed.publish();
  }
  return false;
}

TEST_P(HttpConnectionTest, EachAnswerComesWholeOnThreads) {
  TestSite site(options());
  site.io.start("site", 4, nullptr);
  for (const std::uint64_t seed : kube::testing::chosen_seeds(4)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    Conversations all = converse(site, 1 + random() % 20, random);
    while (unfinished(all) != "") {
      bool went_on = false;
      for (const auto& each : all) {
        for (int i = 0; i < 8 && !each->is_done(); ++i) went_on = each->step() || went_on;
        ASSERT_FALSE(HasFatalFailure());
      }
      if (!went_on) {
        ASSERT_TRUE(wait_for_any(all, site.feed)) << "stalled:" << unfinished(all);
      }
    }
  }
}

// A stop waits for clients that receive slowly, and answers all that it has handled.
TEST_P(HttpConnectionTest, AStopAtAnyMomentCutsNoAnswer) {
  for (const std::uint64_t seed : kube::testing::chosen_seeds(12)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    TestSite site(options());
    site.io.start("site", 2, nullptr);
    // By TCP, a request that comes after the close takes back what is on its way to its client.
    Conversations all = converse(site, 1 + random() % 6, random, GetParam().over == Over::Tcp);
    const std::size_t before = random() % 300;
    std::thread stop;
    for (std::size_t i = 0;; ++i) {
      if (i == before) {
        for (const auto& each : all) each->stopped = true;
        stop = std::thread([&] { site.server->stop(); });
      }
      bool went_on = false;
      bool open = false;
      for (const auto& each : all) {
        went_on = (!each->socket.ended && each->step()) || went_on;
        open = open || !each->socket.ended;
      }
      if (HasFatalFailure() || (!open && stop.joinable())) break;
      if (!went_on && i > before && !wait_for_any(all, site.feed)) {
        ADD_FAILURE() << "stalled:" << unfinished(all);
        break;
      }
    }
    const bool stalled = HasFailure();
    if (stalled) all.clear();
    if (stop.joinable()) stop.join();
    ASSERT_FALSE(stalled);
    std::size_t answered = 0;
    for (const auto& each : all) {
      answered += each->answered();
      EXPECT_EQ(each->socket.in, "") << "a part of an answer";
    }
    EXPECT_EQ(answered, site.handled.load()) << unfinished(all);
  }
}

// What it sends ahead must not cost the client the end of the answer before: a close with unread
// bytes is a reset.
TEST_P(HttpConnectionTest, AClientThatSendsAheadGetsTheWholeLastAnswer) {
  for (const bool stops : {false, true}) {
    SCOPED_TRACE(stops ? "a stop" : "Connection: close");
    TestSite site(options());
    site.io.start("site", 2, nullptr);
    SteppedSocket client(*site.server, tls(), 64 << 10);
    const std::string ahead = text_of(400'000, 1);
    client.write("GET /whole/900000 HTTP/1.1\r\nHost: a\r\n" +
                 std::string(stops ? "" : "Connection: close\r\n") + "\r\n" +
                 "PATCH /whole/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 400000\r\n\r\n" + ahead);
    const auto wait = [&](short events) {
      pollfd waiting{client.native(), events, 0};
      ASSERT_EQ(::poll(&waiting, 1, kPatienceMs), 1);
    };
    while (site.handled.load() == 0) {
      if (client.send(4096)) continue;
      if (!client.receive(4096)) wait(client.all_sent() ? POLLIN : POLLIN | POLLOUT);
    }
    std::thread stop;
    if (stops) stop = std::thread([&] { site.server->stop(); });
    // The kernel takes what it can, which the server does not read.
    while (client.send(65'536)) {
    }
    AnswerReader answer;
    bool whole = false;
    while (!(whole = whole || answer.take(client.in, false, client.ended)) || !client.ended) {
      ASSERT_FALSE(client.ended && !whole) << answer.body.size() << " bytes of the answer";
      const bool sent = client.send(4096);
      if (!client.receive(4096) && !sent) wait(client.all_sent() ? POLLIN : POLLIN | POLLOUT);
    }
    if (stop.joinable()) stop.join();
    EXPECT_TRUE(answer.body == TestSite::answer_to("GET", "/whole/900000", ""));
    // A stop may come when the second request is being handled.
    EXPECT_LE(site.handled.load(), stops ? 2U : 1U);
  }
}

// A watch that always has more, whose client takes it all.
TEST_P(HttpConnectionTest, AWatchIsSentFewChunksBeforeOthersHaveTheirTurn) {
  if (GetParam().over == Over::Tcp) GTEST_SKIP() << "its bytes come when the kernel likes";
  TestSite site(options());
  SteppedSocket client(*site.server, tls(), 0);
  client.write("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n");
  std::size_t most = 0;
  while (site.endless_chunks.load() < 1000) {
    const std::size_t before = site.endless_chunks.load();
    const bool served = site.io.context().poll_one() != 0;
    most = std::max(most, site.endless_chunks.load() - before);
    const bool sent = client.send(65'536);
    ASSERT_TRUE(client.receive(65'536) || sent || served);
  }
  EXPECT_EQ(most, 8U);
}

// All of a refusal may be sealed, and none of it sent, when the stop comes.
TEST_P(HttpConnectionTest, AStopCutsNoRefusalThatWaitsForItsClient) {
  if (GetParam().over == Over::Tcp) GTEST_SKIP() << "its bytes come when the kernel likes";
  // One of these answers leaves no room for the next one.
  for (std::size_t size = 40'000; size < 300'000; size += 8'000) {
    SCOPED_TRACE(size);
    HttpServer::Options small = options();
    small.max_body_bytes = 10;
    TestSite site(std::move(small));
    auto& context = site.io.context();
    SteppedSocket other(*site.server, tls(), 0);
    while (other.send(65'536) || context.poll_one() != 0 || other.receive(65'536)) {
    }
    SteppedSocket client(*site.server, tls(), 0);
    const std::string target = "/whole/" + std::to_string(size);
    client.write("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    while (site.handled.load() == 0) {
      context.poll_one();
      if (!client.send(65'536) && site.handled.load() == 0) client.receive(65'536);
    }
    client.write("PATCH /whole/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 400\r\n\r\n");
    while (client.send(65'536) || context.poll_one() != 0) {
    }
    const bool is_refused = site.refused.load() != 0;
    std::thread stop([&] { site.server->stop(); });
    // Without a request it ends when the stop has come to the connections.
    while (!other.ended) {
      context.poll_one();
      other.receive(100);
    }
    while (context.poll_one() != 0) {
    }
    AnswerReader answer;
    AnswerReader refusal;
    bool whole = false;
    while (!client.ended) {
      context.poll_one();
      client.receive(65'536);
      whole = whole || answer.take(client.in, false, client.ended);
    }
    site.io.start("site", 1, nullptr);
    stop.join();
    ASSERT_TRUE(whole);
    EXPECT_TRUE(answer.body == TestSite::answer_to("GET", target, ""));
    EXPECT_EQ(refusal.take(client.in, false, false), is_refused);
    EXPECT_EQ(client.in, "") << "a part of an answer";
  }
}

// What a client goes on sending is read as long as it has not closed, also when the stop comes
// then.
TEST_P(HttpConnectionTest, AStopCutsNoAnswerWhoseClientStillSends) {
  if (GetParam().over == Over::Tcp) GTEST_SKIP() << "its bytes come when the kernel likes";
  TestSite site(options());
  auto& context = site.io.context();
  SteppedSocket other(*site.server, tls(), 0);
  while (other.send(65'536) || context.poll_one() != 0 || other.receive(65'536)) {
  }
  SteppedSocket client(*site.server, tls(), 0);
  client.write("GET /whole/10000 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  client.write("PATCH /whole/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\n\r\n");
  for (int i = 0; i < 90; ++i) client.write(text_of(100'000, 1));
  while (site.handled.load() == 0) {
    if (!client.send(65'536)) client.receive(65'536);
    context.poll_one();
  }
  std::thread stop([&] { site.server->stop(); });
  while (!other.ended) {  // without a request it ends when the stop has come to the connections
    client.send(65'536);
    context.poll_one();
    other.receive(100);
  }
  int sent = 0;
  for (int i = 0; i < 20; ++i) {
    while (context.poll_one() != 0) {
    }
    if (client.send(65'536)) ++sent;
  }
  EXPECT_EQ(sent, 20) << "the server reads on";
  AnswerReader answer;
  while (client.receive(65'536)) {
  }
  EXPECT_TRUE(answer.take(client.in, false, client.ended));
  EXPECT_TRUE(answer.body == TestSite::answer_to("GET", "/whole/10000", ""));
  site.io.start("site", 1, nullptr);
  stop.join();
}

// A client that connects and is silent has no claim on its place, with TLS neither.
TEST_P(HttpConnectionTest, SilentConnectionsGiveWayToOthers) {
  constexpr std::size_t kMax = 5;
  HttpServer::Options few = options();
  few.max_connections = kMax;
  TestSite site(std::move(few));
  site.io.start("site", 2, nullptr);
  std::vector<std::unique_ptr<SteppedSocket>> silent;
  for (std::size_t i = 0; i < 3 * kMax; ++i) {
    silent.push_back(std::make_unique<SteppedSocket>(*site.server, nullptr, 0));
  }
  SteppedSocket client(*site.server, tls(), 0);
  client.write("GET /whole/10 HTTP/1.1\r\nHost: a\r\n\r\n");
  AnswerReader answer;
  while (!answer.take(client.in, false, client.ended)) {
    ASSERT_FALSE(client.ended);
    if (client.send(1000) || client.receive(1000)) continue;
    pollfd waiting{client.native(), POLLIN, 0};
    ASSERT_EQ(::poll(&waiting, 1, kPatienceMs), 1);
  }
  EXPECT_EQ(answer.status, 200);
}

INSTANTIATE_TEST_SUITE_P(Ways, HttpConnectionTest,
                         ::testing::Values(Way{"Tcp", Over::Tcp, false},
                                           Way{"Tls", Over::Tcp, true},
                                           Way{"Unix", Over::Unix, false},
                                           Way{"UnixTls", Over::Unix, true}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace kube::serving
