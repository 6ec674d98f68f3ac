// SPDX-License-Identifier: Apache-2.0
#include "yaml_scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>
#include <kube/json/base64.hpp>

namespace kube::yaml {
namespace {

using json::Value;

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, text) != words.end();
}

constexpr std::array<std::string_view, 5> kNulls{"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 11> kTrues{"y",    "Y",    "yes", "Yes", "YES", "true",
                                                  "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalses{"n",     "N",     "no",  "No",  "NO", "false",
                                                   "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 12> kNotFinite{".nan",  ".NaN",  ".NAN",  ".inf",
                                                      ".Inf",  ".INF",  "+.inf", "+.Inf",
                                                      "+.INF", "-.inf", "-.Inf", "-.INF"};

// Reads the digits of one base; returns nullopt for another character and for no digits. Beyond 64
// bits the result is a double.
std::optional<Value> read_digits(std::string_view digits, unsigned base, bool negative) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t exact = 0;
  double rough = 0;
  bool fits = true;
  for (const char c : digits) {
    const int value = ascii::hex_value(c);
    if (value < 0) return std::nullopt;
    const auto digit = static_cast<unsigned>(value);
    if (digit >= base) return std::nullopt;
    fits = fits && exact <= (std::numeric_limits<std::uint64_t>::max() - digit) / base;
    exact = exact * base + digit;
    rough = rough * base + digit;
  }
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (!negative) return fits ? Value(exact) : Value(rough);
  if (fits && exact <= kMax) return Value(-static_cast<std::int64_t>(exact));
  if (fits && exact == kMax + 1) return Value(std::numeric_limits<std::int64_t>::min());
  return Value(-rough);
}

std::optional<Value> read_integer(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.size() > 1 && text[0] == '0') {
    switch (text[1]) {
      case 'x':
      case 'X':
        return read_digits(text.substr(2), 16, negative);
      case 'o':
      case 'O':
        return read_digits(text.substr(2), 8, negative);
      case 'b':
      case 'B':
        return read_digits(text.substr(2), 2, negative);
      default:
        return read_digits(text.substr(1), 8, negative);
    }
  }
  auto value = read_digits(text, 10, negative);
  if (value && value->is_double()) return std::nullopt;  // read as a float, correctly rounded
  return value;
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool has_float_form(std::string_view text) {
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && ascii::is_digit(text[at])) ++at;
    return at > begin;
  };
  const auto accept = [&](std::string_view set) {
    const bool hit = at < text.size() && set.find(text[at]) != std::string_view::npos;
    if (hit) ++at;
    return hit;
  };
  accept("+-");
  const bool whole = digits();
  if (accept(".")) {
    if (!digits() && !whole) return false;
  } else if (!whole) {
    return false;
  }
  if (accept("eE")) {
    accept("+-");
    if (!digits()) return false;
  }
  return at == text.size();
}

std::optional<Value> read_float(std::string_view text) {
  if (!has_float_form(text)) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{}) return std::nullopt;
  // On its way through JSON a float without a fraction becomes an integer.
  const std::string shown = json::dump(Value(number));
  if (auto integer = read_integer(shown)) return integer;
  return Value(number);
}

std::string without_underscores(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != '_') plain += c;
  }
  return plain;
}

// Returns a number; nullopt for other text.
std::optional<Value> read_number(std::string_view text) {
  const std::string plain = without_underscores(text);
  if (auto integer = read_integer(plain)) return integer;
  return read_float(plain);
}

bool may_be_number(std::string_view text) {
  return !text.empty() &&
         (ascii::is_digit(text.front()) || text.front() == '-' || text.front() == '+');
}

// Whether other readers of YAML 1.1 take the text for a base 60 number, such as 1:30.
bool is_base_60(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.empty() || !ascii::is_digit(text.front()) || text.find(':') == std::string_view::npos)
    return false;
  return text.find_first_not_of("0123456789_:.") == std::string_view::npos;
}

// Whether other readers may take the text for a time, so that it is written in quotes.
bool looks_like_date(std::string_view text) {
  return text.size() >= 8 && std::ranges::all_of(text.substr(0, 4), ascii::is_digit) &&
         text[4] == '-' && ascii::is_digit(text[5]) && text.find('-', 5) != std::string_view::npos;
}

// Replaces each byte that is not part of a character by U+FFFD, as Go does when it writes JSON.
std::string as_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_length(bytes, at);
    text += length == 0 ? std::string_view("\xef\xbf\xbd") : bytes.substr(at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return text;
}

}  // namespace

std::optional<std::string> with_escapes_as_utf8(std::string_view text) {
  std::optional<std::string> out;
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) {
      if (!out) out.emplace();
      out->append(text, copied, at - copied) += '\xc2';
      copied = at;
    }
    at += std::max<std::size_t>(length, 1);
  }
  if (out) out->append(text, copied);
  return out;
}

bool is_control(std::string_view character) {
  const auto byte = static_cast<std::uint8_t>(character.front());
  if (character.size() == 1)
    return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f;
  const bool is_c1 = byte == 0xc2 && static_cast<std::uint8_t>(character[1]) < 0xa0;
  return (is_c1 && character != "\xc2\x85") || character == "\xef\xbf\xbe" ||
         character == "\xef\xbf\xbf";
}

std::optional<Value> resolve_plain(std::string_view text) {
  if (is_one_of(text, kNulls)) return Value();
  if (is_one_of(text, kTrues)) return Value(true);
  if (is_one_of(text, kFalses)) return Value(false);
  if (is_one_of(text, kNotFinite)) return std::nullopt;
  if (may_be_number(text)) {
    if (auto number = read_number(text)) return number;
  } else if (text.front() == '.') {
    if (auto number = read_float(text)) return number;
  }
  return Value(text);
}

std::optional<Value> resolve_tagged(std::string_view tag, std::string_view text) {
  constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
  if (!tag.starts_with(kPrefix)) return Value(text);
  tag.remove_prefix(kPrefix.size());
  if (tag == "binary") {
    auto bytes = json::read_base64(text);
    if (!bytes) return std::nullopt;
    return Value(as_utf8(*bytes));
  }
  const auto plain = resolve_plain(text);
  if (tag == "null") return plain && plain->is_null() ? plain : std::nullopt;
  if (tag == "bool") return plain && plain->if_bool() != nullptr ? plain : std::nullopt;
  // A float is not an integer, although JSON may write it as one.
  if (tag == "int")
    return may_be_number(text) ? read_integer(without_underscores(text)) : std::nullopt;
  if (tag == "float") return plain && plain->is_number() ? plain : std::nullopt;
  return Value(text);
}

bool needs_quotes(std::string_view text) {
  const auto value = resolve_plain(text);
  return !value || value->if_string() == nullptr || text == "<<" || is_base_60(text) ||
         looks_like_date(text);
}

std::string literal_of(const json::Value& key) {
  const std::string* text = key.if_string();
  if (text == nullptr) return json::dump(key);
  std::string out = "\"";
  for (const char c : *text) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '"':
      case '\\':
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
  }
  return out += '"';
}

std::string not_finite_key(std::string_view text) {
  const char last = text.back();
  if (last == 'n' || last == 'N') return ".nan";
  return text.front() == '-' ? "-.inf" : ".inf";
}

}  // namespace kube::yaml
