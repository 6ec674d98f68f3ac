// SPDX-License-Identifier: Apache-2.0
#include <kube/base/thread_turns.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include <kube/base/gate.hpp>

namespace kube {
namespace {

// The other thread is a function here: it leaves the gate.
class LeavesTheGate final : public ThreadTurns {
 public:
  explicit LeavesTheGate(std::optional<Gate::Pass>& pass) : pass_(pass) {}
  void wait(MutexLock& lock,
            const std::function<bool()>& ready) override KUBE_NO_THREAD_SAFETY_ANALYSIS {
    ++waits;
    EXPECT_FALSE(ready());
    lock.unlock();
    pass_.reset();
    lock.lock();
    EXPECT_TRUE(ready());
  }
  int waits = 0;

 private:
  std::optional<Gate::Pass>& pass_;
};

TEST(ThreadTurns, AGateLetsOthersGoOnInsteadOfBlocking) {
  Gate gate;
  std::optional<Gate::Pass> pass = gate.enter();
  LeavesTheGate turns(pass);
  ThreadTurns::set_of_this_thread(&turns);
  gate.close_and_wait();
  gate.close_and_wait();  // nothing to wait for
  ThreadTurns::set_of_this_thread(nullptr);
  EXPECT_EQ(turns.waits, 1);
}

TEST(ThreadTurns, EachThreadHasItsOwn) {
  std::optional<Gate::Pass> none;
  LeavesTheGate turns(none);
  ThreadTurns::set_of_this_thread(&turns);
  ThreadTurns* other = &turns;
  std::thread([&] { other = ThreadTurns::of_this_thread(); }).join();
  EXPECT_EQ(other, nullptr);
  EXPECT_EQ(ThreadTurns::of_this_thread(), &turns);
  ThreadTurns::set_of_this_thread(nullptr);
}

}  // namespace
}  // namespace kube
