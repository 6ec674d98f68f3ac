// SPDX-License-Identifier: Apache-2.0
//
// One row at its three sizes, and what they say together.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "measured_server.hpp"
#include "row.hpp"

namespace bounds {

inline constexpr std::array<std::size_t, 3> kFactors = {1, 10, 100};

struct Measurement {
  std::size_t sent = 0;  ///< Bytes that the server took.
  int status = 0;        ///< Of the first answer.
  Usage usage{};

  double ns_per_byte() const;
  double bytes_per_byte() const;
};

using Sizes = std::array<Measurement, kFactors.size()>;

/// Sends the row's input, in each size to a new server. The smallest is sent to each once before,
/// for what is made on first use; it is measured several times, and the least CPU time counts.
/// @throws std::runtime_error when there is no answer, or the server dies.
Sizes measure(const Row& row);

/// Returns what is wrong with a row that was measured once or several times, as sentences. The
/// least of the attempts counts at each size: what else runs on a machine only adds.
std::vector<std::string> judge(const Row& row, const std::vector<Sizes>& attempts);

}  // namespace bounds
