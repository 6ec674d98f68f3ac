// SPDX-License-Identifier: Apache-2.0
//
// The flags of apply and diff: what is applied, and how.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <kube/base/result.hpp>

namespace kubecpp {

struct ApplyFlags {
  std::vector<std::string> files{};
  bool recursive = false;  ///< Also the folders in those of `files`.
  std::string namespace_{};
  std::string label_selector{};
  bool server_side = false;      ///< The server computes the change.
  bool force_conflicts = false;  ///< With server_side: takes over the fields of other managers.
  std::string field_manager{};   ///< Empty: kubectl's; see manager_of().
  bool show_managed_fields = false;
};

/// Adds the flags of all members.
void add_apply_flags(CLI::App& command, ApplyFlags& flags);

/// Checks that there are files, and that the flags go together.
/// @par Errors   InvalidArgument, in kubectl's words.
kube::Result<void> check_files(const ApplyFlags& flags);
kube::Result<void> check_conflicts(const ApplyFlags& flags);

/// Returns the manager that the server records. Without --field-manager these are kubectl's, so
/// that an object can be applied by either program.
std::string manager_of(const ApplyFlags& flags);

/// Adds --validate, whose word parse_validation() reads.
void add_validation(CLI::App& command, std::string& word);
/// Returns what requests contain: "Strict", "Warn" or "Ignore".
/// @par Errors   InvalidArgument, in kubectl's words.
kube::Result<std::string> parse_validation(const std::string& word);

}  // namespace kubecpp
