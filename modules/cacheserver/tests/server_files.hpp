// SPDX-License-Identifier: Apache-2.0
//
// The files of a server: certificates, keys, tokens.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "certificate_files.hpp"

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

using serving::test::write_certificate;

}  // namespace kube::cacheserver::test
