// SPDX-License-Identifier: Apache-2.0
//
// Paths of fields that a kind does not have.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace kube::apiserver {

/// The first paths of those that are found: as many as a strict reader of the reference server
/// reports, which is 100, and texts of no more than a MiB.
class UnknownPaths {
 public:
  void add(const std::string& path) {
    if (is_full()) return;
    bytes_ += path.size();
    paths_.push_back(path);
  }
  bool is_full() const { return paths_.size() >= kMax || bytes_ > kMaxBytes; }
  std::vector<std::string> take() && { return std::move(paths_); }

 private:
  static constexpr std::size_t kMax = 100;
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;

  std::vector<std::string> paths_;
  std::size_t bytes_ = 0;
};

}  // namespace kube::apiserver
