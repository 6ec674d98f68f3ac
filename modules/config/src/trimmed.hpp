// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace kube::rest {

/// Without white space at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace kube::rest
