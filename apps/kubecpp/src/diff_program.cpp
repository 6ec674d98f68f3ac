// SPDX-License-Identifier: Apache-2.0
#include "diff_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>

#include <kube/base/ascii.hpp>

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;

bool is_plain(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](char each) {
    return kube::ascii::is_alnum(each) || each == '-' || each == '=';
  });
}

// What happens between fork and exec: this program's threads block signals, which the child would
// inherit, and it ignores some.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    sigaddset(&signals, SIGHUP);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnAttributes() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;

  // Returns 0 or an errno.
  int spawn(std::vector<std::string> words, pid_t& child) const {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return ::posix_spawnp(&child, arguments.front(), &files_, &attributes_, arguments.data(),
                          ::environ);
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

// Waits for the end of a child; a stop ends it.
int wait_status(pid_t child, const std::stop_token& stop) {
  {
    const std::stop_callback end(stop, [child] { ::kill(child, SIGTERM); });
    // The process is reaped after the callback is gone, so that it ends no other one.
    siginfo_t ended{};
    while (::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) != 0 &&
           errno == EINTR) {
    }
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string reason_of(const std::string& program, int number) {
  if (number == ENOENT) return "executable file not found in $PATH";
  return "exec: \"" + program +
         "\": " + kube::ascii::to_lower(std::generic_category().message(number));
}

}  // namespace

std::vector<std::string> diff_command_line(const std::string& left, const std::string& right) {
  const char* chosen = std::getenv("KUBECTL_EXTERNAL_DIFF");
  if (chosen == nullptr || *chosen == '\0') return {"diff", "-u", "-N", left, right};
  std::vector<std::string> line;
  const std::string text(chosen);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty()) {
      line = {std::move(word), left, right};
    } else if (is_plain(word)) {
      line.push_back(std::move(word));
    }
  }
  return line;
}

Result<int> run_diff_program(const std::string& left, const std::string& right,
                             const std::stop_token& stop) {
  const std::vector<std::string> line = diff_command_line(left, right);
  const auto failed = [&](const std::string& why) {
    return Error(ErrorCode::Config, "failed to run \"" + line.front() + "\": " + why);
  };
  pid_t child = -1;
  if (const int number = SpawnAttributes().spawn(line, child); number != 0)
    return failed(reason_of(line.front(), number));
  const int status = wait_status(child, stop);
  if (stop.stop_requested()) return Error(ErrorCode::Cancelled, "interrupted");
  // Who reads has seen enough: there were differences to read.
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE) return 1;
  if (WIFSIGNALED(status))
    return failed("signal: " + kube::ascii::to_lower(::strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) > 1) return failed("exit status " + std::to_string(WEXITSTATUS(status)));
  return WEXITSTATUS(status);
}

}  // namespace kubecpp
