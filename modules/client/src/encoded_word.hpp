// SPDX-License-Identifier: Apache-2.0
//
// RFC 2047: text of other charsets in a header, "=?iso-8859-1?q?caf=E9?=".
#pragma once

#include <string>
#include <string_view>

namespace kube::rest {

/// Decodes encoded words in UTF-8, ISO-8859-1 and US-ASCII; leaves other and malformed ones
/// unchanged. White space between two encoded words is removed.
std::string decode_encoded_words(std::string_view text);

}  // namespace kube::rest
