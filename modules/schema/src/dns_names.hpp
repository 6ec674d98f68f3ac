// SPDX-License-Identifier: Apache-2.0
//
// What the API server demands of names that become parts of URLs, in its words.
#pragma once

#include <string_view>

#include "node.hpp"

namespace kube::schema {

/// The member `key` of `node` must be a DNS-1035 label, as versions and plurals must.
void check_label(const Node& node, std::string_view key);

/// Likewise a DNS-1123 subdomain, as groups must.
void check_subdomain(const Node& node, std::string_view key);

}  // namespace kube::schema
