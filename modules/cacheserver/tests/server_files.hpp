// SPDX-License-Identifier: Apache-2.0
//
// The files of a server: certificates, keys, tokens.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace kube::cacheserver::test {

class Folder {
 public:
  Folder() {
    std::string name = "/tmp/cacheserver-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(*this / name) << text;
    return *this / name;
  }

 private:
  std::string path_;
};

/// Writes a self-signed certificate of 127.0.0.1 and its key, new ones each time.
void write_certificate(const std::string& certificate_file, const std::string& key_file);

}  // namespace kube::cacheserver::test
