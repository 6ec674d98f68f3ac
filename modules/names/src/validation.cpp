// SPDX-License-Identifier: Apache-2.0
#include <kube/names/validation.hpp>

#include <algorithm>
#include <initializer_list>

#include <kube/base/ascii.hpp>
#include <kube/base/dns_names.hpp>
#include <kube/names/go_text.hpp>

namespace kube::meta {

namespace {

bool is_label_char(char c) {
  return ascii::is_alnum(c) || c == '-' || c == '_' || c == '.';
}

template <class Pred>
bool all_of(std::string_view text, Pred pred) {
  return std::all_of(text.begin(), text.end(), pred);
}

bool matches_label_name(std::string_view text) {
  return !text.empty() && ascii::is_alnum(text.front()) && ascii::is_alnum(text.back()) &&
         all_of(text, is_label_char);
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

}  // namespace

Problems validate_dns1123_label(std::string_view text) {
  return dns1123_label_problems(text);
}

Problems validate_dns1123_subdomain(std::string_view text) {
  return dns1123_subdomain_problems(text);
}

Problems validate_dns1035_label(std::string_view text) {
  return dns1035_label_problems(text);
}

Problems validate_qualified_name(std::string_view text) {
  Problems problems;
  const std::vector<std::string_view> parts = go::split(text, '/');
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
      for (const std::string& problem : dns1123_subdomain_problems(parts[0], "bytes")) {
        problems.push_back("prefix part " + problem);
      }
    }
  }
  const std::string_view name = parts.back();
  if (name.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (name.size() > kMaxDnsLabel) {
    problems.push_back("name part " + too_long_problem(kMaxDnsLabel, "bytes"));
  }
  if (!matches_label_name(name)) problems.push_back("name part " + malformed_label_name());
  return problems;
}

Problems validate_label_value(std::string_view text) {
  Problems problems;
  if (text.size() > kMaxDnsLabel) problems.push_back(too_long_problem(kMaxDnsLabel, "bytes"));
  if (!text.empty() && !matches_label_name(text)) {
    problems.push_back(malformed(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character",
        "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", {"MyValue", "my_value", "12345"}));
  }
  return problems;
}

Problems validate_path_segment_name(std::string_view text) {
  if (is_path_segment_name(text)) return {};
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
  if (text.size() > kMaxDnsSubdomain) problems.push_back(too_long_problem(kMaxDnsSubdomain));
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
  if (text.size() > 15) problems.push_back(too_long_problem(15));
  if (text.empty() ||
      !all_of(text, [](char c) { return ascii::is_lower(c) || ascii::is_digit(c) || c == '-'; })) {
    problems.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(text.begin(), text.end(), ascii::is_lower)) {
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
  // The characters to be appended make the dash an inner one. The reference server forgets the one
  // before it, too.
  if (prefix && masked.size() > 1 && masked.back() == '-') {
    masked.pop_back();
    masked.back() = 'a';
  }
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
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string out;
  out.reserve(length);
  for (std::size_t i = 0; i < length; ++i) {
    const auto pick = static_cast<std::size_t>(random() * static_cast<double>(kAlphabet.size()));
    out.push_back(kAlphabet[std::min(pick, kAlphabet.size() - 1)]);
  }
  return out;
}

std::string generate_name(std::string_view base, const RandomSource& random) {
  constexpr std::size_t kSuffix = 5;
  return std::string(base.substr(0, kMaxDnsLabel - kSuffix)) + random_name_suffix(kSuffix, random);
}

}  // namespace kube::meta
