// SPDX-License-Identifier: Apache-2.0
//
// Environment variables as a dependency, so that code that reads them can be tested.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kube::rest {

/// Returns the value of a variable; std::nullopt when it is not set. Called on the caller's thread.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// Returns the variables of the process. Must not be called while another thread changes them.
Environment process_environment();

}  // namespace kube::rest
