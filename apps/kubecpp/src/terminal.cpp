// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace kubecpp {
namespace {

constexpr int kDeadly[] = {SIGHUP, SIGQUIT, SIGABRT};

// For signal handlers. `cooked` is written before `is_raw` is.
struct {
  termios cooked{};
  std::atomic<bool> is_raw = false;
  std::atomic<int> window_changes = -1;
} of_signals;

void restore_and_end(int signal) {
  RawTerminal::restore();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

void pass_window_change(int) {
  const int saved = errno;
  const std::uint64_t one = 1;
  if (const int file = of_signals.window_changes; file >= 0) {
    [[maybe_unused]] const auto written = ::write(file, &one, sizeof one);
  }
  errno = saved;
}

}  // namespace

bool input_is_terminal() {
  return ::isatty(STDIN_FILENO) == 1;
}

std::optional<kube::remotecommand::TerminalSize> terminal_size() {
  winsize size{};
  for (const int file : {STDOUT_FILENO, STDIN_FILENO}) {
    if (::ioctl(file, TIOCGWINSZ, &size) == 0) {
      return kube::remotecommand::TerminalSize{.width = size.ws_col, .height = size.ws_row};
    }
  }
  return std::nullopt;
}

RawTerminal::RawTerminal() {
  if (::tcgetattr(STDIN_FILENO, &of_signals.cooked) != 0) return;
  termios raw = of_signals.cooked;
  ::cfmakeraw(&raw);
  of_signals.is_raw = true;
  for (const int signal : kDeadly) std::signal(signal, restore_and_end);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

RawTerminal::~RawTerminal() {
  restore();
  for (const int signal : kDeadly) std::signal(signal, SIG_DFL);
}

void RawTerminal::restore() {
  if (of_signals.is_raw.exchange(false)) ::tcsetattr(STDIN_FILENO, TCSANOW, &of_signals.cooked);
}

WindowChanges::WindowChanges(int file) {
  of_signals.window_changes = file;
  if (file < 0) return;
  struct sigaction action {};
  action.sa_handler = pass_window_change;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGWINCH, &action, nullptr);
}

WindowChanges::~WindowChanges() {
  std::signal(SIGWINCH, SIG_DFL);
  of_signals.window_changes = -1;
}

}  // namespace kubecpp
