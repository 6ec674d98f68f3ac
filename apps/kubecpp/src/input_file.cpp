// SPDX-License-Identifier: Apache-2.0
#include "input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include <kube/base/ascii.hpp>
#include <kube/base/file.hpp>

namespace kubecpp {
namespace {

constexpr std::size_t kMaxLineBytes = 4096;  // an answer has one letter

kube::Error failed(const std::string& name, int reason) {
  return kube::Error(kube::ErrorCode::Config,
                     name + ": " + std::generic_category().message(reason));
}

}  // namespace

std::string input_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

kube::Result<std::string> read_input(const std::string& path, const std::stop_token& stop) {
  if (path != "-") return kube::read_file(path, kube::kMaxFileBytes, stop);
  return kube::read_file(STDIN_FILENO, input_name(path), kube::kMaxFileBytes, stop);
}

kube::Result<std::string> read_input_line(const std::stop_token& stop) {
  const int wake = ::eventfd(0, EFD_CLOEXEC);
  if (wake < 0) return failed(input_name("-"), errno);
  std::string line;
  int reason = 0;
  {
    const std::stop_callback on_stop(stop, [wake] {
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto written = ::write(wake, &one, sizeof one);
    });
    for (char next = 0; next != '\n' && !stop.stop_requested();) {
      std::array<pollfd, 2> files{{{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                   {.fd = wake, .events = POLLIN, .revents = 0}}};
      if (::poll(files.data(), files.size(), -1) < 0 || files[0].revents == 0) continue;
      const ssize_t count = ::read(STDIN_FILENO, &next, 1);
      if (count == 0) break;
      if (count < 0 && errno != EINTR) {
        reason = errno;
        break;
      }
      if (count > 0 && next != '\n' && line.size() < kMaxLineBytes) line += next;
    }
  }
  ::close(wake);
  if (stop.stop_requested())
    return kube::Error(kube::ErrorCode::Cancelled, "reading standard input was stopped");
  if (reason != 0) return failed(input_name("-"), reason);
  return std::string(kube::ascii::trim_blanks(line));
}

kube::Result<void> write_output_file(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return failed(path, errno);
  int reason = 0;
  while (reason == 0 && !text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      reason = errno;
    }
  }
  if (::close(file) != 0 && reason == 0) reason = errno;
  if (reason != 0) return failed(path, reason);
  return {};
}

}  // namespace kubecpp
