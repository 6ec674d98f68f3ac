// SPDX-License-Identifier: Apache-2.0
#include <kube/names/resource_version.hpp>

#include <algorithm>

#include <kube/base/ascii.hpp>

namespace kube::meta {

bool is_well_formed_resource_version(std::string_view text) {
  return !text.empty() && text.front() != '0' && std::ranges::all_of(text, ascii::is_digit);
}

Result<void> check_resource_version(std::string_view text) {
  if (is_well_formed_resource_version(text)) return {};
  return Error(ErrorCode::InvalidArgument,
               "resource version is not well formed: " + std::string(text));
}

std::optional<std::strong_ordering> compare_resource_versions(std::string_view a,
                                                              std::string_view b) {
  if (!is_well_formed_resource_version(a) || !is_well_formed_resource_version(b)) {
    return std::nullopt;
  }
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a <=> b;
}

}  // namespace kube::meta
