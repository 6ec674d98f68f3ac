// SPDX-License-Identifier: Apache-2.0
//
// The content of a RawExtension. Pure functions: any thread may call them.
#pragma once

#include <cstdint>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/names/raw_extension.hpp>

namespace kube::meta {

enum class RawContent : std::uint8_t { Unknown, Json, Cbor };

/// Guesses the content from the first bytes, as client-go does: CBOR starts with its self-described
/// tag (d9 d9 f7), JSON with white space or the first character of a value.
RawContent guess_content(std::string_view raw);

/// Returns the value of a RawExtension for a dynamic object; null when unset.
/// @par Errors   Decode for invalid JSON, for CBOR, and for other content: `cannot convert
///   RawExtension with unrecognized content type to unstructured`.
Result<json::Value> to_value(const RawExtension& extension);

}  // namespace kube::meta
