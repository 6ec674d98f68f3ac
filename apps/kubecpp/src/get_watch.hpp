// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp get --watch`: prints the objects and then each change, as kubectl does.
#pragma once

#include <stop_token>

#include "cluster.hpp"
#include "get_command.hpp"
#include "output_format.hpp"
#include "targets.hpp"

namespace kubecpp {

/// Prints changes until the server ends the watch, the time of --request-timeout has passed since
/// its request, or SIGINT or SIGTERM comes; returns the exit status.
int watch_target(const GetCommandOptions& options, const OutputFormat& format,
                 const Cluster& cluster, const ResolvedTarget& target, Output& out,
                 const std::stop_token& stop);

}  // namespace kubecpp
