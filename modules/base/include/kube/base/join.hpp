// SPDX-License-Identifier: Apache-2.0
//
// Lists as text, for messages and cells.
#pragma once

#include <string>
#include <string_view>

namespace kube {

/// The texts of a container, with the separator between each two; "" for none. Empty texts count:
/// two of them are the separator alone.
template <class Texts>
std::string join(const Texts& texts, std::string_view separator) {
  std::string out;
  bool is_first = true;
  for (const auto& text : texts) {
    if (!is_first) out += separator;
    is_first = false;
    out += text;
  }
  return out;
}

}  // namespace kube
