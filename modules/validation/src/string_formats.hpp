// SPDX-License-Identifier: Apache-2.0
//
// Formats of strings in schemas that need more than a regular expression, as go-openapi's strfmt
// and the Go packages that it uses (net, net/url, net/mail, time) read them.
#pragma once

#include <string_view>

namespace kube::meta::detail {

/// net.ParseIP as Kubernetes uses it for stored objects: numbers may begin with zeros. Accepts an
/// IPv6 address that ends with an IPv4 one.
bool is_ipv4(std::string_view text);
/// net.ParseIP, without a zone.
bool is_ipv6(std::string_view text);
bool is_cidr(std::string_view text);
/// Accepts labels of letters, digits, symbols and hyphens; the last one has letters only. Every
/// character outside of ASCII counts as a letter.
bool is_hostname(std::string_view text);
/// url.ParseRequestURI: an absolute path, or a text with a scheme.
bool is_uri(std::string_view text);

/// One address in the forms of net/mail: "a@b.c", "Name <a@b.c>", "group: a@b.c;".
bool is_email(std::string_view text);

bool is_date(std::string_view text);
/// RFC 3339 without leap seconds, and with any character before a fraction.
bool is_date_time(std::string_view text);
/// time.ParseDuration, or Scala's "3 weeks": a number and a unit anywhere in the text.
bool is_duration(std::string_view text);

}  // namespace kube::meta::detail
