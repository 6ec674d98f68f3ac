// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// The rules of DNS for names that become host names or parts of URLs, with the messages of API
// servers for names that break them.
//
// Each check returns the problems of a text, first its length, then its form; none when the text is
// valid. All are pure functions that any thread may call; each makes one pass over the text.
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
/// Like a DNS-1123 label, but the first character is a letter.
std::vector<std::string> dns1035_label_problems(std::string_view text);
/// "a.example.com": labels of any length separated by dots, at most 253 characters. `unit` is the
/// unit named in the message.
std::vector<std::string> dns1123_subdomain_problems(std::string_view text,
                                                    std::string_view unit = "characters");

/// "must be no more than 63 characters".
std::string too_long_problem(std::size_t max, std::string_view unit = "characters");

}  // namespace kube
