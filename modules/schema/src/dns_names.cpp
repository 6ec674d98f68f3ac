// SPDX-License-Identifier: Apache-2.0
#include "dns_names.hpp"

#include <algorithm>
#include <string>

namespace kube::schema {
namespace {

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_letter_or_digit(char c) {
  return is_letter(c) || (c >= '0' && c <= '9');
}

// Letters, digits and hyphens, the latter inside only.
bool is_part(std::string_view text) {
  return !text.empty() && is_letter_or_digit(text.front()) && is_letter_or_digit(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  for (std::size_t at = 0;;) {
    const std::size_t dot = text.find('.', at);
    if (!is_part(text.substr(at, dot == std::string_view::npos ? dot : dot - at))) return false;
    if (dot == std::string_view::npos) return true;
    at = dot + 1;
  }
}

void check_length(const Node& node, std::string_view key, const std::string& name,
                  std::size_t most) {
  if (name.size() > most)
    node.fail(key, "Invalid value: \"" + name + "\": must be no more than " + std::to_string(most) +
                       " characters");
}

}  // namespace

void check_label(const Node& node, std::string_view key) {
  const std::string name = node.text(key);
  if (!is_part(name) || !is_letter(name.front()))
    node.fail(key, "Invalid value: \"" + name +
                       "\": a DNS-1035 label must consist of lower case alphanumeric characters "
                       "or '-', start with an alphabetic character, and end with an alphanumeric "
                       "character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
                       "'[a-z]([-a-z0-9]*[a-z0-9])?')");
  check_length(node, key, name, 63);
}

void check_subdomain(const Node& node, std::string_view key) {
  const std::string name = node.text(key);
  if (!is_subdomain(name))
    node.fail(key, "Invalid value: \"" + name +
                       "\": a lowercase RFC 1123 subdomain must consist of lower case "
                       "alphanumeric characters, '-' or '.', and must start and end with an "
                       "alphanumeric character (e.g. 'example.com', regex used for validation is "
                       "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  check_length(node, key, name, 253);
}

}  // namespace kube::schema
