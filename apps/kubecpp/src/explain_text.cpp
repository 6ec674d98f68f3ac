// SPDX-License-Identifier: Apache-2.0
#include "explain_text.hpp"

#include <algorithm>
#include <utility>

#include <kube/base/ascii.hpp>

namespace kubecpp {
namespace {

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

std::size_t run_length(std::string_view text, bool blank) {
  return static_cast<std::size_t>(
      std::ranges::find_if(text, [blank](char c) { return is_blank(c) != blank; }) - text.begin());
}

std::string wrap_line(std::string_view line, std::size_t columns) {
  std::string out;
  std::size_t used = 0;
  while (!line.empty()) {
    const std::string_view space = line.substr(0, run_length(line, true));
    line.remove_prefix(space.size());
    const std::string_view word = line.substr(0, run_length(line, false));
    line.remove_prefix(word.size());
    if (word.empty()) {
      if (used + space.size() <= columns) out += space;
      break;
    }
    // A word as wide as a line goes on where it is, but not from the column where its first
    // letters, which would fit, do not.
    const std::size_t width = code_points(word);
    const std::size_t room = columns > used + space.size() ? columns - used - space.size() : 0;
    if (width > room && room + 1 < columns) {
      out += '\n';
      used = 0;
    } else {
      out += space;
      used += space.size();
    }
    out += word;
    used += width;
  }
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// "1. one", "2 two", "- three", "* four".
bool begins_list_item(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && kube::ascii::is_digit(text[at])) ++at;
  if (at > 0) {
    if (at < text.size() && text[at] == '.') ++at;
  } else if (!text.empty() && (text.front() == '-' || text.front() == '*')) {
    at = 1;
  }
  return at > 0 && at < text.size() && is_blank(text[at]);
}

// Collects words into lines.
class Paragraphs {
 public:
  explicit Paragraphs(std::size_t columns) : columns_(columns) {}

  void add(std::string_view line) {
    const std::string_view text = trimmed(line);
    if (line.starts_with("    ")) {
      flush();
      lines_.emplace_back(line);
      return;
    }
    if (text.empty() && !lines_.empty()) {
      flush();
      lines_.emplace_back();
      return;
    }
    if (ends_with_colon_ || text.empty() || begins_list_item(text)) flush();
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view word = rest.substr(0, run_length(rest, false));
      rest.remove_prefix(word.size());
      rest.remove_prefix(run_length(rest, true));
      if (!line_.empty() && line_.size() + 1 + word.size() > columns_) flush();
      line_.append(line_.empty() ? "" : " ").append(word);
      ends_with_colon_ = word.ends_with(':');
    }
  }
  std::vector<std::string> take() {
    flush();
    return std::move(lines_);
  }

 private:
  void flush() {
    if (line_.empty()) return;
    lines_.push_back(std::exchange(line_, {}));
    ends_with_colon_ = false;
  }

  const std::size_t columns_;
  std::vector<std::string> lines_{};
  std::string line_{};
  bool ends_with_colon_ = false;
};

}  // namespace

std::string wrap_words(std::string_view text, std::size_t columns) {
  std::string out;
  for (const std::string_view line : lines_of(text)) out += wrap_line(line, columns) + "\n";
  out.pop_back();
  return out;
}

std::string indent_lines(std::string_view text, std::size_t columns) {
  const std::string indent(columns, ' ');
  std::string out = indent;
  for (const char c : text) {
    out += c;
    if (c == '\n') out += indent;
  }
  return out;
}

std::vector<std::string> wrap_paragraphs(std::string_view text, std::size_t columns) {
  Paragraphs paragraphs(columns);
  for (const std::string_view line : lines_of(text)) paragraphs.add(line);
  return paragraphs.take();
}

}  // namespace kubecpp
