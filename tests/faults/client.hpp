// SPDX-License-Identifier: Apache-2.0
//
// The client under test, as it runs in a process of its own.
#pragma once

#include <string>

namespace faults {

/// Reads commands from standard input until it ends:
///   start       begins to work
///   figures N   prints one line of JSON, then "end N"
///   stop        stops the work and ends the program
/// `setup`: JSON, as ClientProcess writes it.
int run_client(const std::string& setup);

}  // namespace faults
