// SPDX-License-Identifier: Apache-2.0
//
// Assigns a text to a string that is mostly empty.
#pragma once

#include <string>
#include <string_view>

namespace kube::meta::detail {

/// Sets out = text for a string that is mostly empty: a text that does not fit gets a block of
/// exactly its size. (assign() would round that up to twice the capacity that every string has.)
inline void set_text(std::string_view text, std::string& out) {
  if (text.size() <= out.capacity()) {
    out.clear();
    out.append(text);
  } else {
    out = std::string(text);
  }
}

}  // namespace kube::meta::detail
