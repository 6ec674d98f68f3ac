// SPDX-License-Identifier: Apache-2.0
//
// Makes the errors of is_no_match().
#pragma once

#include <string>

#include <kube/base/error.hpp>

namespace kube {

Error no_match(std::string message);

}  // namespace kube
