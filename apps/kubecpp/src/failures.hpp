// SPDX-License-Identifier: Apache-2.0
//
// The errors of a command that works on several objects and goes on after one that fails.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <kube/base/result.hpp>

namespace kubecpp {

/// Collects errors and prints them at the end, as kubectl does: a single one in its own form,
/// several of them as a line each.
class Failures {
 public:
  /// `doing` precedes the message: `error when creating "pods.yaml"`.
  void add(kube::Error error, std::string doing = {}) {
    all_.emplace_back(std::move(error), std::move(doing));
  }
  bool empty() const { return all_.empty(); }

  /// Prints them on standard error. Returns the exit status: 0 without any, `failed`, or 130 after
  /// an interruption.
  int report(int failed = 1) const;

 private:
  std::vector<std::pair<kube::Error, std::string>> all_{};
};

}  // namespace kubecpp
