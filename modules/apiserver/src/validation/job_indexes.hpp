// SPDX-License-Identifier: Apache-2.0
//
// The indexes of an indexed job, as text: "1,3-5,7". Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kube::apiserver {

/// The indexes that a text has, and what is wrong with it first.
struct IndexSet {
  std::int64_t count = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>>
      intervals{};  ///< With their ends; those that can be read.
  std::string problem{};
};

/// Reads indexes below `completions`, in their order.
IndexSet read_indexes(std::string_view text, std::int64_t completions);

}  // namespace kube::apiserver
