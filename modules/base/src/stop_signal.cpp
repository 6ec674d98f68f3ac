// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include <kube/base/stop_signal.hpp>

namespace kube {
namespace {

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

}  // namespace

StopSignal::StopSignal() {
  const sigset_t set = stop_signals();
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC);
  over_ = ::eventfd(0, EFD_CLOEXEC);
  const auto fail = [this](int reason) {
    ::close(signals_);
    ::close(over_);
    throw std::system_error(reason, std::generic_category(), "can't wait for signals");
  };
  if (signals_ < 0 || over_ < 0) fail(errno);
  pthread_sigmask(SIG_BLOCK, &set, &previous_);
  try {
    waiter_ = WorkerThread("kube-signals", [this] { wait_for_signals(); });
  } catch (const std::system_error& error) {
    pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
    fail(error.code().value());
  }
}

StopSignal::~StopSignal() {
  const std::uint64_t one = 1;
  // A new eventfd accepts one write.
  if (waiter_.in_this_process()) [[maybe_unused]]
    const auto size = ::write(over_, &one, sizeof one);
  waiter_.join();
  ::close(signals_);
  ::close(over_);
  pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

void StopSignal::wait_for_signals() {
  for (;;) {
    std::array<pollfd, 2> waits = {pollfd{signals_, POLLIN, 0}, pollfd{over_, POLLIN, 0}};
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;  // interrupted
    if (waits[1].revents != 0) return;
    signalfd_siginfo signal{};
    if (::read(signals_, &signal, sizeof signal) != sizeof signal) continue;
    if (!source_.request_stop()) ::_exit(128 + static_cast<int>(signal.ssi_signo));
  }
}

}  // namespace kube
