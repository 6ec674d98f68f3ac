// SPDX-License-Identifier: Apache-2.0
//
// RFC 2047: text of other charsets in a header, "=?iso-8859-1?q?caf=E9?=".
#pragma once

#include <string>
#include <string_view>

namespace kube::rest {

/// Decodes encoded words of UTF-8, ISO-8859-1 and US-ASCII; others, and malformed ones, stay as
/// they are. White space between two encoded words goes away.
std::string decode_encoded_words(std::string_view text);

}  // namespace kube::rest
