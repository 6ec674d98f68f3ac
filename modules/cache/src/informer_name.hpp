// SPDX-License-Identifier: Apache-2.0
//
// What logs and the states of a factory call an informer.
#pragma once

#include <string>
#include <string_view>

#include <kube/names/group_version.hpp>

namespace kube::cache {

/// "pods", "deployments.apps in web", "pods with labels app=web".
inline std::string informer_name(const meta::ResourceInfo& resource, std::string_view namespace_,
                                 std::string_view label_selector, std::string_view field_selector) {
  std::string text = resource.group_resource().to_string();
  if (!namespace_.empty()) text.append(" in ").append(namespace_);
  if (!label_selector.empty()) text.append(" with labels ").append(label_selector);
  if (!field_selector.empty()) text.append(" with fields ").append(field_selector);
  return text;
}

}  // namespace kube::cache
