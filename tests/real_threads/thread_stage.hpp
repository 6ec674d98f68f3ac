// SPDX-License-Identifier: Apache-2.0
//
// The stage on which the scenarios of the simulation run with real threads and sockets: the client,
// a proxy that injects one fault, and the embedded API server.
#pragma once

#include <cstdint>

#include "fault.hpp"
#include "stage.hpp"

namespace real_threads {

/// What a run did.
struct Tally {
  std::uint64_t injected = 0;  ///< How often the fault happened.
  std::uint64_t requests = 0;
};

/// `pace`: how many times as fast as real time runs. `tally` is written in the end.
/// @pre Fault and tally outlive the run.
kube::testing::StageMaker thread_stage(const Fault& fault, int pace, Tally& tally);

}  // namespace real_threads
