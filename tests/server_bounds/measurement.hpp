// SPDX-License-Identifier: Apache-2.0
//
// One row at one size, and what its three sizes say together.
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

/// Sends the row's input of `size` to a new server. The smallest is sent once before, for what is
/// made on first use; small ones are measured several times, and the mean counts.
/// @throws std::runtime_error when there is no answer, or the server dies.
Measurement measure(const Row& row, std::size_t factor);

/// Sends an exchange to a server, and measures it.
/// @throws std::runtime_error when there is no answer, or the server dies.
Measurement send(MeasuredServer& server, const Exchange& exchange);

/// What is wrong with them; empty: nothing. From the smallest input to the largest, a byte may
/// become 3 times as expensive, which leaves room for what a server of a test machine does beside.
/// On a machine that is slower (Yardstick), all may take so many times the row's CPU time.
std::vector<std::string> judge(const Row& row,
                               const std::array<Measurement, kFactors.size()>& measured,
                               double slowness);

}  // namespace bounds
