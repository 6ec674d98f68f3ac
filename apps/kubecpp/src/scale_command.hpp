// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp scale`: sets the number of replicas of objects that have a scale.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "command.hpp"
#include "output.hpp"
#include "result_printer.hpp"
#include "selection.hpp"

namespace kubecpp {

struct ScaleCommandOptions {
  ConnectionOptions connection{};
  Selection selection{};
  std::optional<std::int64_t> replicas{};  ///< Required.
  std::int64_t current_replicas = -1;      ///< What they must be; -1: any number.
  std::string resource_version{};          ///< What the scale must have; empty: any.
  kube::Duration timeout{};                ///< To wait for the replicas; zero does not wait.
  std::string dry_run{};                   ///< See parse_dry_run().
  ResultOutput output = ResultOutput::Words;
  bool managed_fields = false;
};

/// Scales one object after the other, to the first that fails; returns the exit status.
int run_scale(const ScaleCommandOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_scale(CLI::App& command);

}  // namespace kubecpp
