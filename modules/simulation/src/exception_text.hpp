// SPDX-License-Identifier: Apache-2.0
//
// What a rule says of an exception.
#pragma once

#include <exception>
#include <string>

namespace kube::testing {

/// Returns what the exception that is being handled says.
/// @pre Called in a handler.
inline std::string text_of_exception() {
  try {
    throw;
  } catch (const std::exception& thrown) {
    return thrown.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace kube::testing
