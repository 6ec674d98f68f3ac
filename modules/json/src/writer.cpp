// SPDX-License-Identifier: Apache-2.0
#include <kube/json/writer.hpp>

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>
#include <kube/json/plain_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace kube::json {
namespace {

// True for the bytes that a string contains unchanged; the others need a check.
constexpr std::array<bool, 256> make_plain() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x80; ++c) plain[c] = true;
  for (const char c : {'"', '\\', '<', '>', '&'}) plain[static_cast<std::uint8_t>(c)] = false;
  return plain;
}
constexpr auto kPlain = make_plain();

// Appends the written form of the character at `at` and returns its length.
std::size_t write_special(std::string_view text, std::size_t at, std::string& out) {
  const auto byte = static_cast<std::uint8_t>(text[at]);
  if (byte < 0x80) {
    out += '\\';
    switch (byte) {
      case '"':
      case '\\':
        out += static_cast<char>(byte);
        break;
      case '\b':
        out += 'b';
        break;
      case '\f':
        out += 'f';
        break;
      case '\n':
        out += 'n';
        break;
      case '\r':
        out += 'r';
        break;
      case '\t':
        out += 't';
        break;
      default:
        out += "u00";
        out += ascii::kHexDigits[byte >> 4];
        out += ascii::kHexDigits[byte & 15];
    }
    return 1;
  }
  const std::size_t length = utf8_length(text, at);
  if (length == 0) {
    out += "\\ufffd";
    return 1;
  }
  const std::string_view sequence = text.substr(at, length);
  if (sequence == "\xe2\x80\xa8") {
    out += "\\u2028";
  } else if (sequence == "\xe2\x80\xa9") {
    out += "\\u2029";
  } else {
    out += sequence;
  }
  return length;
}

template <class Number>
void write_number(Number value, std::string& out) {
  std::array<char, 24> buffer;
  const auto [end, code] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), end);
}

}  // namespace

void write_string(std::string_view text, std::string& out) {
  if (is_plain(text)) {
    out += '"';
    out += text;
    out += '"';
    return;
  }
  out += '"';
  std::size_t done = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    if (kPlain[static_cast<std::uint8_t>(text[at])]) {
      ++at;
      continue;
    }
    out.append(text, done, at - done);
    at += write_special(text, at, out);
    done = at;
  }
  out.append(text, done, text.size() - done);
  out += '"';
}

void write_compact(std::string_view json, std::string& out) {
  if (is_compact(json)) {
    out += json;
    return;
  }
  constexpr std::string_view kLookedFor(" \t\r\n<>&\xe2\"", 9);
  constexpr std::array<bool, 256> kStops = [&] {
    std::array<bool, 256> table{};
    for (const char c : kLookedFor) table[static_cast<std::uint8_t>(c)] = true;
    return table;
  }();
  bool in_string = false;
  std::size_t done = 0;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (c == '\\') {  // an escape in a string: the next byte needs no check
      ++at;
      continue;
    }
    if (!kStops[static_cast<std::uint8_t>(c)]) continue;
    if (c == '"') {
      in_string = !in_string;
      continue;
    }
    if (in_string && (c == ' ' || c == '\t' || c == '\r' || c == '\n')) continue;
    if (c == '\xe2' && json.substr(at, 3) != "\xe2\x80\xa8" && json.substr(at, 3) != "\xe2\x80\xa9")
      continue;
    out.append(json, done, at - done);
    if (c == '<' || c == '>' || c == '&' || c == '\xe2') at += write_special(json, at, out) - 1;
    done = at + 1;
  }
  out.append(json, std::min(done, json.size()), json.size());
}

void write_int(std::int64_t value, std::string& out) {
  write_number(value, out);
}
void write_uint(std::uint64_t value, std::string& out) {
  write_number(value, out);
}

void write_double(double value, std::string& out) {
  if (!std::isfinite(value)) {  // JSON can't express them
    out += "null";
    return;
  }
  std::array<char, 40> buffer;
  const auto [end, code] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                         std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const double magnitude = std::fabs(value);
  const std::size_t mark = text.find('e');
  if (magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e21)) {
    // Go writes e-7 for e-07, but keeps two digits after a plus.
    out += text.substr(0, mark);
    std::string_view exponent = text.substr(mark);
    if (exponent.size() == 4 && exponent[1] == '-' && exponent[2] == '0') {
      out += "e-";
      exponent = exponent.substr(3);
    }
    out += exponent;
    return;
  }
  // The same digits without an exponent.
  int exponent = 0;
  const std::size_t sign_length = text[mark + 1] == '+' ? 2 : 1;
  std::from_chars(text.data() + mark + sign_length, text.data() + text.size(), exponent);
  std::string digits;
  for (const char c : text.substr(0, mark)) {
    if (c == '-') {
      out += '-';
    } else if (c != '.') {
      digits += c;
    }
  }
  const auto count = static_cast<int>(digits.size());
  if (exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-exponent - 1), '0');
    out += digits;
  } else if (exponent + 1 >= count) {
    out += digits;
    out.append(static_cast<std::size_t>(exponent + 1 - count), '0');
  } else {
    out.append(digits, 0, static_cast<std::size_t>(exponent) + 1);
    out += '.';
    out.append(digits, static_cast<std::size_t>(exponent) + 1);
  }
}

}  // namespace kube::json
