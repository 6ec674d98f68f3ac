// SPDX-License-Identifier: Apache-2.0
//
// Checks the syntax of names, label keys and label values as every API server does, and makes the
// names for generateName.
//
// Each check returns its problems in apimachinery's words, none when the text is valid; FieldError
// (field_error.hpp) adds the path of the field. Pure functions: any thread may call them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/backoff.hpp>

namespace kube::meta {

/// The reasons why a text is not valid; empty when it is.
using Problems = std::vector<std::string>;

/// "web-0": at most 63 of [a-z0-9-], alphanumeric at both ends.
Problems validate_dns1123_label(std::string_view text);
/// "a.example.com": labels as above, dots between, at most 253.
Problems validate_dns1123_subdomain(std::string_view text);
/// As a DNS-1123 label, but starting with a letter.
Problems validate_dns1035_label(std::string_view text);
/// "app" or "example.com/app": a label key, an annotation key (in lower case), a finalizer, a
/// condition type.
Problems validate_qualified_name(std::string_view text);
/// "" or at most 63 of [A-Za-z0-9_.-], alphanumeric at both ends.
Problems validate_label_value(std::string_view text);
/// A segment of a URL path: not "." or "..", no "/" and no "%". An empty text passes.
inline bool is_path_segment_name(std::string_view text) noexcept {
  return text != "." && text != ".." && text.find('/') == std::string_view::npos &&
         text.find('%') == std::string_view::npos;
}
Problems validate_path_segment_name(std::string_view text);
/// The same for the beginning of a segment.
Problems validate_path_segment_prefix(std::string_view text);
/// A key of a ConfigMap's or Secret's data.
Problems validate_config_map_key(std::string_view text);
/// The name of a container or service port given as text.
Problems validate_port_name(std::string_view text);

/// The rule that a kind has for metadata.name.
enum class NameRule {
  DnsSubdomain,  ///< Most kinds.
  DnsLabel,      ///< Namespaces and kinds whose name becomes a host name.
  Dns1035Label,  ///< Services of older servers.
  PathSegment,   ///< RBAC kinds, Events of the core group.
};

/// Checks a name, or with `prefix` a generateName, which may end in a dash.
Problems validate_name(NameRule rule, std::string_view name, bool prefix = false);

/// Returns `length` characters of the alphabet that generated names end with (no vowels, no
/// look-alikes).
std::string random_name_suffix(std::size_t length, const RandomSource& random);

/// Returns the name that a server makes from generateName: its first 58 bytes and five random
/// characters.
std::string generate_name(std::string_view base, const RandomSource& random);

}  // namespace kube::meta
