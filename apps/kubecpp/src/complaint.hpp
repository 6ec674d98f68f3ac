// SPDX-License-Identifier: Apache-2.0
//
// What the program says on standard error.
#pragma once

#include <string_view>

#include <kube/base/printable.hpp>

namespace kubecpp {

/// For every name and message that comes from a server, a file or the command line.
using kube::printable;

/// "kubecpp: <text>" as one line of standard error.
void complain(std::string_view text);

}  // namespace kubecpp
