// SPDX-License-Identifier: Apache-2.0
#include "yaml_source.hpp"

#include <algorithm>

#include <kube/base/ascii.hpp>
#include <kube/json/text.hpp>

namespace kube::yaml {
namespace {

bool is_word_character(char c) {
  return ascii::is_alnum(c) || c == '-' || c == '_';
}
// Accepts the characters that both yaml-cpp and Go's reader accept.
bool is_tag_character(char c) {
  return is_word_character(c) ||
         std::string_view("!;/?:@&=+$.~*'()%").find(c) != std::string_view::npos;
}

}  // namespace

std::size_t find_end_marker(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find("...", from); at != std::string_view::npos;
       at = text.find("...", at + 1)) {
    if (at != 0 && text[at - 1] != '\n') continue;
    if (at + 3 < text.size() && json::is_space(text[at + 3])) return at;
  }
  return std::string_view::npos;
}

bool is_json_object(std::string_view text) {
  if (!text.starts_with('{')) return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n", 1);
  return next != std::string_view::npos && (text[next] == '"' || text[next] == '}');
}

std::size_t first_line_with_content(std::string_view text) {
  std::size_t line = 0;
  while (line < text.size()) {
    const std::size_t content = std::min(text.find_first_not_of(" \t\r", line), text.size());
    const std::size_t end = std::min(text.find('\n', line), text.size());
    if (content < end && text[content] != '#') return line;
    line = std::min(end + 1, text.size());
  }
  return line;
}

std::string_view line_before(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  return before.substr(before.find_last_of('\n') + 1);
}

std::optional<std::string> with_line_feeds(std::string_view text) {
  constexpr std::string_view kNextLine = "\xc2\x85";
  if (text.find('\r') == std::string_view::npos && text.find(kNextLine) == std::string_view::npos)
    return std::nullopt;
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with(kNextLine) || rest.starts_with("\r\n")) ++at;
    out += rest.front() == '\r' || rest.starts_with(kNextLine) ? '\n' : rest.front();
  }
  return out;
}

bool is_anchor(std::string_view name) {
  return std::all_of(name.begin(), name.end(), is_word_character);
}

NodeBegin node_at(std::string_view text, std::size_t at, bool in_block) {
  constexpr std::string_view kSpace = " \t\r\n";
  if (in_block) {
    const std::string_view before = text.substr(0, at);
    const std::size_t gap = before.find_last_not_of(" \t") + 1;
    if (before.find('\t', gap) != std::string_view::npos &&
        (gap == 0 || std::string_view("\n-?").find(before[gap - 1]) != std::string_view::npos))
      return {{}, "found character that cannot start any token"};
  }
  std::string_view rest = text.substr(at);
  while (rest.starts_with('!') || rest.starts_with('&')) {
    const std::string_view word = rest.substr(0, rest.find_first_of(kSpace));
    if (word.starts_with('!') && !word.starts_with("!<")) {
      if (!std::all_of(word.begin(), word.end(), is_tag_character))
        return {{}, "did not find expected whitespace or line break"};
      // Only a directive could define it.
      if (word.find('!', 2) != std::string_view::npos) return {{}, "found undefined tag handle"};
    }
    rest.remove_prefix(word.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(kSpace), rest.size()));
  }
  return {rest};
}

const char* fault_at(std::string_view text, std::size_t at, Expected expected,
                     const std::set<std::string, std::less<>>& anchors) {
  const std::string_view rest = text.substr(std::min(at, text.size()));
  if (rest.empty()) return "found unexpected end of stream";
  if (line_before(text, at).empty() && (rest.starts_with("---") || rest.starts_with("...")))
    return "found unexpected document indicator";
  if (rest.front() == '*') {
    const std::string_view name = rest.substr(1, rest.find_first_of("[]{}, \t\n", 1) - 1);
    if (anchors.find(name) == anchors.end()) return "unknown anchor referenced";
  }
  if (rest.front() == '@' || rest.front() == '`' || rest.front() == '%')
    return "found character that cannot start any token";
  const bool indicates = rest.size() == 1 || json::is_space(rest[1]);
  if (indicates && rest.front() == '-')
    return "block sequence entries are not allowed in this context";
  if (at >= 2 && text[at - 2] == '\\') return "found unknown escape character";
  if (expected == Expected::ListSeparator) return "did not find expected ',' or ']'";
  if (expected == Expected::MapSeparator) return "did not find expected ',' or '}'";
  if (indicates && rest.front() == ':') return "mapping values are not allowed in this context";
  if (indicates && rest.front() == '?') return "mapping keys are not allowed in this context";
  return expected == Expected::Key ? "did not find expected key" : "found unexpected content";
}

std::optional<int> tab_in_block_indentation(std::string_view source) {
  std::size_t at = std::min(source.find('\n'), source.size());
  const std::string_view header = source.substr(0, std::min(at, source.find('#')));
  if (header.find_first_of("123456789") != std::string_view::npos) return std::nullopt;
  int line = 0;
  for (; at < source.size() && source[at] == '\n'; ++line)
    at = std::min(source.find_first_not_of(' ', at + 1), source.size());
  if (at < source.size() && source[at] == '\t') return line;
  return std::nullopt;
}

std::size_t breaks_at_end_of_quoted(std::string_view source, std::string_view value) {
  if (!value.empty() && value.back() != '\n') return 0;
  if (!source.starts_with('"') && !source.starts_with('\'')) return 0;
  const char quote = source.front();
  std::size_t breaks = 0;
  for (std::size_t at = 1; at < source.size(); ++at) {
    const char c = source[at];
    if (c == quote) {
      if (quote == '"' || at + 1 == source.size() || source[at + 1] != quote) return breaks;
      ++at;
      breaks = 0;
    } else if (c == '\n') {
      ++breaks;
    } else if (c == '\\' && quote == '"') {
      // An escaped character is kept unchanged, up to the next one.
      at = std::min(source.find_first_not_of(" \t\n", at + 2), source.size()) - 1;
      if (at + 1 < source.size() && source[at + 1] == '"') return 0;
      breaks = 0;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      breaks = 0;
    }
  }
  return 0;
}

}  // namespace kube::yaml
