// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Joins texts, for messages and cells of tables.
#pragma once

#include <string>
#include <string_view>

namespace kube {

/// Returns the texts of a container, separated by the separator; "" for an empty container. Two
/// empty texts give the separator alone. Any thread may call it.
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
