// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Standard base64 with padding, the form of bytes in JSON.
//
// Any thread may call these functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kube::json {

/// Appends the base64 form of `bytes`.
void write_base64(std::string_view bytes, std::string& out);

/// Returns the bytes of base64 text; skips line breaks, as Go's decoder does. Returns std::nullopt
/// when the text is malformed or lacks its padding.
std::optional<std::string> read_base64(std::string_view text);

}  // namespace kube::json
