// SPDX-License-Identifier: Apache-2.0
#include "validation/formats.hpp"

#include <algorithm>
#include <charconv>

#include <kube/base/ascii.hpp>
#include <kube/base/dns_names.hpp>
#include <kube/base/join.hpp>
#include <kube/names/go_text.hpp>

namespace kube::apiserver::formats {
namespace {

template <class Pred>
bool consists_of(std::string_view text, const Pred& pred) {
  return !text.empty() && std::ranges::all_of(text, pred);
}

bool is_path_char(char c) {
  return ascii::is_alnum(c) ||
         std::string_view("/-._~%!$&'()*+,;=:").find(c) != std::string_view::npos;
}

bool is_search_label(std::string_view label) {
  if (!label.empty() && label.front() == '_') label.remove_prefix(1);
  const auto is_edge = [](char c) { return ascii::is_lower(c) || ascii::is_digit(c); };
  return !label.empty() && is_edge(label.front()) && is_edge(label.back()) &&
         std::ranges::all_of(label, [&](char c) { return is_edge(c) || c == '-' || c == '_'; });
}

void append_problems(Problems& to, Problems more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

std::string pattern_problem(std::string_view rule, std::string_view pattern,
                            std::initializer_list<std::string_view> examples) {
  std::string out(rule);
  out += " (";
  std::string_view before = "e.g. ";
  for (const std::string_view example : examples) {
    out.append(before).append("'").append(example).append("', ");
    before = " or ";
  }
  return out.append("regex used for validation is '").append(pattern).append("')");
}

Problems env_name(std::string_view text) {
  if (text.empty()) return {"environment variable name must be non-empty"};
  if (std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~' && c != '='; })) return {};
  return {
      "a valid environment variable name must consist only of printable ASCII characters other "
      "than '='"};
}

Problems http_header_name(std::string_view text) {
  if (consists_of(text, [](char c) { return ascii::is_alnum(c) || c == '-'; })) return {};
  return {pattern_problem("a valid HTTP header must consist of alphanumeric characters or '-'",
                          "[-A-Za-z0-9]+", {"X-Header-Name"})};
}

Problems wildcard_subdomain(std::string_view text) {
  Problems problems;
  if (text.size() > kMaxDnsSubdomain) problems.push_back(too_long_problem(kMaxDnsSubdomain));
  if (!text.starts_with("*.") ||
      !dns1123_subdomain_problems(text.substr(2, kMaxDnsSubdomain)).empty()) {
    problems.push_back(pattern_problem(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, "
        "which must consist of lower case alphanumeric characters, '-' or '.' and end with an "
        "alphanumeric character",
        R"(\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)",
        {"*.example.com"}));
  }
  return problems;
}

Problems host_or_wildcard(std::string_view text) {
  return text.find('*') == std::string_view::npos ? dns1123_subdomain_problems(text)
                                                  : wildcard_subdomain(text);
}

Problems percent(std::string_view text) {
  if (text.ends_with('%') && consists_of(text.substr(0, text.size() - 1), ascii::is_digit))
    return {};
  return {
      pattern_problem("a valid percent string must be a numeric string followed by an ending '%'",
                      "[0-9]+%", {"1%", "93%"})};
}

Problems caseless_qualified_name(std::string_view text) {
  return meta::validate_qualified_name(ascii::to_lower(text));
}

Problems caseless_subdomain(std::string_view text) {
  return dns1123_subdomain_problems(ascii::to_lower(text));
}

Problems search_domain(std::string_view text) {
  if (text == ".") return {};
  if (text.ends_with('.')) text.remove_suffix(1);
  Problems problems;
  if (text.size() > kMaxDnsSubdomain) problems.push_back(too_long_problem(kMaxDnsSubdomain));
  if (!std::ranges::all_of(go::split(text, '.'), is_search_label)) {
    problems.push_back(pattern_problem(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', "
        "'-' or '.', and must start and end with an alphanumeric character",
        R"(_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*)",
        {"example.com"}));
  }
  return problems;
}

Problems url_path(std::string_view text) {
  if (std::ranges::all_of(text, is_path_char)) return {};
  return {R"(Invalid path (regex used for validation is '[A-Za-z0-9/\-._~%!$&'()*+,;=:]+'))"};
}

Problems fully_qualified_name(std::string_view text) {
  const Problems problems = dns1123_subdomain_problems(text);
  if (!problems.empty()) return {join(problems, ",")};
  if (std::ranges::count(text, '.') >= 2) return {};
  return {"should be a domain with at least three segments separated by dots"};
}

bool is_int32(std::string_view text) {
  std::int32_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end;
}

Problems path_without_backsteps(std::string_view text) {
  const auto parts = go::split(text, '/');
  if (std::ranges::find(parts, "..") == parts.end()) return {};
  return {"must not contain '..'"};
}

Problems descending_path(std::string_view text) {
  Problems problems;
  if (text.starts_with('/')) problems.emplace_back("must be a relative path");
  append_problems(problems, path_without_backsteps(text));
  return problems;
}

Problems local_path(std::string_view text) {
  Problems problems = descending_path(text);
  if (text.starts_with("..") && !text.starts_with("../"))
    problems.emplace_back("must not start with '..'");
  return problems;
}

Problems port_number(std::int64_t port) {
  if (port >= 1 && port <= 65535) return {};
  return {"must be between 1 and 65535, inclusive"};
}

}  // namespace kube::apiserver::formats
