// SPDX-License-Identifier: Apache-2.0
#include <kube/names/go_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/base/utf8.hpp>
#include <kube/json/text.hpp>

namespace kube::go {

namespace {

struct RuneRange {
  char32_t first;
  char32_t last;
};

// The characters that are not printable, without the unassigned code points between scripts.
constexpr std::array<RuneRange, 21> kUnprintable{{
    {0x00, 0x1f},        {0x7f, 0xa0},       {0xad, 0xad},       {0x600, 0x605},
    {0x61c, 0x61c},      {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x1680, 0x1680},
    {0x180e, 0x180e},    {0x2000, 0x200f},   {0x2028, 0x202f},   {0x205f, 0x206f},
    {0x3000, 0x3000},    {0xd800, 0xf8ff},   {0xfeff, 0xfeff},   {0xfff0, 0xfffb},
    {0xfffe, 0xffff},    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe00ff},
    {0xe01f0, 0x10ffff},
}};

void append_hex(char32_t value, int digits, std::string& out) {
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4)
    out.push_back(ascii::kHexDigits[(value >> shift) & 0xf]);
}

}  // namespace

bool is_printable(char32_t rune) {
  return std::none_of(kUnprintable.begin(), kUnprintable.end(), [rune](const RuneRange& range) {
    return rune >= range.first && rune <= range.last;
  });
}

std::string value_text(const json::Value& value) {
  if (const std::string* text = value.if_string()) return *text;
  if (const double* number = value.if_double()) return number_text(*number);
  std::vector<std::string> parts;
  if (const json::Array* items = value.if_array()) {
    for (const json::Value& item : *items) parts.push_back(value_text(item));
    return "[" + join(parts, " ") + "]";
  }
  const json::Object* members = value.if_object();
  if (members == nullptr) return value.is_null() ? "<nil>" : json::dump(value);
  for (const auto& [name, member] : *members) parts.push_back(name + ":" + value_text(member));
  std::ranges::sort(parts);
  return "map[" + join(parts, " ") + "]";
}

std::string_view json_kind(const json::Value& value) {
  return value.is_bool() ? "bool" : value.type_name();
}

std::string integer_problem(std::string_view function, std::string_view text) {
  std::string_view digits = text;
  if (function == "ParseInt" && (digits.starts_with('-') || digits.starts_with('+')))
    digits.remove_prefix(1);
  const bool is_decimal = !digits.empty() && std::ranges::all_of(digits, ascii::is_digit);
  return "strconv." + std::string(function) + ": parsing " + quote(text) + ": " +
         (is_decimal ? "value out of range" : "invalid syntax");
}

std::string cannot_unmarshal(std::string_view what, std::string_view into) {
  return "json: cannot unmarshal " + std::string(what) + " into Go " + std::string(into);
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t rune = next_code_point(text, &at);
    switch (rune) {
      case '"':
        out += "\\\"";
        continue;
      case '\\':
        out += "\\\\";
        continue;
      case '\a':
        out += "\\a";
        continue;
      case '\b':
        out += "\\b";
        continue;
      case '\f':
        out += "\\f";
        continue;
      case '\n':
        out += "\\n";
        continue;
      case '\r':
        out += "\\r";
        continue;
      case '\t':
        out += "\\t";
        continue;
      case '\v':
        out += "\\v";
        continue;
      default:
        break;
    }
    if (rune == 0xfffd && at - start == 1) {
      out += "\\x";
      append_hex(static_cast<unsigned char>(text[start]), 2, out);
    } else if (is_printable(rune)) {
      append_utf8(rune, out);
    } else if (rune < 0x80) {
      out += "\\x";
      append_hex(rune, 2, out);
    } else if (rune < 0x10000) {
      out += "\\u";
      append_hex(rune, 4, out);
    } else {
      out += "\\U";
      append_hex(rune, 8, out);
    }
  }
  out += '"';
  return out;
}

std::string number_text(double number) {
  std::array<char, 32> text{};
  const double size = std::abs(number);
  const bool plain = number == 0 || (size >= 1e-4 && size < 1e6);
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific);
  return {text.data(), end.ptr};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  for (std::size_t at = text.find(separator); at != std::string_view::npos;
       at = text.find(separator, start)) {
    parts.push_back(text.substr(start, at - start));
    start = at + 1;
  }
  parts.push_back(text.substr(start));
  return parts;
}

}  // namespace kube::go
