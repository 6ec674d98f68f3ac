// SPDX-License-Identifier: Apache-2.0
#include "json_path_parser.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>

namespace kube::json::path {
namespace {

constexpr std::string_view kComparing = "!<>=";

bool begins_word(char c) {
  return ascii::is_alnum(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool ends_line(char c) {
  return c == '\n' || c == '\r';
}

// "U+002A '*'", as Go writes a character.
std::string described_character(std::string_view text, std::size_t at) {
  const char32_t code = next_code_point(text, &at);
  std::array<char, 16> number{};
  std::snprintf(number.data(), number.size(), "U+%04X", static_cast<unsigned>(code));
  std::string out = number.data();
  if (code < 0x20 || code == 0x7f) return out;
  out += " '";
  append_utf8(code, out);
  return out + "'";
}

}  // namespace

char Parser::peek(std::size_t ahead) const {
  return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
}

bool Parser::take(char c) {
  if (at_end() || peek() != c) return false;
  ++at_;
  return true;
}

bool Parser::take(std::string_view word) {
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

void Parser::blanks() {
  while (peek() == ' ' || peek() == '\t') ++at_;
}

Error Parser::wrong(std::string_view what, std::size_t at) const {
  return {ErrorCode::InvalidArgument, "JSON path " + std::string(text_) + ", offset " +
                                          std::to_string(at) + ": " + std::string(what)};
}

Result<std::vector<Part>> Parser::parse_template() {
  return parts(false);
}

Result<Nodes> Parser::parse_path() {
  if (text_.starts_with('{') && text_.ends_with('}')) text_ = text_.substr(1, text_.size() - 2);
  Nodes nodes;
  if (begins_word(peek()) || peek() == '-' || peek() == '\\')
    nodes.push_back({.name = field(Within::Text)});
  while (!at_end()) {
    const std::size_t begin = at_;
    if (auto read = step(Within::Text, nodes); !read) return read.error();
    if (!nodes.empty() && nodes.back().kind == Node::Kind::Literal)
      return wrong("expected a name or an index", begin);
  }
  return nodes;
}

// Reads to the end of the text, or in a range past its "{end}". A range without one ends with the
// template.
Result<std::vector<Part>> Parser::parts(bool in_range) {
  std::vector<Part> found;
  while (!at_end()) {
    const std::size_t brace = std::min(text_.find('{', at_), text_.size());
    if (brace != at_) {
      found.push_back(
          {.nodes = {{.kind = Node::Kind::Literal, .literal = text_.substr(at_, brace - at_)}}});
      at_ = brace;
      continue;
    }
    ++at_;
    bool ends_range = false;
    auto part = action(ends_range);
    if (!part) return part.error();
    if (!ends_range) {
      found.push_back(*std::move(part));
    } else if (in_range) {
      return found;
    } else {
      return wrong("not in range, nothing to end", brace);
    }
  }
  return found;
}

// Returns "range", "end" or nothing.
std::string Parser::keyword() const {
  for (const std::string_view word : {"range", "end"}) {
    const std::size_t end = at_ + word.size();
    if (text_.substr(at_).starts_with(word) && (end == text_.size() || !begins_word(text_[end])))
      return std::string(word);
  }
  return {};
}

Result<Part> Parser::action(bool& ends_range) {
  blanks();
  const std::string word = keyword();
  at_ += word.size();
  ends_range = word == "end";
  const std::size_t begin = at_;
  auto nodes = expression(Within::Braces);
  if (!nodes) return nodes.error();
  take('}');
  if (ends_range && !nodes->empty()) return wrong("expected '}' after end", begin);
  Part part{.kind = word == "range" ? Part::Kind::Range : Part::Kind::Find,
            .nodes = *std::move(nodes)};
  if (part.kind != Part::Kind::Range) return part;
  if (++nesting_ > kMaxNesting) return wrong("nested too deep", begin);
  auto body = parts(true);
  if (!body) return body.error();
  --nesting_;
  part.parts = *std::move(body);
  return part;
}

bool Parser::expression_ends(Within within) const {
  switch (within) {
    case Within::Braces:
      return peek() == '}';
    case Within::Text:
      return at_end();
    case Within::Filter:
      return peek() == ')' || kComparing.find(peek()) != std::string_view::npos;
  }
  return true;
}

Result<Nodes> Parser::expression(Within within) {
  Nodes nodes;
  for (;;) {
    if (at_end() || ends_line(peek()))
      return wrong(within == Within::Filter ? "unterminated filter" : "unclosed action");
    if (expression_ends(within)) return nodes;
    if (auto read = step(within, nodes); !read) return read.error();
  }
}

Result<void> Parser::step(Within within, Nodes& nodes) {
  const char c = peek();
  switch (c) {
    case ' ':
    case '\t':
    case '@':
    case '$':  // As in kubectl, the current value too: that of the range or the filter.
      ++at_;
      return {};
    case '[':
      return bracket(nodes);
    case '"':
    case '\'': {
      auto text = quoted();
      if (!text) return text.error();
      nodes.push_back({.kind = Node::Kind::Literal, .literal = *std::move(text)});
      return {};
    }
    case '.':
      if (peek(1) == '.') return recursive(within, nodes);
      ++at_;
      if (expression_ends(within) || peek() == '[') return {};  // the value itself
      if (peek() == '*' && (at_ + 1 == text_.size() || ends_field(peek(1), within))) {
        ++at_;
        nodes.push_back({.kind = Node::Kind::All});
        return {};
      }
      if (at_end() || ends_field(peek(), within)) return wrong("expected a name");
      nodes.push_back({.name = field(within)});
      return {};
    default:
      break;
  }
  if (c == '+' || c == '-' || ascii::is_digit(c)) {
    auto literal = number();
    if (!literal) return literal.error();
    nodes.push_back(*std::move(literal));
    return {};
  }
  if (begins_word(c)) return word(within, nodes);
  if (within == Within::Filter && (c == ']' || c == '}')) return wrong("unterminated filter");
  return wrong("unrecognized character in action: " + described_character(text_, at_));
}

// Three dots mean the same as two.
Result<void> Parser::recursive(Within within, Nodes& nodes) {
  if (!nodes.empty() && nodes.back().kind == Node::Kind::Recursive)
    return wrong("invalid multiple recursive descent");
  at_ += 2;
  nodes.push_back({.kind = Node::Kind::Recursive});
  if (begins_word(peek()) || peek() == '\\') nodes.push_back({.name = field(within)});
  return {};
}

Result<Node> Parser::number() {
  const std::size_t begin = at_++;
  while (ascii::is_digit(peek()) || peek() == '.') ++at_;
  const std::string_view text = text_.substr(begin, at_ - begin);
  const std::string_view digits = text.substr(text.front() == '+' ? 1 : 0);
  const char* const end = digits.data() + digits.size();
  std::int64_t integer = 0;
  if (const auto read = std::from_chars(digits.data(), end, integer);
      read.ec == std::errc() && read.ptr == end)
    return Node{.kind = Node::Kind::Literal, .literal = integer};
  double real = 0;
  if (const auto read = std::from_chars(digits.data(), end, real);
      read.ec == std::errc() && read.ptr == end)
    return Node{.kind = Node::Kind::Literal, .literal = real};
  return wrong("cannot parse number " + std::string(text), begin);
}

Result<void> Parser::word(Within within, Nodes& nodes) {
  const std::size_t begin = at_;
  const std::string text = field(within);
  if (text != "true" && text != "false") return wrong("unrecognized identifier " + text, begin);
  nodes.push_back({.kind = Node::Kind::Literal, .literal = text == "true"});
  return {};
}

bool Parser::ends_field(char c, Within within) const {
  constexpr std::string_view kEnds = " .,[]$@{}\n\r";
  if (kEnds.find(c) != std::string_view::npos) return true;
  return within == Within::Filter && (c == ')' || kComparing.find(c) != std::string_view::npos);
}

std::string Parser::field(Within within) {
  std::string name;
  while (!at_end() && !ends_field(peek(), within)) {
    if (peek() == '\\' && at_ + 1 < text_.size()) ++at_;
    name += text_[at_++];
  }
  return name;
}

Result<std::string> Parser::quoted() {
  const std::size_t begin = at_;
  const char quote = text_[at_++];
  std::string out;
  while (!at_end() && !ends_line(peek())) {
    if (take(quote)) return out;
    if (peek() != '\\') {
      out += text_[at_++];
      continue;
    }
    if (auto read = escape(out); !read) return read.error();
  }
  return wrong("unterminated quoted string", begin);
}

// The escapes of Go's strings.
Result<void> Parser::escape(std::string& out) {
  const std::size_t begin = at_++;
  const char c = peek();
  ++at_;
  constexpr std::string_view kNames = "abfnrtv\\'\"";
  constexpr std::string_view kValues = "\a\b\f\n\r\t\v\\'\"";
  if (const std::size_t plain = kNames.find(c); plain != std::string_view::npos && c != '\0') {
    out += kValues[plain];
    return {};
  }
  const bool octal = c >= '0' && c <= '3';
  const std::size_t length = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : octal ? 3 : 0;
  if (octal) --at_;
  const std::string_view digits = text_.substr(std::min(at_, text_.size()), length);
  std::uint32_t code = 0;
  const auto read =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, octal ? 8 : 16);
  const bool is_code = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  if (length == 0 || digits.size() != length || read.ptr != digits.data() + length ||
      read.ec != std::errc() || !is_code)
    return wrong("invalid escape in a quoted string", begin);
  at_ += length;
  if (octal || c == 'x') {
    out += static_cast<char>(code);  // a byte
  } else {
    append_utf8(code, out);
  }
  return {};
}

}  // namespace kube::json::path
