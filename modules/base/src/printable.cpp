// SPDX-License-Identifier: Apache-2.0
#include <kube/base/printable.hpp>

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>

namespace kube {
namespace {

// Detects Unicode's line ends, and characters that make a terminal show the text after them in
// another order: U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069.
bool moves_text(unsigned first, unsigned second, unsigned third) {
  if (first != 0xe2) return false;
  if (second == 0x80) return third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae);
  return second == 0x81 && third >= 0xa6 && third <= 0xa9;
}

// Returns the length of the UTF-8 sequence beyond ASCII at the beginning of the text; 0 for an
// invalid one, a control character of C1, and one that moves text.
std::size_t sequence_length(std::string_view text) {
  const std::size_t length = utf8_length(text, 0);
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (length == 2 && byte(0) == 0xc2 && byte(1) < 0xa0) return 0;
  if (length == 3 && moves_text(byte(0), byte(1), byte(2))) return 0;
  return length == 1 ? 0 : length;
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
  out += "\\x";
  ascii::append_hex(c, out);
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

std::string printable(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return printable(text);
  return printable(whole_characters(text, max_bytes)) + "...";
}

std::string_view whole_characters(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && max_bytes - end < 3 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U)
    --end;
  return text.substr(0, end);
}

}  // namespace kube
