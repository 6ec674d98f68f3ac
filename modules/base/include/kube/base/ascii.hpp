// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Classifies and converts ASCII letters, digits and white space, of which names, headers and
// formats consist. Unlike those of <cctype>, these functions accept any char, leave bytes above 127
// unchanged and ignore the locale. All are pure: any thread may call them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <kube/base/text_argument.hpp>

namespace kube::ascii {

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
constexpr bool is_lower(char c) noexcept {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_upper(char c) noexcept {
  return c >= 'A' && c <= 'Z';
}
constexpr bool is_alpha(char c) noexcept {
  return is_lower(c) || is_upper(c);
}
constexpr bool is_alnum(char c) noexcept {
  return is_alpha(c) || is_digit(c);
}

constexpr char to_lower(char c) noexcept {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr char to_upper(char c) noexcept {
  return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

/// Returns the value of a hexadecimal digit of either case; -1 for another character.
constexpr int hex_value(char c) noexcept {
  if (is_digit(c)) return c - '0';
  const char lower = to_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

inline constexpr std::string_view kHexDigits = "0123456789abcdef";
inline constexpr std::string_view kCapitalHexDigits = "0123456789ABCDEF";

/// Appends the two small digits of a byte: "0a" for '\n'.
constexpr void append_hex(char byte, std::string& out) {
  const auto value = static_cast<unsigned char>(byte);
  out.push_back(kHexDigits[value >> 4U]);
  out.push_back(kHexDigits[value & 15U]);
}

inline std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = to_lower(c);
  return out;
}
inline std::string to_upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = to_upper(c);
  return out;
}

/// Whether the texts differ at most in the case of letters.
constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  }
  return true;
}

namespace detail {
constexpr std::string_view without_at_ends(std::string_view characters, std::string_view text) {
  const std::size_t first = text.find_first_not_of(characters);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(characters) - first + 1);
}
}  // namespace detail

/// Removes spaces and tabs at both ends, but not line ends: the blanks of HTTP fields and of lists
/// of names.
constexpr std::string_view trim_blanks(std::string_view text) noexcept {
  return detail::without_at_ends(" \t", text);
}
template <TemporaryText T>
std::string_view trim_blanks(T&& text) = delete;  // Give the text a name first.
/// Removes white space at both ends: space, \t, \n, \v, \f and \r. Like Go's strings.TrimSpace, for
/// ASCII only.
constexpr std::string_view trim_space(std::string_view text) noexcept {
  return detail::without_at_ends(" \t\n\v\f\r", text);
}
template <TemporaryText T>
std::string_view trim_space(T&& text) = delete;  // Give the text a name first.

}  // namespace kube::ascii
