// SPDX-License-Identifier: Apache-2.0
#include "input_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <kube/base/file.hpp>

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

kube::Result<std::string> read_input(const std::string& path, const std::stop_token& stop) {
  if (path != "-") return kube::read_file(path, kube::kMaxFileBytes, stop);
  return kube::read_file(STDIN_FILENO, input_name(path), kube::kMaxFileBytes, stop);
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
