// SPDX-License-Identifier: Apache-2.0
//
// Formats of strings in schemas.
#pragma once

#include <string_view>

namespace kube::meta {

/// Returns the check of a format of CRD schemas ("date-time" is named without its hyphen:
/// "datetime"); null for an unknown format.
using FormatCheck = bool (*)(std::string_view text);
FormatCheck find_format(std::string_view name);

}  // namespace kube::meta
