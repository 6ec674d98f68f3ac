// SPDX-License-Identifier: Apache-2.0
//
// net/mail's parser of addresses; it only checks them.
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>
#include <kube/json/base64.hpp>
#include <kube/names/go_text.hpp>

#include "string_formats.hpp"

namespace kube::meta::detail {
namespace {

bool is_visible(char32_t rune) {
  return (rune >= '!' && rune <= '~') || rune >= 0x80;
}
bool is_blank(char32_t rune) {
  return rune == ' ' || rune == '\t';
}
bool is_atom(char32_t rune) {
  return is_visible(rune) &&
         std::u32string_view(U"()<>[]:;@\\,\"").find(rune) == std::u32string_view::npos;
}

// The kinds of words in a name: plain, or encoded by RFC 2047.
enum class Word { Plain, Encoded, EncodedEmpty, UnknownCharset };

Word kind_of_word(std::string_view word) {
  if (word.size() < 8 || !word.starts_with("=?") || !word.ends_with("?=")) return Word::Plain;
  const auto parts = go::split(word.substr(2, word.size() - 4), '?');  // charset, encoding, text
  if (parts.size() != 3 || parts[0].empty() || parts[1].size() != 1) return Word::Plain;
  bool empty = parts[2].empty();
  switch (ascii::to_lower(parts[1].front())) {
    case 'b': {
      const auto bytes = json::read_base64(parts[2]);
      if (!bytes) return Word::Plain;
      empty = bytes->empty();
      break;
    }
    case 'q':
      for (std::size_t i = 0; i < parts[2].size(); ++i) {
        const char c = parts[2][i];
        if (c == '=') {
          if (i + 2 >= parts[2].size() || ascii::hex_value(parts[2][i + 1]) < 0 ||
              ascii::hex_value(parts[2][i + 2]) < 0) {
            return Word::Plain;
          }
          i += 2;
        } else if (c < ' ' || c > '~') {
          return Word::Plain;
        }
      }
      break;
    default:
      return Word::Plain;
  }
  constexpr std::array<std::string_view, 3> kKnown = {"utf-8", "iso-8859-1", "us-ascii"};
  if (std::ranges::find(kKnown, ascii::to_lower(parts[0])) == kKnown.end())
    return Word::UnknownCharset;
  return empty ? Word::EncodedEmpty : Word::Encoded;
}

class MailParser {
 public:
  explicit MailParser(std::string_view text) : rest_(text) {}

  bool is_one_address() {
    const auto count = address(true);
    return count == 1U && skip_comments() && rest_.empty();
  }

 private:
  using Count = std::optional<std::size_t>;  // the number of addresses; nullopt for an error

  Count address(bool may_be_group) {
    skip_blanks();
    if (rest_.empty()) return std::nullopt;
    if (spec()) {
      skip_blanks();
      if (rest_.starts_with('(') && !comment_with_name()) return std::nullopt;
      return 1;
    }
    if (!rest_.starts_with('<') && !phrase()) return std::nullopt;
    skip_blanks();
    if (may_be_group && take(':')) return group();
    if (!take('<') || !spec() || !take('>')) return std::nullopt;
    return 1;
  }

  Count group() {
    std::size_t count = 0;
    skip_blanks();
    if (take(';')) return skip_comments() ? Count(0) : std::nullopt;
    for (;;) {
      skip_blanks();
      const auto more = address(false);
      if (!more) return std::nullopt;
      count += *more;
      if (!skip_comments()) return std::nullopt;
      if (take(';')) return skip_comments() ? Count(count) : std::nullopt;
      if (!take(',')) return std::nullopt;
    }
  }

  // Takes local@domain; takes nothing if it is not there.
  bool spec() {
    const std::string_view before = rest_;
    skip_blanks();
    if (local() && take('@') && domain()) return true;
    rest_ = before;
    return false;
  }
  bool local() {
    if (!rest_.starts_with('"')) return atoms();
    const auto length = quoted();
    return length && *length > 0;
  }
  bool domain() {
    skip_blanks();
    if (!take('[')) return atoms();
    const std::size_t end = rest_.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view address = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return is_ipv6(address) || (is_ipv4(address) && address.find(':') == std::string_view::npos &&
                                is_without_leading_zeros(address));
  }
  // net/mail rejects leading zeros, which is_ipv4() accepts.
  static bool is_without_leading_zeros(std::string_view address) {
    return std::ranges::all_of(go::split(address, '.'), [](std::string_view number) {
      return number.size() == 1 || number.front() != '0';
    });
  }

  // Takes words separated by dots.
  bool atoms() {
    const auto text = dotted();
    return text && !text->starts_with('.') && !text->ends_with('.') &&
           text->find("..") == std::string_view::npos;
  }
  std::optional<std::string_view> dotted() {
    std::size_t end = 0;
    for (std::size_t at = 0; at < rest_.size() && is_atom(next_code_point(rest_, &at));) end = at;
    if (end == 0) return std::nullopt;
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return text;
  }

  // Returns the length of the text between quotes.
  std::optional<std::size_t> quoted() {
    std::size_t length = 0;
    bool escaped = false;
    for (std::size_t at = 1; at < rest_.size();) {
      const char32_t rune = next_code_point(rest_, &at);
      if (!escaped && rune == '"') {
        rest_.remove_prefix(at);
        return length;
      }
      if (!escaped && rune == '\\') {
        escaped = true;
        continue;
      }
      if (!is_visible(rune) && !is_blank(rune)) return std::nullopt;
      escaped = false;
      ++length;
    }
    return std::nullopt;
  }

  // Takes the words of a name. The caller checks what follows the first one.
  bool phrase() {
    bool words = false;
    bool decoded = false;
    for (;;) {
      if (words && !skip_comments()) return false;
      skip_blanks();
      // As in the library, the end is not an error: the name is "".
      if (rest_.empty()) return true;
      if (rest_.starts_with('"')) {
        if (!quoted()) return words || decoded;
        words = true;
        continue;
      }
      const auto word = dotted();
      const Word kind = word ? kind_of_word(*word) : Word::UnknownCharset;
      if (kind == Word::UnknownCharset) return words || decoded;
      words = words || kind == Word::Plain;
      decoded = decoded || kind == Word::Encoded;
    }
  }

  // Takes a comment after an address, which is its name.
  bool comment_with_name() {
    const auto text = comment();
    if (!text) return false;
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t end = std::min(text->find_first_of(" \t", at), text->size());
      if (kind_of_word(std::string_view(*text).substr(at, end - at)) == Word::UnknownCharset)
        return false;
      at = end + 1;
    }
    return true;
  }
  // Comments nest.
  std::optional<std::string> comment() {
    if (!take('(')) return std::nullopt;
    std::string text;
    int depth = 1;
    while (!rest_.empty()) {
      if (rest_.front() == '\\' && rest_.size() > 1) {
        rest_.remove_prefix(1);
      } else if (rest_.front() == '(') {
        ++depth;
      } else if (rest_.front() == ')') {
        --depth;
      }
      if (depth > 0) text += rest_.front();
      rest_.remove_prefix(1);
      if (depth == 0) return text;
    }
    return std::nullopt;
  }
  bool skip_comments() {
    skip_blanks();
    while (rest_.starts_with('(')) {
      if (!comment()) return false;
      skip_blanks();
    }
    return true;
  }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
};

}  // namespace

bool is_email(std::string_view text) {
  return MailParser(text).is_one_address();
}

}  // namespace kube::meta::detail
