// SPDX-License-Identifier: Apache-2.0
//
// Formats of texts in specs, in the words of the reference server. Pure functions.
#pragma once

#include <string_view>

#include <kube/names/validation.hpp>

namespace kube::apiserver::formats {

using meta::Problems;

/// The name of an environment variable: printable ASCII without "=".
Problems env_name(std::string_view text);
Problems http_header_name(std::string_view text);
/// "*.example.com"
Problems wildcard_subdomain(std::string_view text);
/// A host of an Ingress, with or without a wildcard.
Problems host_or_wildcard(std::string_view text);
/// "25%"
Problems percent(std::string_view text);
/// A qualified name in any case.
Problems caseless_qualified_name(std::string_view text);
/// A DNS subdomain in any case.
Problems caseless_subdomain(std::string_view text);
/// A search domain of DNS, whose labels may contain underscores.
Problems search_domain(std::string_view text);
/// A path of a URL that is not empty.
Problems url_path(std::string_view text);
/// At least three labels of DNS.
Problems fully_qualified_name(std::string_view text);
/// A decimal of 32 bits.
bool is_int32(std::string_view text);

/// Not "..", in any part.
Problems path_without_backsteps(std::string_view text);
/// The same, and relative.
Problems descending_path(std::string_view text);
/// The same, and not beginning with "..".
Problems local_path(std::string_view text);

/// The range of ports.
Problems port_number(std::int64_t port);

/// "a lowercase ... (e.g. 'a',  or 'b', regex used for validation is 'x')"
std::string pattern_problem(std::string_view rule, std::string_view pattern,
                            std::initializer_list<std::string_view> examples);

}  // namespace kube::apiserver::formats
