// SPDX-License-Identifier: Apache-2.0
#include <kube/base/printable.hpp>

namespace kube {
namespace {

// Ends of lines of Unicode, and what makes a terminal show the text behind it in another order:
// U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069.
bool moves_text(unsigned first, unsigned second, unsigned third) {
  if (first != 0xe2) return false;
  if (second == 0x80) return third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae);
  return second == 0x81 && third >= 0xa6 && third <= 0xa9;
}

// The length of the UTF-8 sequence that the text begins with; 0 when it is none, a control
// character of C1, or moves text.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  if (first < 0xc2 || first > 0xf4 || !follows(1)) return 0;
  if (first < 0xe0) return first == 0xc2 && second < 0xa0 ? 0 : 2;
  if (!follows(2)) return 0;
  if (first < 0xf0) {
    const bool overlong = first == 0xe0 && second < 0xa0;
    const bool surrogate = first == 0xed && second >= 0xa0;
    return overlong || surrogate || moves_text(first, second, byte(2)) ? 0 : 3;
  }
  const bool outside = (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return outside || !follows(3) ? 0 : 4;
}

void append_escaped(char c, std::string& out) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(c);
  out += "\\x";
  out += kDigits[value >> 4U];
  out += kDigits[value & 0xfU];
}

}  // namespace

void append_printable(std::string& out, std::string_view text, std::string_view marked) {
  out.reserve(out.size() + text.size());
  while (!text.empty()) {
    const char c = text.front();
    std::size_t length = 1;
    if (c >= ' ' && c != '\x7f') {
      if (marked.find(c) != std::string_view::npos) out += '\\';
      out += c;
    } else if (length = sequence_length(text); length != 0) {
      out += text.substr(0, length);
    } else {
      length = 1;
      append_escaped(c, out);
    }
    text.remove_prefix(length);
  }
}

std::string printable(std::string_view text) {
  std::string result;
  append_printable(result, text);
  return result;
}

std::string printable(std::string_view text, std::size_t most) {
  if (text.size() <= most) return printable(text);
  return printable(whole_characters(text, most)) + "...";
}

std::string_view whole_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && most - end < 3 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
    --end;
  return text.substr(0, end);
}

}  // namespace kube
