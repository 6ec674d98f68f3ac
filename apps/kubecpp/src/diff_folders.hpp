// SPDX-License-Identifier: Apache-2.0
//
// The temporary folders that a program of differences compares.
#pragma once

#include <csignal>
#include <string>
#include <string_view>
#include <utility>

#include <kube/base/result.hpp>

namespace kubecpp {

/// A folder that only its user can read; the destructor removes it with its files.
class DiffFolder {
 public:
  /// Makes `<prefix>-XXXXXX` in $TMPDIR, or /tmp.
  /// @par Errors   Config, naming the path.
  static kube::Result<DiffFolder> make(const std::string& prefix);

  DiffFolder(DiffFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  DiffFolder& operator=(DiffFolder&&) = delete;
  ~DiffFolder();

  const std::string& path() const& { return path_; }

  /// Writes a file that only its user can read; replaces one of the same name.
  /// @par Errors   Config, naming the path; also for a name that is not one of a file.
  kube::Result<void> write(const std::string& name, std::string_view text) const;

 private:
  explicit DiffFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

/// While it lives, a terminal that is closed does not end the program, which would leave folders
/// behind: writing fails then, and the program ends.
class IgnoreHangUp {
 public:
  IgnoreHangUp();
  ~IgnoreHangUp();
  IgnoreHangUp(const IgnoreHangUp&) = delete;
  IgnoreHangUp& operator=(const IgnoreHangUp&) = delete;

 private:
  struct sigaction before_ {};
};

}  // namespace kubecpp
