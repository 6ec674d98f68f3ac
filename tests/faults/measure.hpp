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

/// What was measured between the first second and the server's mending, unless said otherwise.
struct Outcome {
  double requests_per_second = 0;
  std::size_t most_requests = 0;  ///< In any second, the first one included.
  double connections_per_second = 0;
  std::size_t most_connections = 0;
  double reports_per_second = 0;  ///< Calls of the watch error handler.
  double log_lines_per_second = 0;
  double cpu_percent = 0;
  double cpu_allowed = 0;
  double bytes_per_second = 0;
  double peak_mib = 0;   ///< Of the whole run.
  double final_mib = 0;  ///< After recovery.
  std::int64_t threads = 0;
  std::int64_t files = 0;
  double calls_per_second = 0;
  std::int64_t longest_call_ms = 0;  ///< Of the whole misbehaviour.
  std::optional<std::chrono::milliseconds> recovered{};
  std::string state{};
  std::string said{};  ///< What the user reads: the status, the report or the log.
  std::vector<std::string> view{};
  std::vector<std::string> broken{};  ///< Bounds that were not kept, as sentences.
};

struct Run {
  std::string program;           ///< This one: it is its own client.
  std::chrono::seconds time{4};  ///< Of misbehaviour, after the first second.
  double idle_mib = 0;           ///< Resident, of a client without faults.
};

Outcome measure(const Scenario& scenario, const Run& run);

}  // namespace faults
