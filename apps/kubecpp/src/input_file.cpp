// SPDX-License-Identifier: Apache-2.0
#include "input_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace kubecpp {
namespace {

kube::Error failed(const std::string& name, int reason) {
  return kube::Error(kube::ErrorCode::Config,
                     name + ": " + std::generic_category().message(reason));
}

}  // namespace

std::string input_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

kube::Result<std::string> read_input(const std::string& path) {
  const int file = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed(path, errno);
  std::string text;
  std::array<char, 65536> buffer{};
  int reason = 0;
  for (;;) {
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      reason = count == 0 ? 0 : errno;
      break;
    }
  }
  if (file != STDIN_FILENO) ::close(file);
  if (reason != 0) return failed(input_name(path), reason);
  return text;
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
