// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigset_t is POSIX

#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <kube/base/executor.hpp>
#include <kube/base/worker_thread.hpp>

namespace kube {
namespace {

TEST(WorkerThread, RunsItsBodyUnderItsName) {
  std::string name;
  WorkerThread thread("a-name-of-more-than-fifteen", [&name] {
    std::array<char, 16> text{};
    pthread_getname_np(pthread_self(), text.data(), text.size());
    name = text.data();
  });
  EXPECT_TRUE(thread.joinable());
  thread.join();
  EXPECT_FALSE(thread.joinable());
  EXPECT_EQ(name, "a-name-of-more-");
  thread.join();
}

TEST(WorkerThread, BlocksTheSignalsOfTheProgramAndLeavesItsOwn) {
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  sigset_t inside;
  WorkerThread("worker", [&inside] { pthread_sigmask(SIG_SETMASK, nullptr, &inside); }).join();
  for (const int blocked : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM,
                            SIGCHLD, SIGWINCH, SIGRTMIN, SIGRTMAX}) {
    EXPECT_EQ(sigismember(&inside, blocked), 1) << blocked;
  }
  for (const int open :
       {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGTTIN, SIGTTOU, SIGPROF}) {
    EXPECT_EQ(sigismember(&inside, open), 0) << open;
  }
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    EXPECT_EQ(sigismember(&after, signal), sigismember(&before, signal)) << signal;
  }
}

TEST(WorkerThread, ItsDestructorWaitsForTheBodyAndWhatItHolds) {
  auto held = std::make_shared<int>(1);
  {
    const WorkerThread thread("worker", [held] {});
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(WorkerThread, AssignmentJoinsWhatWasThere) {
  bool ran = false;
  WorkerThread thread("first", [&ran] { ran = true; });
  thread = WorkerThread("second", [] {});
  EXPECT_TRUE(ran);
}

TEST(WorkerThread, MayBeDestroyedOnItselfAndIsJoinedByOthers) {
  std::promise<void> assigned;
  std::promise<void> go_on;
  std::promise<void> destroyed;
  bool finished = false;
  std::optional<WorkerThread> thread;
  thread.emplace("worker", [&] {
    assigned.get_future().wait();
    thread.reset();
    destroyed.set_value();
    go_on.get_future().wait();
    finished = true;
  });
  assigned.set_value();
  destroyed.get_future().wait();
  // One that isn't through is not waited for.
  const WorkerThread next("next", [] {});
  go_on.set_value();
  WorkerThread::join_orphans();
  EXPECT_TRUE(finished);
}

TEST(WorkerThread, ATurnThatEndsItsOwnerIsWaitedFor) {
  std::promise<void> begun;
  std::promise<void> assigned;
  std::atomic<bool> finished = false;
  std::optional<WorkerThread> thread;
  thread.emplace("worker", [&] {
    assigned.get_future().wait();
    const WorkerThread::Turn turn;
    begun.set_value();
    for (int i = 0; i < 10; ++i) std::this_thread::yield();
    thread.reset();
    finished = true;
  });
  assigned.set_value();
  begun.get_future().wait();
  WorkerThread::join_orphans();
  EXPECT_TRUE(finished);
}

TEST(WorkerThread, ATaskThatHasNotBegunIsWaitedForWhenItHoldsItsPool) {
  for (int i = 0; i < 300; ++i) {
    std::atomic<bool> gone = false;
    std::shared_ptr<ThreadPool> pool(new ThreadPool({.threads = 1}), [&gone](ThreadPool* ended) {
      delete ended;
      gone = true;
    });
    ThreadPool& executor = *pool;
    executor.submit([pool = std::move(pool)] {});
    WorkerThread::join_orphans();
    ASSERT_TRUE(gone) << "round " << i;
  }
}

}  // namespace
}  // namespace kube
