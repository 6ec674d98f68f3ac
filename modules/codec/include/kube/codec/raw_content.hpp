// SPDX-License-Identifier: Apache-2.0
//
// What the bytes of a RawExtension are.
#pragma once

#include <cstdint>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/names/raw_extension.hpp>

namespace kube::meta {

enum class RawContent : std::uint8_t { Unknown, Json, Cbor };

/// A guess from the first bytes, client-go's: CBOR starts with its self-described tag (d9 d9 f7),
/// JSON with white space or as a value may.
RawContent guess_content(std::string_view raw);

/// The value of a RawExtension for a dynamic object; null when unset.
/// @par Errors   Decode: not JSON after all; `cannot convert RawExtension with unrecognized content
///   type to unstructured`. CBOR is recognised and refused.
Result<json::Value> to_value(const RawExtension& extension);

}  // namespace kube::meta
