// SPDX-License-Identifier: Apache-2.0
#include "remote_streams.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

#include <kube/base/worker_thread.hpp>

#include "command.hpp"
#include "error_output.hpp"
#include "terminal.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::remotecommand::Session;

// Sends standard input, and the size of the terminal when it changes, until it is destroyed.
class InputPump {
 public:
  InputPump(Session& session, const InputPlan& plan, bool redraw)
      : session_(session),
        plan_(plan),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        windows_(plan.terminal ? wake_ : -1) {
    if (wake_ < 0) {
      throw std::system_error(errno, std::generic_category(), "cannot read standard input");
    }
    if (plan.terminal) send_size(redraw);
    if (plan.pass) thread_ = kube::WorkerThread("kubecpp-stdin", [this] { pump(); });
  }
  ~InputPump() {
    ended_.request_stop();
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(wake_, &one, sizeof one);
    thread_.join();
    ::close(wake_);
  }
  InputPump(const InputPump&) = delete;
  InputPump& operator=(const InputPump&) = delete;

 private:
  // A session that has ended has no use for it.
  void send_size(bool redraw) {
    const auto size = terminal_size();
    if (!size) return;
    if (redraw) {
      auto larger = *size;
      ++larger.width;
      ++larger.height;
      (void)session_.resize(larger);
    }
    (void)session_.resize(*size);
  }

  void pump() {
    std::array<pollfd, 2> files{{{.fd = wake_, .events = POLLIN, .revents = 0},
                                 {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0}}};
    while (!ended_.stop_requested()) {
      if (::poll(files.data(), files.size(), -1) < 0) {
        if (errno == EINTR) continue;
        return;
      }
      if (files[0].revents != 0) {
        std::uint64_t count = 0;
        [[maybe_unused]] const auto got = ::read(wake_, &count, sizeof count);
        if (ended_.stop_requested()) return;
        send_size(false);
      }
      // The size of the terminal is still passed on after the end of the input.
      if (files[1].revents != 0 && !pass_input()) files[1].fd = -1;
    }
  }

  // Returns false at the end of the input, and when nobody takes more of it.
  bool pass_input() {
    const ssize_t count = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (count <= 0) {
      (void)session_.close_input();  // an old server can't, and then the command reads on
      return false;
    }
    return session_
        .write(std::string_view(buffer_.data(), static_cast<std::size_t>(count)),
               ended_.get_token())
        .has_value();
  }

  Session& session_;
  const InputPlan plan_;
  const int wake_;
  const WindowChanges windows_;
  std::stop_source ended_;
  std::array<char, 32 * 1024> buffer_;
  kube::WorkerThread thread_;
};

}  // namespace

InputPlan plan_input(bool stdin_wanted, bool tty_wanted, bool quiet) {
  if (!stdin_wanted || !tty_wanted) return {.pass = stdin_wanted};
  if (input_is_terminal()) return {.pass = true, .terminal = true};
  if (!quiet) {
    print_note("Unable to use a TTY - input is not a terminal or the right kind of file");
  }
  return {.pass = true};
}

Result<int> run_streams(Session& session, const InputPlan& plan, bool redraw, Output& out,
                        const std::stop_token& stop) {
  std::optional<RawTerminal> raw;
  if (plan.terminal) raw.emplace();
  // At once: a second signal ends the program without destructors.
  const std::stop_callback restore(stop, [] { RawTerminal::restore(); });
  const InputPump pump(session, plan, redraw);
  Output err(STDERR_FILENO);
  const auto to = [&session](Output& output) {
    return [&session, &output](std::string_view bytes) -> Result<void> {
      if (output.write(bytes)) return {};
      session.stop();
      return Error(ErrorCode::Cancelled, "nobody reads the output");
    };
  };
  auto exit_code =
      kube::remotecommand::copy_output(session, {.out = to(out), .err = to(err)}, stop);
  if (!exit_code && !stop.stop_requested() && (!out.good() || !err.good())) return 0;
  return exit_code;
}

int report_session(const Result<int>& exit_code, const Output& out) {
  if (!exit_code) {
    // The stream says it, not an answer of the API.
    return report(exit_code.error().code() == ErrorCode::Server
                      ? Error(ErrorCode::Config, exit_code.error().message())
                      : exit_code.error());
  }
  if (*exit_code != 0) print_note(kube::remotecommand::exit_code_text(*exit_code));
  return out.exit_status(*exit_code);
}

}  // namespace kubecpp
