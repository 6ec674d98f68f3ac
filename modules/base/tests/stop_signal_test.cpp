// SPDX-License-Identifier: Apache-2.0
#include <kube/base/stop_signal.hpp>

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include <kube/base/stop.hpp>
#include <kube/testing/eventually.hpp>

namespace kube {
namespace {

// Each in a process of its own: a signal that is not blocked in a thread of the test ends it.
class StopSignalTest : public ::testing::TestWithParam<int> {
 protected:
  StopSignalTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

bool is_blocked(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

void stop_in_order(int number) {
  {
    const StopSignal signal;
    if (!is_blocked(number) || signal.token().stop_requested()) std::_Exit(1);
    ::kill(::getpid(), number);
    wait_for_stop(signal.token());
  }
  std::_Exit(is_blocked(number) ? 2 : 0);
}

void be_asked_twice(int number) {
  const StopSignal signal;
  ::kill(::getpid(), number);
  wait_for_stop(signal.token());
  // Ends a process that nothing else does.
  ::alarm(static_cast<unsigned>(testing::kPatience.count()));
  ::kill(::getpid(), number);
  for (;;) ::pause();
}

void be_asked_when_it_is_gone(int number) {
  { const StopSignal signal; }
  { const StopSignal another; }
  ::kill(::getpid(), number);
  std::_Exit(1);
}

TEST_P(StopSignalTest, TheFirstSignalRequestsAStop) {
  EXPECT_EXIT(stop_in_order(GetParam()), ::testing::ExitedWithCode(0), "");
}

TEST_P(StopSignalTest, TheSecondSignalEndsTheProcessAtOnce) {
  EXPECT_EXIT(be_asked_twice(GetParam()), ::testing::ExitedWithCode(128 + GetParam()), "");
}

TEST_P(StopSignalTest, AfterwardsSignalsDoWhatTheyDidBefore) {
  EXPECT_EXIT(be_asked_when_it_is_gone(GetParam()), ::testing::KilledBySignal(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(Signals, StopSignalTest, ::testing::Values(SIGINT, SIGTERM),
                         [](const auto& tried) {
                           return tried.param == SIGINT ? "SIGINT" : "SIGTERM";
                         });

}  // namespace
}  // namespace kube
