// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Percent-encoding of URLs (RFC 3986): "%2F" for "/". Which bytes stay as they are depends on the
// part of the URL, so callers name them. All functions are pure: any thread may call them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kube {

/// Appends "%2F" for '/'.
void append_percent_escape(char c, std::string& out);

/// Returns the text with an escape for each byte that `stays(byte)` is false for.
template <class Stays>
std::string percent_encoded(std::string_view text, const Stays& stays) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (stays(c)) {
      out.push_back(c);
    } else {
      append_percent_escape(c, out);
    }
  }
  return out;
}

/// Whether "+" means a space: it does in queries and forms, not in paths.
enum class Plus { Stays, IsSpace };

/// Returns the text without escapes; nothing when a '%' is not followed by two hexadecimal digits.
std::optional<std::string> percent_decoded(std::string_view text, Plus plus = Plus::Stays);

}  // namespace kube
