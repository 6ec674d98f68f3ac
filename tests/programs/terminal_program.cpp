// SPDX-License-Identifier: Apache-2.0
#include "terminal_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <kube/testing/eventually.hpp>

namespace programs {
namespace {

using TerminalClock = std::chrono::steady_clock;

[[noreturn]] void become(const std::vector<std::string>& arguments, int terminal) {
  ::setsid();
  ::ioctl(terminal, TIOCSCTTY, 0);
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(terminal, file);
  // A shell's job in the background has them ignored, a terminal's program has not.
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT}) std::signal(signal, SIG_DFL);
  std::vector<char*> words;
  for (const std::string& each : arguments) words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(nullptr);
  ::execvp(words.front(), words.data());
  ::_exit(127);
}

}  // namespace

TerminalProgram::TerminalProgram(const std::vector<std::string>& arguments, unsigned short columns,
                                 unsigned short rows)
    : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) {
    throw std::runtime_error("no terminal");
  }
  terminal_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY | O_CLOEXEC);
  resize(columns, rows);
  process_ = ::fork();
  if (process_ == 0) become(arguments, terminal_);
}

TerminalProgram::~TerminalProgram() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  ::close(terminal_);
  ::close(master_);
}

void TerminalProgram::type(const std::string& text) {
  [[maybe_unused]] const auto written = ::write(master_, text.data(), text.size());
  read_some(50);
}

void TerminalProgram::resize(unsigned short columns, unsigned short rows) {
  const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  ::ioctl(master_, TIOCSWINSZ, &size);
}

bool TerminalProgram::shows(const std::string& text) {
  for (const auto end = TerminalClock::now() + kube::testing::kPatience;
       text_.find(text) == std::string::npos;) {
    if (TerminalClock::now() > end) return false;
    read_some(100);
  }
  return true;
}

const std::string& TerminalProgram::text() {
  while (read_some(0)) {
  }
  return text_;
}

std::string TerminalProgram::modes() const {
  termios modes{};
  ::tcgetattr(terminal_, &modes);
  return std::to_string(modes.c_iflag) + " " + std::to_string(modes.c_oflag) + " " +
         std::to_string(modes.c_cflag) + " " + std::to_string(modes.c_lflag);
}

void TerminalProgram::send(int signal) const {
  ::kill(process_, signal);
}

int TerminalProgram::wait() {
  for (const auto end = TerminalClock::now() + kube::testing::kPatience;
       TerminalClock::now() < end;) {
    int status = 0;
    if (::waitpid(process_, &status, WNOHANG) == process_) {
      process_ = -1;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    read_some(20);
  }
  return -1;
}

bool TerminalProgram::read_some(int milliseconds) {
  pollfd readable{.fd = master_, .events = POLLIN, .revents = 0};
  if (::poll(&readable, 1, milliseconds) != 1 || (readable.revents & POLLIN) == 0) return false;
  std::array<char, 4096> buffer;
  const ssize_t count = ::read(master_, buffer.data(), buffer.size());
  if (count > 0) text_.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace programs
