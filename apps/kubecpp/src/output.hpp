// SPDX-License-Identifier: Apache-2.0
//
// Standard output, whose errors count: a full disk must not pass for success, and a reader that has
// left ends the program.
#pragma once

#include <unistd.h>

#include <mutex>
#include <string_view>

namespace kubecpp {

/// Writes at once, without a buffer.
///
/// @par Thread safety   All functions may be called from any thread.
class Output {
 public:
  explicit Output(int file = STDOUT_FILENO) : file_(file) {}

  /// All of the text. False when it could not be written, and for every call after that.
  bool write(std::string_view text);
  /// Nothing has failed so far.
  bool good() const;
  /// Whether a pipe or socket has nobody at the other end any more; asked without writing.
  bool reader_left() const;
  /// Whether people look at it directly.
  bool is_terminal() const;

  /// What the program ends with: 1 after a failed write, which it reports on standard error. A
  /// reader that has left is no failure.
  int exit_status(int status) const;

 private:
  const int file_;
  mutable std::mutex mutex_;
  int error_ = 0;  // errno of the write that failed
};

}  // namespace kubecpp
