// SPDX-License-Identifier: Apache-2.0
//
// Formats of strings in schemas.
#pragma once

#include <string_view>

namespace kube::meta {

/// Whether a text has a format of CRD schemas ("date-time" without its hyphen: "datetime"); nothing
/// for a format that isn't known.
using FormatCheck = bool (*)(std::string_view text);
FormatCheck find_format(std::string_view name);

}  // namespace kube::meta
