// SPDX-License-Identifier: Apache-2.0
//
// The rules of DNS for names that become host names or parts of URLs, with the complaints that API
// servers have about others.
//
// Each check answers with its complaints, none when the text is valid: first that it is too long,
// then that its form is wrong. Pure functions, safe from any thread; one pass over the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kube {

inline constexpr std::size_t kMaxDnsLabel = 63;
inline constexpr std::size_t kMaxDnsSubdomain = 253;

/// "web-0": at most 63 of [a-z0-9-], alphanumeric at both ends.
std::vector<std::string> dns1123_label_problems(std::string_view text);
/// As a DNS-1123 label, but starting with a letter.
std::vector<std::string> dns1035_label_problems(std::string_view text);
/// "a.example.com": labels of any length, dots between, at most 253. `unit` is what the length is
/// told in.
std::vector<std::string> dns1123_subdomain_problems(std::string_view text,
                                                    std::string_view unit = "characters");

/// "must be no more than 63 characters".
std::string too_long_problem(std::size_t most, std::string_view unit = "characters");

}  // namespace kube
