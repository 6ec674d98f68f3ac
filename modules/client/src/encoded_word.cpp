// SPDX-License-Identifier: Apache-2.0
//
// Decodes the encoded words of RFC 2047.
#include "encoded_word.hpp"

#include <optional>

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>
#include <kube/json/base64.hpp>

namespace kube::rest {
namespace {

std::optional<std::string> decode_q(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '_') {
      out.push_back(' ');
    } else if (c == '=') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = ascii::hex_value(text[i + 1]);
      const int low = ascii::hex_value(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string from_latin1(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) append_utf8(static_cast<unsigned char>(c), out);
  return out;
}

std::optional<std::string> to_utf8(std::string_view charset, std::string bytes) {
  const std::string name = ascii::to_lower(charset);
  if (name == "utf-8") return bytes;
  if (name == "iso-8859-1") return from_latin1(bytes);
  if (name != "us-ascii") return std::nullopt;
  std::string out;
  for (const char c : bytes) {
    if (static_cast<unsigned char>(c) < 0x80) {
      out.push_back(c);
    } else {
      out.append("\xef\xbf\xbd");  // U+FFFD, as Go reads it
    }
  }
  return out;
}

struct Word {
  std::string text;
  std::size_t length;  // the length of the encoded form
};

// Reads the encoded word at the start of `text`, which starts with "=?".
std::optional<Word> decode_word(std::string_view text) {
  const std::size_t charset_end = text.find('?', 2);
  if (charset_end == std::string_view::npos || charset_end == 2) return std::nullopt;
  if (charset_end + 2 >= text.size() || text[charset_end + 2] != '?') return std::nullopt;
  const char encoding = ascii::to_lower(text[charset_end + 1]);
  const std::size_t begin = charset_end + 3;
  const std::size_t end = text.find("?=", begin);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view body = text.substr(begin, end - begin);

  std::optional<std::string> bytes;
  if (encoding == 'q') bytes = decode_q(body);
  if (encoding == 'b') bytes = json::read_base64(body);
  if (!bytes) return std::nullopt;
  auto decoded = to_utf8(text.substr(2, charset_end - 2), *std::move(bytes));
  if (!decoded) return std::nullopt;
  return Word{*std::move(decoded), end + 2};
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

std::string decode_encoded_words(std::string_view text) {
  std::string out;
  bool after_word = false;
  while (!text.empty()) {
    const std::size_t start = text.find("=?");
    if (start == std::string_view::npos) break;
    const std::string_view between = text.substr(0, start);
    std::optional<Word> word = decode_word(text.substr(start));
    if (!word) {
      out.append(text.substr(0, start + 2));
      text.remove_prefix(start + 2);
      after_word = false;
      continue;
    }
    if (!after_word || !is_blank(between)) out.append(between);
    out.append(word->text);
    text.remove_prefix(start + word->length);
    after_word = true;
  }
  return out.append(text);
}

}  // namespace kube::rest
