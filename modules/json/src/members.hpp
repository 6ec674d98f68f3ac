// SPDX-License-Identifier: Apache-2.0
//
// What the readers of JSON and YAML share about the members of objects.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/json/value.hpp>

namespace kube::json {

/// A key that came before in the same object.
struct RepeatedKey {
  std::size_t index;  ///< The position of the member in the input.
  std::string key;
};

/// Keeps the last value of members with one name, in the position of the first. Returns the
/// earliest repetition, if there is one. Takes n log n for n members at most.
std::optional<RepeatedKey> drop_repeated_keys(std::vector<Object::Member>& members);

/// json::parse, with errors that count from `base_offset`.
Result<Value> parse_at(std::string_view text, const ParseOptions& options, std::size_t base_offset);

}  // namespace kube::json
