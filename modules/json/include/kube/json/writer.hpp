// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Appends JSON tokens to a string, with the escapes and number forms of Go's encoder.
//
// Any thread may call these functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kube::json {

/// Appends `text` quoted and escaped. Invalid UTF-8 becomes U+FFFD.
void write_string(std::string_view text, std::string& out);
void write_int(std::int64_t value, std::string& out);
void write_uint(std::uint64_t value, std::string& out);
/// Appends the shortest form that reads back as the same number, with Go's exponents; null for
/// infinity and NaN.
void write_double(double value, std::string& out);
/// Appends the text of one JSON value without white space between its tokens and with the escapes
/// of write_string(), as Go's encoder embeds raw JSON. The text must be JSON: it is not checked.
void write_compact(std::string_view json, std::string& out);

}  // namespace kube::json
