// SPDX-License-Identifier: Apache-2.0
//
// Standard output with error handling: a full disk is a failure, and a reader that has closed its
// end ends the program.
#pragma once

#include <unistd.h>

#include <string_view>

#include <kube/base/mutex.hpp>

namespace kubecpp {

/// Writes at once, without a buffer.
///
/// @par Thread safety   All functions may be called from any thread.
class Output {
 public:
  explicit Output(int file = STDOUT_FILENO) : file_(file) {}

  /// Writes all of the text. Returns false when it fails, and for every call after that.
  bool write(std::string_view text);
  /// Returns true until a write has failed.
  bool good() const;
  /// Returns whether the reader of a pipe or socket has closed its end; writes nothing.
  bool reader_left() const;
  /// Returns whether it is a terminal.
  bool is_terminal() const;

  /// Returns the exit status of the program: `status`, or 1 after a failed write, which it reports
  /// on standard error. A reader that has closed its end is not a failure.
  int exit_status(int status) const;

 private:
  const int file_;
  mutable kube::Mutex mutex_;
  int error_ KUBE_GUARDED_BY(mutex_) = 0;  // errno of the write that failed
};

}  // namespace kubecpp
