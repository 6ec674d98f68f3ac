// SPDX-License-Identifier: Apache-2.0
//
// A text into a string that mostly is empty.
#pragma once

#include <string>
#include <string_view>

namespace kube::meta::detail {

/// out = text for a string that mostly is empty: what fits is put in its place, a longer text gets
/// a block of its size. (assign() would round that up to twice the room that every string has.)
inline void set_text(std::string_view text, std::string& out) {
  if (text.size() <= out.capacity()) {
    out.clear();
    out.append(text);
  } else {
    out = std::string(text);
  }
}

}  // namespace kube::meta::detail
