// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/validation.hpp>

#include <algorithm>
#include <initializer_list>

#include "text.hpp"

namespace kube::meta {

namespace {

constexpr std::size_t max_label = 63;
constexpr std::size_t max_subdomain = 253;

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower_alnum(char c) {
  return is_lower(c) || is_digit(c);
}
bool is_alnum(char c) {
  return is_lower_alnum(c) || (c >= 'A' && c <= 'Z');
}
bool is_label_char(char c) {
  return is_alnum(c) || c == '-' || c == '_' || c == '.';
}

template <class Pred>
bool all_of(std::string_view text, Pred pred) {
  return std::all_of(text.begin(), text.end(), pred);
}

bool matches_dns1123_label(std::string_view text) {
  return !text.empty() && is_lower_alnum(text.front()) && is_lower_alnum(text.back()) &&
         all_of(text, [](char c) { return is_lower_alnum(c) || c == '-'; });
}

bool matches_dns1123_subdomain(std::string_view text) {
  const std::vector<std::string_view> labels = detail::split(text, '.');
  return std::all_of(labels.begin(), labels.end(), matches_dns1123_label);
}

bool matches_label_name(std::string_view text) {
  return !text.empty() && is_alnum(text.front()) && is_alnum(text.back()) &&
         all_of(text, is_label_char);
}

std::string too_long(std::size_t max, std::string_view unit) {
  return "must be no more than " + std::to_string(max) + ' ' + std::string(unit);
}

std::string malformed(std::string_view rule, std::string_view pattern,
                      std::initializer_list<std::string_view> examples) {
  std::string out(rule);
  out += " (e.g. ";
  const char* before = "";
  for (const std::string_view example : examples) {
    out += before;
    out += '\'';
    out += example;
    out += "', ";
    before = " or ";
  }
  out += "regex used for validation is '";
  out += pattern;
  out += "')";
  return out;
}

std::string malformed_label_name() {
  return malformed(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character",
      "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", {"MyName", "my.name", "123-abc"});
}

Problems subdomain_problems(std::string_view text, std::string_view unit) {
  Problems problems;
  if (text.size() > max_subdomain) problems.push_back(too_long(max_subdomain, unit));
  if (!matches_dns1123_subdomain(text)) {
    problems.push_back(malformed(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must start and end with an alphanumeric character",
        "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", {"example.com"}));
  }
  return problems;
}

}  // namespace

Problems validate_dns1123_label(std::string_view text) {
  Problems problems;
  if (text.size() > max_label) problems.push_back(too_long(max_label, "characters"));
  if (!matches_dns1123_label(text)) {
    if (matches_dns1123_subdomain(text)) {
      problems.emplace_back("must not contain dots");
    } else {
      problems.push_back(malformed(
          "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
          "and must start and end with an alphanumeric character",
          "[a-z0-9]([-a-z0-9]*[a-z0-9])?", {"my-name", "123-abc"}));
    }
  }
  return problems;
}

Problems validate_dns1123_subdomain(std::string_view text) {
  return subdomain_problems(text, "characters");
}

Problems validate_dns1035_label(std::string_view text) {
  Problems problems;
  if (text.size() > max_label) problems.push_back(too_long(max_label, "characters"));
  if (!matches_dns1123_label(text) || !is_lower(text.front())) {
    problems.push_back(malformed(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character",
        "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  }
  return problems;
}

Problems validate_qualified_name(std::string_view text) {
  Problems problems;
  const std::vector<std::string_view> parts = detail::split(text, '/');
  if (parts.size() > 2) {
    problems.push_back(
        "a valid label key " + malformed_label_name() +
        " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
    return problems;
  }
  if (parts.size() == 2) {
    if (parts[0].empty()) {
      problems.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& problem : subdomain_problems(parts[0], "bytes")) {
        problems.push_back("prefix part " + problem);
      }
    }
  }
  const std::string_view name = parts.back();
  if (name.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (name.size() > max_label) {
    problems.push_back("name part " + too_long(max_label, "bytes"));
  }
  if (!matches_label_name(name)) problems.push_back("name part " + malformed_label_name());
  return problems;
}

Problems validate_label_value(std::string_view text) {
  Problems problems;
  if (text.size() > max_label) problems.push_back(too_long(max_label, "bytes"));
  if (!text.empty() && !matches_label_name(text)) {
    problems.push_back(malformed(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character",
        "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", {"MyValue", "my_value", "12345"}));
  }
  return problems;
}

Problems validate_path_segment_name(std::string_view text) {
  if (text == "." || text == "..") return {"may not be '" + std::string(text) + '\''};
  return validate_path_segment_prefix(text);
}

Problems validate_path_segment_prefix(std::string_view text) {
  Problems problems;
  for (const char c : {'/', '%'}) {
    if (text.find(c) != std::string_view::npos) {
      problems.push_back(std::string("may not contain '") + c + '\'');
    }
  }
  return problems;
}

Problems validate_config_map_key(std::string_view text) {
  Problems problems;
  if (text.size() > max_subdomain) problems.push_back(too_long(max_subdomain, "characters"));
  if (text.empty() || !all_of(text, is_label_char)) {
    problems.push_back(
        malformed("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                  "[-._a-zA-Z0-9]+", {"key.name", "KEY_NAME", "key-name"}));
  }
  if (text == "." || text == "..") {
    problems.push_back("must not be '" + std::string(text) + '\'');
  } else if (text.starts_with("..")) {
    problems.emplace_back("must not start with '..'");
  }
  return problems;
}

Problems validate_port_name(std::string_view text) {
  Problems problems;
  if (text.size() > 15) problems.push_back(too_long(15, "characters"));
  if (text.empty() || !all_of(text, [](char c) { return is_lower_alnum(c) || c == '-'; })) {
    problems.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(text.begin(), text.end(), is_lower)) {
    problems.emplace_back("must contain at least one letter (a-z)");
  }
  if (text.find("--") != std::string_view::npos) {
    problems.emplace_back("must not contain consecutive hyphens");
  }
  if (text.starts_with('-') || text.ends_with('-')) {
    problems.emplace_back("must not begin or end with a hyphen");
  }
  return problems;
}

Problems validate_name(NameRule rule, std::string_view name, bool prefix) {
  if (rule == NameRule::PathSegment) {
    return prefix ? validate_path_segment_prefix(name) : validate_path_segment_name(name);
  }
  std::string masked(name);
  // What is appended makes the dash an inner character.
  if (prefix && masked.size() > 1 && masked.back() == '-') masked.back() = 'a';
  switch (rule) {
    case NameRule::DnsLabel:
      return validate_dns1123_label(masked);
    case NameRule::Dns1035Label:
      return validate_dns1035_label(masked);
    case NameRule::DnsSubdomain:
    case NameRule::PathSegment:
      break;
  }
  return validate_dns1123_subdomain(masked);
}

std::string random_name_suffix(std::size_t length, const RandomSource& random) {
  constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string out;
  out.reserve(length);
  for (std::size_t i = 0; i < length; ++i) {
    const auto pick = static_cast<std::size_t>(random() * static_cast<double>(alphabet.size()));
    out.push_back(alphabet[std::min(pick, alphabet.size() - 1)]);
  }
  return out;
}

std::string generate_name(std::string_view base, const RandomSource& random) {
  constexpr std::size_t suffix = 5;
  return std::string(base.substr(0, max_label - suffix)) + random_name_suffix(suffix, random);
}

}  // namespace kube::meta
