// SPDX-License-Identifier: Apache-2.0
//
// The formats of a schema for networks: addresses, ranges, host names, URIs.
#include <algorithm>
#include <optional>

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>
#include <kube/names/go_text.hpp>

#include "string_formats.hpp"

namespace kube::meta::detail {
namespace {

constexpr unsigned kMaxNumber = 0xffffff;

// Takes a number from the beginning; returns nullopt if it is missing or too large.
std::optional<unsigned> take_number(std::string_view& text, unsigned base) {
  unsigned number = 0;
  std::size_t length = 0;
  for (; length < text.size(); ++length) {
    const int digit = ascii::hex_value(text[length]);
    if (digit < 0 || digit >= static_cast<int>(base)) break;
    number = number * base + static_cast<unsigned>(digit);
    if (number >= kMaxNumber) return std::nullopt;
  }
  if (length == 0) return std::nullopt;
  text.remove_prefix(length);
  return number;
}

// Loose: numbers may begin with zeros.
enum class Zeros { Strict, Loose };

bool is_four_numbers(std::string_view text, Zeros zeros) {
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {
      if (!text.starts_with('.')) return false;
      text.remove_prefix(1);
    }
    const std::string_view before = text;
    const auto number = take_number(text, 10);
    if (!number || *number > 255) return false;
    if (zeros == Zeros::Strict && before.size() - text.size() > 1 && before.front() == '0')
      return false;
  }
  return text.empty();
}

bool is_groups(std::string_view text, Zeros zeros) {
  constexpr int kMax = 8;
  bool ellipsis = text.starts_with("::");
  if (ellipsis) text.remove_prefix(2);
  if (ellipsis && text.empty()) return true;
  int groups = 0;
  while (groups < kMax) {
    const std::string_view before = text;
    const auto number = take_number(text, 16);
    if (!number || *number > 0xffff) return false;
    if (text.starts_with('.')) {
      if ((!ellipsis && groups != kMax - 2) || groups > kMax - 2) return false;
      if (!is_four_numbers(before, zeros)) return false;
      text = {};
      groups += 2;
      break;
    }
    if (zeros == Zeros::Strict && before.size() - text.size() > 4) return false;
    ++groups;
    if (text.empty()) break;
    if (text.front() != ':' || text.size() == 1) return false;
    text.remove_prefix(1);
    if (text.front() != ':') continue;
    if (ellipsis) return false;
    ellipsis = true;
    text.remove_prefix(1);
    if (text.empty()) break;
  }
  return text.empty() && ellipsis == (groups < kMax);
}

bool is_ascii_byte(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}
// Whether a host may contain the character without an escape.
bool is_host_byte(char c) {
  return is_ascii_byte(c) &&
         (ascii::is_alnum(c) ||
          std::string_view("!\"$&'()*+,-.:;<=>[]_~").find(c) != std::string_view::npos);
}

enum class UriPart { Plain, Host, Zone };

// Whether the escapes of a part are valid, and its bytes where the part restricts them.
bool is_escaped(std::string_view text, UriPart part) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if (part != UriPart::Plain && is_ascii_byte(text[i]) && !is_host_byte(text[i])) return false;
      continue;
    }
    if (i + 2 >= text.size()) return false;
    const int high = ascii::hex_value(text[i + 1]);
    const int low = ascii::hex_value(text[i + 2]);
    if (high < 0 || low < 0) return false;
    const int value = high * 16 + low;
    if (value != '%') {
      if (part == UriPart::Host && value < 0x80) return false;
      if (part == UriPart::Zone && value != ' ' &&
          (value >= 0x80 || !is_host_byte(static_cast<char>(value))))
        return false;
    }
    i += 2;
  }
  return true;
}

bool is_optional_port(std::string_view text) {
  return text.empty() ||
         (text.front() == ':' && std::ranges::all_of(text.substr(1), ascii::is_digit));
}

bool is_bracketed_host(std::string_view host) {
  const std::size_t close = host.rfind(']');
  if (close == std::string_view::npos || !is_optional_port(host.substr(close + 1))) return false;
  std::string_view address = host.substr(1, close - 1);
  if (const std::size_t zone = address.find("%25"); zone != std::string_view::npos) {
    if (zone + 3 == address.size() || !is_escaped(address.substr(zone), UriPart::Zone))
      return false;
    address = address.substr(0, zone);
  }
  return is_groups(address, Zeros::Strict);
}

bool is_host(std::string_view scheme, std::string_view host) {
  if (const std::size_t open = host.rfind('['); open != std::string_view::npos)
    return open == 0 && is_bracketed_host(host);
  if (const std::size_t colon = host.find(':'); colon != std::string_view::npos) {
    // The URLs of databases may have lists of hosts; those of the web may not.
    const bool web = scheme == "http" || scheme == "https";
    if (!is_optional_port(host.substr(web ? colon : host.rfind(':')))) return false;
  }
  return is_escaped(host, UriPart::Host);
}

bool is_authority(std::string_view scheme, std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return is_host(scheme, text);
  const std::string_view user = text.substr(0, at);
  const auto is_user_byte = [](char c) {
    return is_ascii_byte(c) &&
           (ascii::is_alnum(c) ||
            std::string_view("-._:~!$&'()*+,;=%@").find(c) != std::string_view::npos);
  };
  // An escape must not extend past the colon before the password.
  const std::size_t colon = std::min(user.find(':'), user.size());
  return is_host(scheme, text.substr(at + 1)) && std::ranges::all_of(user, is_user_byte) &&
         is_escaped(user.substr(0, colon), UriPart::Plain) &&
         is_escaped(user.substr(colon), UriPart::Plain);
}

// Removes the scheme with its colon; returns nullopt for a text that begins with a colon.
std::optional<std::string_view> take_scheme(std::string_view& text) {
  if (text.starts_with(':')) return std::nullopt;
  if (text.empty() || !ascii::is_alpha(text.front())) return std::string_view();
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == ':') {
      const std::string_view scheme = text.substr(0, i);
      text.remove_prefix(i + 1);
      return scheme;
    }
    if (!ascii::is_alnum(text[i]) && text[i] != '+' && text[i] != '-' && text[i] != '.') break;
  }
  return std::string_view();
}

}  // namespace

bool is_ipv4(std::string_view text) {
  const std::size_t mark = text.find_first_of(".:");
  if (mark == std::string_view::npos || text.find('.') == std::string_view::npos) return false;
  return text[mark] == '.' ? is_four_numbers(text, Zeros::Loose) : is_groups(text, Zeros::Loose);
}

bool is_ipv6(std::string_view text) {
  const std::size_t mark = text.find_first_of(".:%");
  return mark != std::string_view::npos && text[mark] == ':' && is_groups(text, Zeros::Strict);
}

bool is_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  std::string_view bits = text.substr(slash + 1);
  const auto count = take_number(bits, 10);
  if (!count || !bits.empty()) return false;
  return is_four_numbers(address, Zeros::Loose) ? *count <= 32
                                                : *count <= 128 && is_groups(address, Zeros::Loose);
}

bool is_hostname(std::string_view text) {
  if (text.size() > 255) return false;
  const auto is_letter = [](char32_t rune) {
    return rune >= 0x80 || ascii::is_alpha(static_cast<char>(rune));
  };
  const auto is_inner = [&](char32_t rune) {
    return is_letter(rune) || ascii::is_digit(static_cast<char>(rune)) ||
           std::u32string_view(U"$+<=>^`|~").find(rune) != std::u32string_view::npos;
  };
  const auto labels = go::split(text, '.');
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].empty() || labels[i].size() > 63) return false;
    std::u32string label;
    for (std::size_t at = 0; at < labels[i].size();) label += next_code_point(labels[i], &at);
    if (labels.size() > 1 && i + 1 == labels.size())
      return label.size() >= 2 && std::ranges::all_of(label, is_letter);
    if (!is_inner(label.front())) return false;
    if (labels.size() == 1) {
      // In a single label only the second character may be a hyphen.
      const std::size_t rest = label.size() > 1 && label[1] == '-' ? 2 : 1;
      return std::ranges::all_of(label.substr(rest), is_inner);
    }
    if (!is_inner(label.back()) ||
        !std::ranges::all_of(label, [&](char32_t rune) { return rune == '-' || is_inner(rune); })) {
      return false;
    }
  }
  return true;
}

bool is_uri(std::string_view text) {
  const auto is_control = [](char c) { return (is_ascii_byte(c) && c < ' ') || c == 0x7f; };
  if (text.empty() || std::ranges::any_of(text, is_control)) return false;
  if (text == "*") return true;
  const auto scheme = take_scheme(text);
  if (!scheme) return false;
  text = text.substr(0, text.find('?'));
  if (!text.starts_with('/')) return !scheme->empty();
  if (!scheme->empty() && text.starts_with("//")) {
    text.remove_prefix(2);
    const std::size_t end = std::min(text.find('/'), text.size());
    if (!is_authority(ascii::to_lower(*scheme), text.substr(0, end))) return false;
    text.remove_prefix(end);
  }
  return is_escaped(text, UriPart::Plain);
}

}  // namespace kube::meta::detail
