// SPDX-License-Identifier: Apache-2.0
//
// The limit of connections, and which connections are closed at the limit.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>

#include "server_fixture.hpp"

namespace kube::apiserver::test {
namespace {

using testing::eventually;

constexpr std::string_view kHealth = "GET /healthz HTTP/1.1\r\nHost: t\r\n\r\n";

class FewConnections : public ServerTest {
 protected:
  ApiServer::Options options() const override {
    auto options = ServerTest::options();
    options.max_connections = 4;
    return options;
  }
  void SetUp() override {
    ServerTest::SetUp();
    client_.reset();
    ASSERT_TRUE(eventually([&] { return server().statistics().connections == 0; }));
  }
};

TEST_F(FewConnections, TheOneThatIsIdleForLongestGivesWay) {
  // A connection becomes idle some time after its response was read.
  const auto idle = [this](std::size_t count) {
    return eventually([&] { return server().statistics().idle == count; });
  };
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (std::size_t i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<HttpClient>(port()));
    EXPECT_EQ(clients.back()->send("GET", "/healthz").body, "ok");
    ASSERT_TRUE(idle(i + 1));
  }
  // Now the second one has been idle longest.
  EXPECT_EQ(clients[0]->send("GET", "/healthz").body, "ok");
  ASSERT_TRUE(idle(4));
  HttpClient late(port());
  EXPECT_EQ(late.send("GET", "/healthz").body, "ok");
  EXPECT_TRUE(clients[1]->closed_by_peer());
  for (const std::size_t i : {0U, 2U, 3U})
    EXPECT_EQ(clients[i]->send("GET", "/healthz").body, "ok") << i;
}

TEST_F(FewConnections, ANewOneIsRefusedWhenNoneIsIdle) {
  std::vector<std::unique_ptr<WatchClient>> watches;
  for (int i = 0; i < 4; ++i) {
    watches.push_back(
        std::make_unique<WatchClient>(port(), std::string(kConfigMaps) + "?watch=true"));
  }
  {
    HttpClient refused(port());
    const Answer answer = refused.send("GET", "/healthz");
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.header("retry-after"), "1");
    EXPECT_EQ(answer.header("connection"), "close");
    EXPECT_TRUE(refused.closed_by_peer());
  }
  watches.pop_back();
  EXPECT_TRUE(eventually([&] { return server().statistics().watchers == 3; }));
  EXPECT_TRUE(eventually([&] { return HttpClient(port()).send("GET", "/healthz").status == 200; }));
}

TEST_F(FewConnections, AFloodDoesNotKeepMoreThanASmallNumberOfThem) {
  std::vector<std::unique_ptr<WatchClient>> watches;
  for (int i = 0; i < 4; ++i) {
    watches.push_back(
        std::make_unique<WatchClient>(port(), std::string(kConfigMaps) + "?watch=true"));
  }
  std::vector<std::unique_ptr<HttpClient>> flood;
  for (int i = 0; i < 300; ++i) flood.push_back(std::make_unique<HttpClient>(port()));
  // Some of them get a 503, the others are closed at once.
  for (const auto& client : flood) EXPECT_TRUE(client->closed_by_peer());
  EXPECT_LE(server().statistics().connections, 4U + 64U);
  EXPECT_EQ(server().statistics().watchers, 4U);
}

TEST(ShortIdling, IdleConnectionsAreClosedAfterATime) {
  ApiServer::Options options;
  options.idle_timeout = std::chrono::milliseconds(50);
  const auto server = ApiServer::start(options).value();
  EXPECT_TRUE(HttpClient(server->port()).closed_by_peer());
  bool is_closed = false;
  // On a busy machine a connection may be closed before its request.
  EXPECT_TRUE(eventually([&] {
    HttpClient used(server->port());
    if (used.send("GET", "/healthz").body != "ok") return false;
    is_closed = used.closed_by_peer();
    return true;
  }));
  EXPECT_TRUE(is_closed);
  EXPECT_TRUE(eventually([&] { return server->statistics().connections == 0; }));
}

using Sockets = std::vector<int>;

// Unconnected sockets, so that later connections find exactly this number of descriptors.
Sockets sockets_with_few_left(std::size_t count, std::size_t left) {
  Sockets out;
  for (std::size_t i = 0; i < count + left; ++i) {
    out.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  }
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = static_cast<rlim_t>(out.back()) + 1;
  ::setrlimit(RLIMIT_NOFILE, &files);
  for (; out.size() > count; out.pop_back()) ::close(out.back());
  return out;
}

void connect_and_send(int socket, std::uint16_t port, std::string_view bytes) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

bool is_answered(int socket) {
  pollfd waiting{socket, POLLIN, 0};
  std::array<char, 32> answer{};
  constexpr std::string_view kGood = "HTTP/1.1 200";
  constexpr auto kLimit = static_cast<int>(std::chrono::milliseconds(kPatience).count());
  return ::poll(&waiting, 1, kLimit) == 1 &&
         ::recv(socket, answer.data(), kGood.size(), MSG_WAITALL) > 0 && kGood == answer.data();
}

[[noreturn]] void end(const char* problem) {
  std::fprintf(stderr, "%s\n", problem == nullptr ? "good" : problem);
  std::_Exit(problem == nullptr ? 0 : 1);
}

// Runs in a separate process with its own limit: forty clients connect at once, and there is room
// for eight.
void serve_more_than_there_are_descriptors() {
  const auto server = ApiServer::start();
  const Sockets sockets = sockets_with_few_left(40, 8);
  for (const int socket : sockets) connect_and_send(socket, (*server)->port(), kHealth);
  for (const int socket : sockets) {
    if (!is_answered(socket)) end("a client has no answer");
  }
  end((*server)->statistics().connections <= 8 ? nullptr : "more connections than descriptors");
}

// The partial head is sent together with a whole request, so that the server has it when that
// request is answered.
void serve_behind_half_requests() {
  ApiServer::Options options;
  options.header_timeout = std::chrono::hours(1);
  const auto server = ApiServer::start(options);
  const Sockets sockets = sockets_with_few_left(12, 8);
  constexpr std::array<std::string_view, 2> kHalves = {"G", "GET /healthz HTTP/1.1\r\nHost: t\r\n"};
  for (std::size_t i = 0; i < 8; ++i) {
    const std::string sent = std::string(kHealth).append(kHalves[i % kHalves.size()]);
    connect_and_send(sockets[i], (*server)->port(), sent);
    if (!is_answered(sockets[i])) end("a request in front of a half has no answer");
  }
  for (std::size_t i = 8; i < sockets.size(); ++i) {
    connect_and_send(sockets[i], (*server)->port(), kHealth);
    if (!is_answered(sockets[i])) end("a client has no answer");
  }
  end(nullptr);
}

// While no connection can be closed the server waits, instead of trying again and again.
void wait_for_a_descriptor() {
  const auto clock = std::make_shared<testing::FakeClock>();
  ApiServer::Options options;
  options.runtime.executor = std::make_shared<ThreadPool>(ThreadPool::Options{1, "timers", clock});
  const auto server = ApiServer::start(options);
  const Sockets sockets = sockets_with_few_left(9, 8);
  const std::string watch = "GET /api/v1/configmaps?watch=true HTTP/1.1\r\nHost: t\r\n\r\n";
  for (std::size_t i = 0; i < 8; ++i) {
    connect_and_send(sockets[i], (*server)->port(), watch);
    if (!is_answered(sockets[i])) end("a watch has no answer");
  }
  connect_and_send(sockets[8], (*server)->port(), kHealth);
  if (!clock->await_deadline(clock->now() + std::chrono::milliseconds(50))) end("it does not wait");
  ::close(sockets[0]);
  end(is_answered(sockets[8]) ? nullptr : "it does not go on");
}

// UndefinedBehaviorSanitizer creates a pipe to check whether memory is readable, and reports it as
// unreadable when there are no descriptors.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitizerNeedsDescriptors = true;
#elif defined(__has_feature)
constexpr bool kSanitizerNeedsDescriptors = __has_feature(address_sanitizer);
#else
constexpr bool kSanitizerNeedsDescriptors = false;
#endif

class FewDescriptors : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitizerNeedsDescriptors) GTEST_SKIP() << "the sanitizer needs descriptors of its own";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

TEST_F(FewDescriptors, IdleConnectionsGiveWayToNewOnes) {
  EXPECT_EXIT(serve_more_than_there_are_descriptors(), ::testing::ExitedWithCode(0), "good");
}

TEST_F(FewDescriptors, ConnectionsWithoutAWholeHeadGiveWayToNewOnes) {
  EXPECT_EXIT(serve_behind_half_requests(), ::testing::ExitedWithCode(0), "good");
}

TEST_F(FewDescriptors, WithoutAnIdleConnectionTheServerWaitsAndGoesOn) {
  EXPECT_EXIT(wait_for_a_descriptor(), ::testing::ExitedWithCode(0), "good");
}

}  // namespace
}  // namespace kube::apiserver::test
