// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

namespace scenarios {

/// A file of a real server, which reads it again when it changes, within a minute. Restored at the
/// end.
class ServerFile {
 public:
  explicit ServerFile(std::string path) : path_(std::move(path)) {
    std::ifstream file(path_, std::ios::binary);
    before_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  ~ServerFile() { replace(before_); }
  ServerFile(const ServerFile&) = delete;
  ServerFile& operator=(const ServerFile&) = delete;
  const std::string& before() const { return before_; }
  void replace(const std::string& content) const {
    std::ofstream(path_ + ".new", std::ios::binary) << content;
    std::filesystem::permissions(
        path_ + ".new", std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    std::filesystem::rename(path_ + ".new", path_);
  }

 private:
  std::string path_;
  std::string before_;
};

}  // namespace scenarios
