// SPDX-License-Identifier: Apache-2.0
//
// Environment variables as a dependency, so that what reads them can be tested.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kube::rest {

/// The value of a variable; nothing when it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// The process's own. Not to be called while another thread changes the environment.
Environment process_environment();

}  // namespace kube::rest
