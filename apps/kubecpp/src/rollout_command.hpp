// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp rollout`: the rollouts of deployments, daemon sets and stateful sets.
#pragma once

#include <cstdint>
#include <string>

#include "command.hpp"
#include "output.hpp"
#include "result_printer.hpp"
#include "selection.hpp"

namespace kubecpp {

struct RolloutStatusOptions {
  ConnectionOptions connection{};
  Selection selection{};
  bool watch = true;          ///< Until the rollout is done.
  std::int64_t revision = 0;  ///< See rollout_state().
  kube::Duration timeout{};   ///< Of each object; zero means none.
};

/// Prints how far the rollouts are, one after the other; returns the exit status.
int run_rollout_status(RolloutStatusOptions options, Output& out);

struct RolloutRestartOptions {
  ConnectionOptions connection{};
  Selection selection{};
  std::string field_manager = "kubectl-rollout";
  ResultOutput output = ResultOutput::Words;
  bool managed_fields = false;
};

/// Notes the time in the pod templates, so that controllers replace the pods; returns the exit
/// status. It continues after an object that fails; errors are reported at the end.
int run_rollout_restart(RolloutRestartOptions options, Output& out);

/// Adds the commands of the group, and their flags.
Runner add_rollout(CLI::App& command);

}  // namespace kubecpp
