// SPDX-License-Identifier: Apache-2.0
#include "schema_format.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <regex>

#include <kube/base/ascii.hpp>
#include <kube/json/base64.hpp>
#include <kube/meta/time.hpp>
#include <kube/meta/validation.hpp>

#include "text.hpp"

namespace kube::meta {
namespace {

// So that a dot is a character, not a byte.
std::wstring widened(std::string_view text) {
  std::wstring out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();)
    out += static_cast<wchar_t>(detail::next_rune(text, &at));
  return out;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// A form of short texts, in either case of letters.
class Form {
 public:
  explicit Form(const char* expression)
      : compiled_(expression, std::regex::ECMAScript | std::regex::icase | std::regex::nosubs |
                                  std::regex::optimize) {}
  // Nothing that these match is long; std::regex recurses for each character.
  bool matches(std::string_view text) const {
    return text.size() <= 1024 && std::regex_match(text.begin(), text.end(), compiled_);
  }

 private:
  std::regex compiled_;
};

bool is_ipv4(std::string_view text) {
  in_addr address{};
  return ::inet_pton(AF_INET, std::string(text).c_str(), &address) == 1;
}
bool is_ipv6(std::string_view text) {
  in6_addr address{};
  return ::inet_pton(AF_INET6, std::string(text).c_str(), &address) == 1;
}
bool is_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const std::string_view bits = text.substr(slash + 1);
  if (bits.empty() || bits.size() > 3 || (bits.size() > 1 && bits.front() == '0') ||
      !std::ranges::all_of(bits, ascii::is_digit)) {
    return false;
  }
  const int count = std::stoi(std::string(bits));
  return (is_ipv4(address) && count <= 32) || (is_ipv6(address) && count <= 128);
}
bool is_mac(std::string_view text) {
  static const Form colons("(([0-9a-f]{2}:){5}|([0-9a-f]{2}:){7}|([0-9a-f]{2}:){19})[0-9a-f]{2}");
  static const Form dashes("(([0-9a-f]{2}-){5}|([0-9a-f]{2}-){7}|([0-9a-f]{2}-){19})[0-9a-f]{2}");
  static const Form dots(
      "(([0-9a-f]{4}\\.){2}|([0-9a-f]{4}\\.){3}|([0-9a-f]{4}\\.){9})[0-9a-f]{4}");
  return colons.matches(text) || dashes.matches(text) || dots.matches(text);
}
bool is_uuid(std::string_view text) {
  static const Form form("[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}");
  return form.matches(text);
}
bool is_uuid3(std::string_view text) {
  static const Form form("[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}");
  return form.matches(text);
}
bool is_uuid4(std::string_view text) {
  static const Form form("[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}");
  return form.matches(text);
}
bool is_uuid5(std::string_view text) {
  static const Form form("[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}");
  return form.matches(text);
}
bool is_hex_color(std::string_view text) {
  static const Form form("#?([0-9a-f]{3}|[0-9a-f]{6})");
  return form.matches(text);
}
bool is_object_id(std::string_view text) {
  static const Form form("[0-9a-f]{24}");
  return form.matches(text);
}
bool is_ssn(std::string_view text) {
  static const Form form("[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}");
  return form.matches(text);
}
bool is_date(std::string_view text) {
  return text.size() == 10 && Time::parse(std::string(text).append("T00:00:00Z")).has_value();
}
bool is_date_time(std::string_view text) {
  return Time::parse(text).has_value();
}
bool is_bytes(std::string_view text) {
  return json::read_base64(text).has_value();
}
bool is_anything(std::string_view) {
  return true;
}
bool is_short_name(std::string_view text) {
  return validate_dns1123_label(text).empty();
}
bool is_long_name(std::string_view text) {
  return validate_dns1123_subdomain(text).empty();
}

struct Format {
  std::string_view name;
  FormatCheck check;
};
constexpr std::array kFormats{
    Format{"bsonobjectid", is_object_id},
    Format{"byte", is_bytes},
    Format{"cidr", is_cidr},
    Format{"date", is_date},
    Format{"datetime", is_date_time},
    Format{"hexcolor", is_hex_color},
    Format{"ipv4", is_ipv4},
    Format{"ipv6", is_ipv6},
    Format{"k8slongname", is_long_name},
    Format{"k8sshortname", is_short_name},
    Format{"mac", is_mac},
    Format{"password", is_anything},
    Format{"ssn", is_ssn},
    Format{"uuid", is_uuid},
    Format{"uuid3", is_uuid3},
    Format{"uuid4", is_uuid4},
    Format{"uuid5", is_uuid5},
};

}  // namespace

// std::regex remembers which bytes are in a class, which std::wregex works out each time: most
// texts are ASCII.
struct Pattern::Impl {
  std::wregex wide;
  std::optional<std::regex> narrow;  // of an expression in ASCII
};

std::optional<Pattern> Pattern::compile(std::string_view expression) {
  // What ECMAScript reads as something else than Go does, rather than refusing it.
  for (const std::string_view foreign : {"(?i", "(?s", "(?m", "(?U", "(?P", "(?<", "(?=", "(?!",
                                         "\\p", "\\P", "\\A", "\\z", "\\Q", "\\C", "\\a", "\\x{"}) {
    if (expression.find(foreign) != std::string_view::npos) return std::nullopt;
  }
  try {
    // Searching is matching with anything around it: one pass instead of one from each character.
    // The polynomial executor keeps no stack, and all states at once.
    auto impl = std::make_shared<Impl>();
    constexpr auto options =
        std::regex::ECMAScript | std::regex::nosubs | std::regex_constants::__polynomial;
    if (is_ascii(expression))
      impl->narrow.emplace("[\\s\\S]*(?:" + std::string(expression) + ")[\\s\\S]*", options);
    impl->wide.assign(L"[\\s\\S]*(?:" + widened(expression) + L")[\\s\\S]*", options);
    Pattern pattern;
    pattern.impl_ = std::move(impl);
    return pattern;
  } catch (const std::regex_error&) {
    return std::nullopt;
  }
}

bool Pattern::is_in(std::string_view text) const {
  if (impl_->narrow && is_ascii(text))
    return std::regex_match(text.begin(), text.end(), *impl_->narrow);
  return std::regex_match(widened(text), impl_->wide);
}

FormatCheck find_format(std::string_view name) {
  std::string plain(name);
  std::erase(plain, '-');
  for (const Format& format : kFormats) {
    if (format.name == plain) return format.check;
  }
  return nullptr;
}

}  // namespace kube::meta
