// SPDX-License-Identifier: Apache-2.0
#include "isolated_run.hpp"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaddset is POSIX
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "black_box.hpp"
#include "shrink.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KUBE_SIMULATION_SANITIZED
#endif
#if defined(__SANITIZE_ADDRESS__)
#define KUBE_SIMULATION_FINDS_LEAKS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KUBE_SIMULATION_SANITIZED
#endif
#if __has_feature(address_sanitizer)
#define KUBE_SIMULATION_FINDS_LEAKS
#endif
#endif

#ifdef KUBE_SIMULATION_FINDS_LEAKS
#include <sanitizer/lsan_interface.h>
#endif

namespace kube::testing {
namespace {

#ifdef KUBE_SIMULATION_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr const char* kLeaks = "LeakSanitizer has found memory that nothing refers to";
constexpr const char* kTooLong = "the run takes more than ";

// What the child sends: a letter, the length of a text, and the text.
enum class Message : char { Happened = 'h', Rule = 'r', What = 'w', Line = 'l', Ended = 'e' };

class PipeBox final : public BlackBox {
 public:
  explicit PipeBox(int pipe) : pipe_(pipe) {}
  void happened(std::uint32_t number) override { send(Message::Happened, std::to_string(number)); }
  void broken(const BrokenRule& rule) override {
    send(Message::Rule, rule.rule);
    send(Message::What, rule.what);
  }
  void line(const std::string& text) override { send(Message::Line, text); }

  void send(Message kind, std::string_view text) const {
    const auto size = static_cast<std::uint32_t>(text.size());
    std::string bytes(1, static_cast<char>(kind));
    bytes.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(text);
    std::size_t at = 0;
    while (at < bytes.size()) {
      const ssize_t written = ::write(pipe_, bytes.data() + at, bytes.size() - at);
      if (written < 0 && errno != EINTR) return;
      if (written > 0) at += static_cast<std::size_t>(written);
    }
  }

 private:
  const int pipe_;
};

std::string read_to_end(int pipe) {
  std::string out;
  char bytes[4096];
  for (;;) {
    const ssize_t got = ::read(pipe, bytes, sizeof(bytes));
    if (got > 0) out.append(bytes, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return out;
  }
}

// The last message may be cut off.
IsolatedReport read_report(std::string_view bytes) {
  IsolatedReport out;
  out.crashed = true;
  std::uint32_t size = 0;
  constexpr std::size_t kHead = 1 + sizeof(size);
  while (bytes.size() >= kHead) {
    std::memcpy(&size, bytes.data() + 1, sizeof(size));
    if (bytes.size() - kHead < size) break;
    const std::string text(bytes.substr(kHead, size));
    switch (static_cast<Message>(bytes.front())) {
      case Message::Happened:
        out.happened.push_back(static_cast<std::uint32_t>(std::stoul(text)));
        break;
      case Message::Rule:
        out.broken = BrokenRule{text, {}};
        break;
      case Message::What:
        if (out.broken) out.broken->what = text;
        break;
      case Message::Line:
        out.trace += text;
        break;
      case Message::Ended:
        out.crashed = false;
        out.steps = std::stoul(text);
    }
    bytes.remove_prefix(kHead + size);
  }
  return out;
}

[[noreturn]] void run_child(const SimulationOptions& options, const Scenario& scenario,
                            std::chrono::seconds limit, int pipe) {
  if (!options.trace) {
    if (const int nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0) {
      ::dup2(nowhere, STDERR_FILENO);
    }
  }
  PipeBox box(pipe);
  BlackBox::set_of_process(&box);
  limit_run(limit);
  const SimulationReport report = simulate(options, scenario);
  limit_run({});
  if (!report.broken && leaks_memory()) box.broken({"nothing leaks", kLeaks});
  box.send(Message::Ended, std::to_string(report.steps));
  _exit(0);
}

}  // namespace

std::string describe_end(int wait_status) {
  if (!WIFSIGNALED(wait_status)) {
    return "exit status " + std::to_string(WEXITSTATUS(wait_status));
  }
  const int signal = WTERMSIG(wait_status);
  return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

std::chrono::seconds default_run_limit() {
  return std::chrono::seconds(kSanitized ? 600 : 60);
}

void limit_run(std::chrono::seconds limit) {
  // A scenario's own program may have blocked or caught it.
  ::signal(SIGALRM, SIG_DFL);
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarms, nullptr);
  ::alarm(static_cast<unsigned>(limit.count()));
}

BrokenRule rule_of_end(int wait_status, std::chrono::seconds limit,
                       const std::optional<BrokenRule>& rule) {
  const bool too_long = WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGALRM;
  const std::string end = too_long ? std::string(kTooLong) + std::to_string(limit.count()) +
                                         " s; does it block outside of the library?"
                                   : describe_end(wait_status);
  if (rule) return {rule->rule, rule->what + "; then " + end};
  return {too_long ? "all goes on" : kCrash, end};
}

bool took_too_long(const BrokenRule& broken) {
  return broken.what.find(kTooLong) != std::string::npos;
}

bool leaks_memory() {
#ifdef KUBE_SIMULATION_FINDS_LEAKS
  return __lsan_do_recoverable_leak_check() != 0;
#else
  return false;
#endif
}

IsolatedReport run_isolated(const SimulationOptions& options, const Scenario& scenario,
                            std::chrono::seconds limit) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    ::close(ends[0]);
    run_child(options, scenario, limit, ends[1]);
  }
  ::close(ends[1]);
  const std::string bytes = child < 0 ? std::string() : read_to_end(ends[0]);
  ::close(ends[0]);
  if (child < 0) return {};
  int status = 0;
  waitpid(child, &status, 0);
  IsolatedReport out = read_report(bytes);
  if (!out.crashed) return out;
  const bool was_broken = out.broken.has_value();
  BrokenRule end = rule_of_end(status, limit, std::nullopt);
  if (!was_broken) out.trace += "BROKEN: " + end.rule + ": " + end.what + "\n";
  if (!was_broken) out.broken = std::move(end);
  out.trace += "CRASH: " + describe_end(status) + "\n";
  return out;
}

SimulationOptions shrink_isolated(const SimulationOptions& failing, const Scenario& scenario,
                                  std::chrono::seconds limit, std::size_t max_runs) {
  const auto run = [&scenario, limit](const SimulationOptions& options) {
    IsolatedReport report = run_isolated(options, scenario, limit);
    RunOutcome out;
    if (report.broken) out.rule = std::move(report.broken->rule);
    out.happened = std::move(report.happened);
    return out;
  };
  return shrink_by(failing, run, max_runs);
}

}  // namespace kube::testing
