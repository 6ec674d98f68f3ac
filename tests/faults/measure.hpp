// SPDX-License-Identifier: Apache-2.0
//
// Runs a scenario: a server in this process, the client in another, and what both counted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenario.hpp"

namespace faults {

/// What was measured between the client's start and the server's mending, unless said otherwise.
struct Outcome {
  double seconds = 0;
  std::size_t requests = 0;
  std::size_t most_requests = 0;  ///< In any second.
  std::size_t connections = 0;
  std::size_t most_connections = 0;
  std::int64_t reports = 0;  ///< Calls of the watch error handler.
  std::int64_t log_lines = 0;
  double requests_per_second = 0;  ///< Without the first second, as the next two.
  double cpu_percent = 0;
  double bytes_per_second = 0;
  double peak_mib = 0;   ///< Of the whole run.
  double final_mib = 0;  ///< After recovery.
  std::optional<std::chrono::milliseconds> recovered{};
  std::string state{};
  std::string said{};  ///< What the user reads: the status, the report or the log.
  std::vector<std::string> view{};
  std::vector<std::string> broken{};  ///< Bounds that were not kept, as sentences.
};

struct Run {
  std::string program;               ///< This one: it is its own client.
  std::chrono::seconds time{4};      ///< Of misbehaviour, at least, after the first second.
  std::optional<double> idle_mib{};  ///< Resident, of a client without faults.
};

Outcome measure(const Scenario& scenario, const Run& run);

}  // namespace faults
