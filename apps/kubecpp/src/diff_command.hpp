// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp diff`: what applying the objects of files would change.
#pragma once

#include <cstddef>

#include "apply_flags.hpp"
#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

/// The exit status of a diff that failed, for wrong flags too: 1 means that there are differences.
constexpr int kDiffFailed = 2;

struct DiffCommandOptions {
  ConnectionOptions connection{};
  ApplyFlags apply{};
  bool show_secrets = false;    ///< Does not mask the values of Secrets.
  std::size_t concurrency = 1;  ///< Objects that are compared at the same time.
};

/// Asks the server what each object would be, without changing it, and runs `diff -u -N`, or the
/// program of KUBECTL_EXTERNAL_DIFF, on two folders. Returns 0 without differences, 1 with some,
/// and kDiffFailed when an object or the program failed.
int run_diff(const DiffCommandOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_diff(CLI::App& command);

}  // namespace kubecpp
