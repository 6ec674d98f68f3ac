// SPDX-License-Identifier: Apache-2.0
#include "stop_signal.hpp"

#include <pthread.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>

namespace example {
namespace {

sigset_t waited_for() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR2);  // wakes the waiter when nobody needs it any more
  return set;
}

}  // namespace

StopSignal::StopSignal() {
  const sigset_t set = waited_for();
  pthread_sigmask(SIG_BLOCK, &set, &previous_);
  waiter_ = std::thread([this, set] {
    pthread_setname_np(pthread_self(), "signals");
    for (;;) {
      int signal = 0;
      if (sigwait(&set, &signal) != 0 || signal == SIGUSR2) return;
      if (source_.stop_requested()) _exit(128 + signal);
      source_.request_stop();
    }
  });
}

StopSignal::~StopSignal() {
  pthread_kill(waiter_.native_handle(), SIGUSR2);
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void wait_for_stop(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait(lock, std::move(stop), [] { return false; });
}

}  // namespace example
