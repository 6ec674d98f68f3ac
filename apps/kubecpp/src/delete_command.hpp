// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp delete`: deletes objects by name, by file or by selector.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "command.hpp"
#include "flags.hpp"
#include "output.hpp"
#include "selection.hpp"

namespace kubecpp {

struct DeleteCommandOptions {
  ConnectionOptions connection{};
  Selection selection{};
  std::string raw{};                       ///< Instead of a selection: a path of the server.
  std::optional<bool> ignore_not_found{};  ///< Unset: true with a selector or --all.
  bool names_only = false;                 ///< -o name
  std::string cascade = "background";      ///< Or "foreground" or "orphan".
  std::int64_t grace_period = -1;          ///< In seconds; negative: that of the object.
  bool interactive = false;                ///< Asks before it deletes.
  bool now = false;                        ///< A grace period of one second.
  bool force = false;                      ///< Allows a grace period of 0.
  bool wait = true;                        ///< Returns when the objects are gone.
  kube::Duration timeout{};                ///< Of the wait; zero: a week.
  std::string dry_run = "none";            ///< See parse_dry_run().
};

/// Deletes objects and waits until they and their finalizers are gone; returns the exit status. It
/// continues after an object that fails, and does not wait then.
int run_delete(const DeleteCommandOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_delete(CLI::App& command);

}  // namespace kubecpp
