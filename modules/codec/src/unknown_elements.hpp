// SPDX-License-Identifier: Apache-2.0
//
// Identifies the elements of a list, for their unknown fields.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace kube::meta {

/// Names the elements of one list, in their order.
class ElementNames {
 public:
  /// Returns the name of the n-th element with a merge key; a missing key is the zero value.
  std::string by_key(std::string key) {
    if (key == "0") key.clear();
    const std::size_t nth = seen_[key]++;
    return nth == 0 ? key : key + '#' + std::to_string(nth);
  }
  static std::string by_place(std::size_t index) { return std::to_string(index); }

 private:
  std::map<std::string, std::size_t> seen_;
};

}  // namespace kube::meta
