// SPDX-License-Identifier: Apache-2.0
//
// A certificate, key or CA in a file that goes away with the test.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace kube::transport {

class TlsFile {
 public:
  TlsFile(const std::string& name, std::string_view contents)
      : path_(::testing::TempDir() + "kube-tls-" + std::to_string(::getpid()) + "-" + name) {
    write(contents);
  }
  ~TlsFile() { std::filesystem::remove(path_); }
  TlsFile(const TlsFile&) = delete;
  TlsFile& operator=(const TlsFile&) = delete;
  void write(std::string_view contents) const {
    std::ofstream(path_, std::ios::binary) << contents;
  }
  /// As the kubelet and careful writers do: readers see the old file or the new one.
  void replace(std::string_view contents) const {
    std::ofstream(path_ + ".new", std::ios::binary) << contents;
    std::filesystem::rename(path_ + ".new", path_);
  }
  void remove() const { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace kube::transport
