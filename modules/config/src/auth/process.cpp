// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigfillset is POSIX
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <system_error>
#include <utility>

namespace kube::rest {
namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

// How often a program that has closed its output, or left it to a child, is asked whether it has
// exited.
constexpr milliseconds kExitCheck{20};
constexpr milliseconds kPatienceAfterTerm{1'000};

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  int get() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

Error system_error(std::string_view what, int number) {
  return {ErrorCode::Credentials,
          std::string(what) + ": " + std::error_code(number, std::generic_category()).message()};
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  // posix_spawn does not write to them. NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// What happens between fork and exec.
class SpawnPlan {
 public:
  SpawnPlan(int output, bool inherit_stdin) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    if (!inherit_stdin) {
      posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    // The threads of this library block signals, which the program would inherit.
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (!inherit_stdin) {
      // A group of its own, so that its children end with it. One that may ask its user stays in
      // the terminal's group: others can't read there.
      posix_spawnattr_setpgroup(&attributes_, 0);
      flags |= POSIX_SPAWN_SETPGROUP;
    }
    posix_spawnattr_setflags(&attributes_, static_cast<short>(flags));
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  Result<pid_t> spawn(const ProcessSpec& spec) const {
    pid_t child = 0;
    const std::vector<char*> arguments = pointers(spec.arguments);
    const std::vector<char*> environment = pointers(spec.environment);
    const int failed = posix_spawn(&child, spec.executable.c_str(), &actions_, &attributes_,
                                   arguments.data(), environment.data());
    if (failed != 0) return system_error(spec.executable, failed);
    return child;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// A child that runs, and the end of its standard output.
class RunningProcess {
 public:
  RunningProcess(pid_t child, Descriptor output, const ProcessSpec& spec)
      : child_(child), output_(std::move(output)), spec_(spec) {}

  Result<ProcessOutput> finish(const Descriptor& stopped) {
    const auto deadline = SteadyClock::now() + spec_.timeout;
    while (!exited()) {
      read_available();
      if (why_) break;
      const auto left = std::chrono::ceil<milliseconds>(deadline - SteadyClock::now());
      if (left.count() <= 0) why_ = too_slow();
      if (!why_ && wait(stopped, left)) why_ = Error(ErrorCode::Cancelled, "the run was cancelled");
      if (why_) break;
    }
    if (why_) return end();
    read_available();  // written before it exited
    if (why_) return *why_;
    return ProcessOutput{.exit_code = exit_code_, .signal = signal_, .text = std::move(text_)};
  }

 private:
  Error too_slow() const {
    return {ErrorCode::Timeout,
            "it did not end within " + std::to_string(spec_.timeout.count()) + " ms"};
  }

  // Returns true for a stop.
  bool wait(const Descriptor& stopped, milliseconds left) const {
    // Without output, only the exit is awaited, and nothing reports that here.
    const milliseconds time = std::min(left, kExitCheck);
    std::array<pollfd, 2> events{pollfd{stopped.get(), POLLIN, 0},
                                 pollfd{output_.get(), POLLIN, 0}};
    (void)::poll(events.data(), events.size(), static_cast<int>(time.count()));
    return (events[0].revents & POLLIN) != 0;
  }

  void read_available() {
    std::array<char, 16384> bytes{};
    while (output_.get() >= 0) {
      const ssize_t size = ::read(output_.get(), bytes.data(), bytes.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      if (size <= 0) {
        output_.close();
        return;
      }
      text_.append(bytes.data(), static_cast<std::size_t>(size));
      if (text_.size() > spec_.max_output_bytes) {
        why_ = Error(ErrorCode::Credentials,
                     "it wrote more than " + std::to_string(spec_.max_output_bytes) + " bytes");
        return;
      }
    }
  }

  // A program that reaps all children itself leaves no exit code: the output decides then.
  bool exited() {
    int status = 0;
    const pid_t found = ::waitpid(child_, &status, WNOHANG);
    if (found == 0 || (found < 0 && errno == EINTR)) return false;
    if (found == child_) {
      exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
      signal_ = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    return true;
  }

  Error end() {
    output_.close();
    const pid_t receiver = spec_.inherit_stdin ? child_ : -child_;
    ::kill(receiver, SIGTERM);
    const auto deadline = SteadyClock::now() + kPatienceAfterTerm;
    bool killed = false;
    while (!exited()) {
      if (!killed && SteadyClock::now() >= deadline) {
        ::kill(receiver, SIGKILL);
        killed = true;
      }
      (void)::poll(nullptr, 0, 2);
    }
    // Children that it has left behind.
    if (receiver != child_) ::kill(receiver, SIGKILL);
    return *why_;
  }

  const pid_t child_;
  Descriptor output_;
  const ProcessSpec& spec_;
  std::string text_;
  int exit_code_ = 0;
  int signal_ = 0;
  std::optional<Error> why_;
};

bool is_executable_file(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

Result<ProcessOutput> run_process(const ProcessSpec& spec, std::stop_token stop) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return system_error("pipe", errno);
  Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  ::fcntl(output.get(), F_SETFL, O_NONBLOCK);
  const Descriptor stopped(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (stopped.get() < 0) return system_error("eventfd", errno);
  const std::stop_callback notify(stop, [&stopped] {
    const std::uint64_t one = 1;
    (void)!::write(stopped.get(), &one, sizeof one);
  });
  if (stop.stop_requested()) return Error(ErrorCode::Cancelled, "the run was cancelled");
  const SpawnPlan plan(input.get(), spec.inherit_stdin);
  const Result<pid_t> child = plan.spawn(spec);
  if (!child) return child.error();
  input.close();
  return RunningProcess(*child, std::move(output), spec).finish(stopped);
}

std::string find_executable(const std::string& command, std::string_view path) {
  if (command.find('/') != std::string::npos) return is_executable_file(command) ? command : "";
  while (!command.empty() && !path.empty()) {
    const std::size_t end = path.find(':');
    const std::string_view folder = path.substr(0, end);
    // An empty folder is the current one, which Go refuses to search, too.
    std::string file = std::string(folder) + "/" + command;
    if (folder.starts_with('/') && is_executable_file(file)) return file;
    path = end == std::string_view::npos ? std::string_view() : path.substr(end + 1);
  }
  return "";
}

}  // namespace kube::rest
