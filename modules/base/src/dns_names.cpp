// SPDX-License-Identifier: Apache-2.0
#include <kube/base/dns_names.hpp>

#include <algorithm>

#include <kube/base/ascii.hpp>

namespace kube {
namespace {

bool is_inner(char c) {
  return ascii::is_lower(c) || ascii::is_digit(c) || c == '-';
}

bool has_label_form(std::string_view text) {
  return !text.empty() && text.front() != '-' && text.back() != '-' &&
         std::ranges::all_of(text, is_inner);
}

bool has_subdomain_form(std::string_view text) {
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!has_label_form(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

std::vector<std::string> dns1123_label_problems(std::string_view text) {
  std::vector<std::string> problems;
  if (text.size() > kMaxDnsLabel) problems.push_back(too_long_problem(kMaxDnsLabel));
  if (has_label_form(text)) return problems;
  if (has_subdomain_form(text)) {
    problems.emplace_back("must not contain dots");
  } else {
    problems.emplace_back(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
        "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex "
        "used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')");
  }
  return problems;
}

std::vector<std::string> dns1035_label_problems(std::string_view text) {
  std::vector<std::string> problems;
  if (text.size() > kMaxDnsLabel) problems.push_back(too_long_problem(kMaxDnsLabel));
  if (!has_label_form(text) || !ascii::is_lower(text.front())) {
    problems.emplace_back(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "
        "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')");
  }
  return problems;
}

std::vector<std::string> dns1123_subdomain_problems(std::string_view text, std::string_view unit) {
  std::vector<std::string> problems;
  if (text.size() > kMaxDnsSubdomain) {
    problems.push_back(too_long_problem(kMaxDnsSubdomain, unit));
  }
  if (!has_subdomain_form(text)) {
    problems.emplace_back(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex "
        "used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')");
  }
  return problems;
}

std::string too_long_problem(std::size_t max, std::string_view unit) {
  return "must be no more than " + std::to_string(max) + ' ' + std::string(unit);
}

}  // namespace kube
