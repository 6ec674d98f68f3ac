// SPDX-License-Identifier: Apache-2.0
//
// A program ends at once and with its own code, whatever clients and informers are doing: each case
// runs in a child process, forked off before there is any thread.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/base/executor.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/client.hpp>

#include "loopback_server.hpp"

// A forked child lacks its parent's threads, so that nobody is left who owns what they had.
// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): AddressSanitizer's
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}

namespace {

using namespace std::chrono_literals;
using kube::core::v1::Pod;
using kube::transport::LoopbackServer;
using kube::transport::Peer;
using Steady = std::chrono::steady_clock;

constexpr int kDone = 7;

// A list of one pod, and watches that stay open.
void serve(Peer& peer) {
  while (const auto request = peer.read_request()) {
    if (request->head.find("watch=") != std::string::npos) {
      peer.write(
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: "
          "chunked\r\n\r\n");
      peer.await_close();
      return;
    }
    const std::string list =
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[)"
        R"({"metadata":{"name":"a","namespace":"web","uid":"u","resourceVersion":"5"}}]})";
    peer.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
               std::to_string(list.size()) + "\r\n\r\n" + list);
  }
}

struct Ended {
  std::optional<int> code;  // nothing: it was killed
  Steady::duration after{};
};

// Runs `program` in a child, whose end is awaited for ten seconds; `beside` runs in the parent.
Ended in_child(
    const std::function<void()>& program, const std::function<void()>& beside = [] {}) {
  const auto begin = Steady::now();
  const pid_t child = ::fork();
  if (child == 0) {
    program();
    ::_exit(1);
  }
  beside();
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (Steady::now() - begin > 10s) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return {std::nullopt, Steady::now() - begin};
    }
    std::this_thread::sleep_for(5ms);
  }
  const auto after = Steady::now() - begin;
  if (!WIFEXITED(status)) return {std::nullopt, after};
  return {WEXITSTATUS(status), after};
}

// Runs `program` in a child, with the URL of a server in the parent. The server starts after the
// fork: a thread that allocates during it would leave AddressSanitizer's allocator locked in the
// child for ever.
Ended with_server(const std::function<void(const std::string& url)>& program) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  std::optional<LoopbackServer> server;
  const Ended ended = in_child(
      [&] {
        std::array<char, 100> url{};
        const ssize_t size = ::read(ends[0], url.data(), url.size());
        if (size > 0) program(std::string(url.data(), static_cast<std::size_t>(size)));
      },
      [&] {
        const std::string url = server.emplace(serve).url("");
        static_cast<void>(::write(ends[1], url.data(), url.size()));
      });
  ::close(ends[0]);
  ::close(ends[1]);
  return ended;
}

// A synced informer of that server, and its client.
struct Program {
  explicit Program(
      const std::string& url, const std::function<void()>& handler = [] {})
      : client(*kube::Client::create({.host = url})), pods(client.rest(), {.watch_list = false}) {
    registration = pods.add_event_handler(
        {.on_add = [handler](const kube::Cached<Pod>&, bool) { handler(); }});
    if (!pods.start() || !pods.wait_for_sync({})) ::_exit(2);
  }
  kube::Client client;
  kube::SharedInformer<Pod> pods;
  kube::HandlerRegistration registration;
};

TEST(Exit, AProgramThatReturnsWithAnInformerAtWorkEndsAtOnce) {
  const Ended ended = with_server([](const std::string& url) {
    { const Program program(url); }
    std::exit(kDone);
  });
  EXPECT_EQ(ended.code, kDone);
  EXPECT_LT(ended.after, 2s);
}

TEST(Exit, ExitWithAnInformerAtWorkIsNotDelayed) {
  const Ended ended = with_server([](const std::string& url) {
    const Program program(url);
    std::exit(kDone);
  });
  EXPECT_EQ(ended.code, kDone);
  EXPECT_LT(ended.after, 2s);
}

TEST(Exit, WaitsForAHandlerForASecondAtMost) {
  const Ended ended = with_server([](const std::string& url) {
    std::promise<void> begun;
    const Program program(url, [&] {
      begun.set_value();
      std::this_thread::sleep_for(1min);
    });
    begun.get_future().wait();
    std::exit(kDone);
  });
  EXPECT_EQ(ended.code, kDone);
  EXPECT_LT(ended.after, 2500ms);
}

// Returns the shortest of three runs: an exit waits a second for work that does not end, and on a
// busy machine it may take as long by itself.
kube::Duration shortest_exit(const std::function<Ended()>& run) {
  kube::Duration shortest = kube::Duration::max();
  for (int i = 0; i < 3 && shortest >= 1s; ++i) {
    const Ended ended = run();
    EXPECT_EQ(ended.code, kDone);
    shortest = std::min<kube::Duration>(shortest, ended.after);
  }
  return shortest;
}

TEST(Exit, WaitsForTheQueuedTasksOfAPoolWhoseLastOwnerIsOneOfThem) {
  const auto run = [] {
    return in_child([] {
      static std::atomic<bool> over = false;
      // Registered before there is a pool, so it runs after the pool's threads were joined.
      std::atexit([] {
        if (!over) ::_exit(3);
      });
      auto pool = std::make_shared<kube::ThreadPool>(kube::ThreadPool::Options{.threads = 1});
      for (int i = 0; i < 10; ++i) pool->submit([] { std::this_thread::sleep_for(5ms); });
      pool->submit([pool] { over = true; });
      pool.reset();
      std::exit(kDone);
    });
  };
  EXPECT_LT(shortest_exit(run), 1s);
}

TEST(Exit, IsNotDelayedByTasksThatGoOnForEver) {
  const auto run = [] {
    return with_server([](const std::string& url) {
      const Program program(url);
      kube::Executor& executor = *program.client.runtime().executor;
      std::promise<void> begun;
      std::atomic<int> runs = 0;
      const std::function<void()> again = [&] {
        if (++runs == 100) begun.set_value();
        executor.submit(again);
      };
      for (int i = 0; i < 8; ++i) executor.submit(again);
      begun.get_future().wait();
      std::exit(kDone);
    });
  };
  EXPECT_LT(shortest_exit(run), 1s);
}

// Child of a program with a client and an informer at work, which have no threads there.
TEST(Exit, AForkedChildThatExitsDoesNotHang) {
  for (const bool in_handler : {false, true}) {
    const Ended ended = with_server([in_handler](const std::string& url) {
      std::promise<void> begun;
      const Program program(url, [&] {
        begun.set_value();
        if (in_handler) std::this_thread::sleep_for(500ms);
      });
      begun.get_future().wait();
      const Ended child = in_child([] { std::exit(kDone); });
      ::_exit(child.code == kDone && child.after < 1s ? kDone : 1);
    });
    EXPECT_EQ(ended.code, kDone) << "in a handler: " << in_handler;
  }
}

}  // namespace
