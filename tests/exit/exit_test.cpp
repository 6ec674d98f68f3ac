// SPDX-License-Identifier: Apache-2.0
//
// A program ends with its own code, whatever clients and informers are doing: each case
// runs in a child process, forked off before there is any thread.
#include <array>
#include <atomic>
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
#include <kube/testing/eventually.hpp>

#include "loopback_server.hpp"

// A forked child lacks its parent's threads, so that nobody is left who owns what they had.
// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): AddressSanitizer's
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}

namespace {

using kube::core::v1::Pod;
using kube::testing::eventually;
using kube::transport::LoopbackServer;
using kube::transport::Peer;

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

// Runs `program` in a child, and `beside` in the parent. Returns the code with which the child
// ends; nothing when it was killed, as it is when it does not end.
std::optional<int> in_child(
    const std::function<void()>& program, const std::function<void()>& beside = [] {}) {
  const pid_t child = ::fork();
  if (child == 0) {
    program();
    ::_exit(1);
  }
  beside();
  int status = 0;
  if (!eventually([&] { return ::waitpid(child, &status, WNOHANG) != 0; })) {
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
  }
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

// A task or a handler that goes on for ever.
void block() {
  std::promise<void>().get_future().wait();
}

// Runs `program` in a child, with the URL of a server in the parent. The server starts after the
// fork: a thread that allocates during it would leave AddressSanitizer's allocator locked in the
// child for ever.
std::optional<int> with_server(const std::function<void(const std::string& url)>& program) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  std::optional<LoopbackServer> server;
  const std::optional<int> code = in_child(
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
  return code;
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

TEST(Exit, AProgramThatReturnsWithAnInformerAtWorkEnds) {
  const auto code = with_server([](const std::string& url) {
    { const Program program(url); }
    std::exit(kDone);
  });
  EXPECT_EQ(code, kDone);
}

TEST(Exit, ExitWithAnInformerAtWorkEndsTheProgram) {
  const auto code = with_server([](const std::string& url) {
    const Program program(url);
    std::exit(kDone);
  });
  EXPECT_EQ(code, kDone);
}

TEST(Exit, DoesNotWaitForAHandlerThatNeverReturns) {
  const auto code = with_server([](const std::string& url) {
    std::promise<void> begun;
    const Program program(url, [&] {
      begun.set_value();
      block();
    });
    begun.get_future().wait();
    std::exit(kDone);
  });
  EXPECT_EQ(code, kDone);
}

TEST(Exit, WaitsForTheQueuedTasksOfAPoolWhoseLastOwnerIsOneOfThem) {
  const auto code = in_child([] {
    static std::atomic<bool> over = false;
    static std::promise<void> exiting;
    // Registered before there is a pool, so it runs after the pool's threads were joined.
    std::atexit([] {
      if (!over) ::_exit(3);
    });
    auto pool = std::make_shared<kube::ThreadPool>(kube::ThreadPool::Options{.threads = 1});
    // Registered after the pool's, so it runs before the threads are joined.
    std::atexit([] { exiting.set_value(); });
    pool->submit([] { exiting.get_future().wait(); });
    for (int i = 0; i < 10; ++i) pool->submit([] { std::this_thread::yield(); });
    pool->submit([pool] { over = true; });
    pool.reset();
    std::exit(kDone);
  });
  EXPECT_EQ(code, kDone);
}

TEST(Exit, DoesNotWaitForTasksThatGoOnForEver) {
  const auto code = with_server([](const std::string& url) {
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
  EXPECT_EQ(code, kDone);
}

// Child of a program with a client and an informer at work, which have no threads there.
TEST(Exit, AForkedChildThatExitsDoesNotHang) {
  for (const bool in_handler : {false, true}) {
    const auto code = with_server([in_handler](const std::string& url) {
      std::promise<void> begun;
      const Program program(url, [&] {
        begun.set_value();
        if (in_handler) block();
      });
      begun.get_future().wait();
      ::_exit(in_child([] { std::exit(kDone); }).value_or(1));
    });
    EXPECT_EQ(code, kDone) << "in a handler: " << in_handler;
  }
}

}  // namespace
