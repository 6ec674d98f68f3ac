// SPDX-License-Identifier: Apache-2.0
//
// Messages on standard error.
#pragma once

#include <string_view>

#include <kube/base/printable.hpp>

namespace kubecpp {

/// Must be used for each name and message that a server, a file or the command line supplies.
using kube::printable;

/// Prints "kubecpp: <text>" as one line on standard error.
void print_error(std::string_view text);

}  // namespace kubecpp
