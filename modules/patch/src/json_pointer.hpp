// SPDX-License-Identifier: Apache-2.0
//
// RFC 6901: the way to a value in a JSON document.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube::meta::detail {

using Pointer = std::vector<std::string>;

/// "" is the whole document; InvalidArgument for a text that does not start with "/" or has a "~"
/// without 0 or 1 behind it.
Result<Pointer> parse_pointer(std::string_view text);

/// The place in an array of `size` elements; below zero it counts from the end, as
/// evanphx/json-patch has it. nullopt for what is no decimal and for a place outside.
std::optional<std::size_t> parse_index(std::string_view token, std::size_t size);

/// The value that the first `length` tokens lead to; null when there is none.
json::Value* resolve(json::Value& document, const Pointer& pointer, std::size_t length);

}  // namespace kube::meta::detail
