// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include <poll.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "error_output.hpp"

namespace kubecpp {

bool Output::write(std::string_view text) {
  const kube::MutexLock lock(mutex_);
  while (error_ == 0 && !text.empty()) {
    const ssize_t written = ::write(file_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd room{.fd = file_, .events = POLLOUT, .revents = 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  return error_ == 0;
}

bool Output::good() const {
  const kube::MutexLock lock(mutex_);
  return error_ == 0;
}

bool Output::reader_left() const {
  pollfd end{.fd = file_, .events = 0, .revents = 0};
  return ::poll(&end, 1, 0) == 1 && (end.revents & (POLLERR | POLLHUP)) != 0;
}

bool Output::is_terminal() const {
  return ::isatty(file_) == 1;
}

int Output::exit_status(int status) const {
  const kube::MutexLock lock(mutex_);
  if (error_ == 0 || error_ == EPIPE) return status;
  print_error("standard output: " + std::generic_category().message(error_));
  return 1;
}

}  // namespace kubecpp
