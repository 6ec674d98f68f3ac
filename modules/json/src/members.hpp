// SPDX-License-Identifier: Apache-2.0
//
// The handling of objects' members that the readers of JSON and YAML share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/json/value.hpp>

namespace kube::json {

/// A key that an earlier member of the same object has.
struct RepeatedKey {
  std::size_t index;  ///< The position of the member in the input.
  std::string key;
};

/// Keeps the last value of members with the same name, at the position of the first. Returns the
/// earliest repetition, if any. Takes at most n log n for n members.
std::optional<RepeatedKey> drop_repeated_keys(std::vector<Object::Member>& members);

/// json::parse, with errors whose offsets count from `base_offset`.
Result<Value> parse_at(std::string_view text, const ParseOptions& options, std::size_t base_offset);

}  // namespace kube::json
