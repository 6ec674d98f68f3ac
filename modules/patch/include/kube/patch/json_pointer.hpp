// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// RFC 6901: the path of a value in a JSON document.
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

/// Reads a pointer; "" is the whole document. Fails with InvalidArgument for a text that does not
/// start with "/" or has a "~" that does not precede 0 or 1.
Result<Pointer> parse_pointer(std::string_view text);

/// Reads a pointer as evanphx/json-patch does: what is before the first "/" is ignored, a text
/// without one is the whole document, and a "~" that does not precede 0 or 1 stands for itself.
Pointer parse_loose_pointer(std::string_view text);

/// Reads an index of an array with `size` elements; a negative one counts from the end, as in
/// evanphx/json-patch. Returns nullopt for text that is not a decimal and for an index outside.
std::optional<std::size_t> parse_index(std::string_view token, std::size_t size);

/// Returns the value that one token leads to from another; null if it does not exist.
json::Value* step(json::Value& value, std::string_view token);
/// Returns the value at the first `length` tokens; null if it does not exist.
json::Value* resolve(json::Value& document, const Pointer& pointer, std::size_t length);

}  // namespace kube::meta::detail
