// SPDX-License-Identifier: Apache-2.0
//
// Small files, whole.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::rest {

/// Config when it can't be read, in the words of the operating system: "open F: permission denied".
Result<std::string> read_file(const std::filesystem::path& path);

/// Without white space at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace kube::rest
