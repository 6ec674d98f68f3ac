// SPDX-License-Identifier: Apache-2.0
//
// Parses, writes and reports Warning headers.
#include <kube/client/warnings.hpp>

#include <algorithm>
#include <ostream>

#include <kube/base/ascii.hpp>
#include <kube/base/utf8.hpp>

#include "encoded_word.hpp"
#include "media_type.hpp"

namespace kube::rest {
namespace {

Error malformed_warning(std::string_view what) {
  return {ErrorCode::Decode, "invalid warning header: " + std::string(what)};
}

// Accepts well-formed UTF-8 without control characters (C0, DEL, C1).
bool is_printable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (utf8_length(text, at) == 0) return false;
    const char32_t code = next_code_point(text, &at);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  }
  return true;
}

struct Quoted {
  std::string text;
  std::string_view rest;
};

Result<Quoted> parse_quoted(std::string_view text) {
  if (text.empty() || text.front() != '"') {
    return malformed_warning("invalid quoted string: missing initial quote");
  }
  Quoted quoted;
  bool escaping = false;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    if (!escaping && c == '"') {
      quoted.rest = ascii::trim_space(text.substr(i + 1));
      return quoted;
    }
    if (!escaping && c == '\\') {
      escaping = true;
      continue;
    }
    quoted.text.push_back(c);
    escaping = false;
  }
  return malformed_warning("invalid quoted string: missing closing quote");
}

// Skips the date that may follow the text, and the comma before the next warning.
Result<std::string_view> skip_date(std::string_view rest) {
  if (!rest.empty() && rest.front() == '"') {
    const std::size_t close = rest.find('"', 1);
    if (close == std::string_view::npos) return malformed_warning("unterminated date segment");
    rest = ascii::trim_space(rest.substr(close + 1));
  }
  if (rest.empty()) return rest;
  if (rest.front() != ',') return malformed_warning("unexpected token after warn-date");
  return ascii::trim_space(rest.substr(1));
}

}  // namespace

Result<ParsedWarning> parse_warning_header(std::string_view header) {
  header = ascii::trim_space(header);
  const std::size_t code_end = header.find(' ');
  const std::size_t agent_end =
      code_end == std::string_view::npos ? code_end : header.find(' ', code_end + 1);
  if (agent_end == std::string_view::npos) return malformed_warning("fewer than 3 segments");

  const std::string_view code = header.substr(0, code_end);
  const bool digits = std::ranges::all_of(code, ascii::is_digit);
  if (code.size() != 3 || !digits) return malformed_warning("code segment is not 3 digits");
  const std::string_view agent = header.substr(code_end + 1, agent_end - code_end - 1);
  if (agent.empty()) return malformed_warning("empty agent segment");
  if (!is_printable(agent)) return malformed_warning("invalid agent");

  Result<Quoted> quoted = parse_quoted(header.substr(agent_end + 1));
  if (!quoted) return quoted.error();
  std::string text = decode_encoded_words(quoted->text);
  if (!is_printable(text)) return malformed_warning("invalid text");
  Result<std::string_view> remainder = skip_date(quoted->rest);
  if (!remainder) return remainder.error();

  ParsedWarning parsed;
  parsed.warning.code = (code[0] - '0') * 100 + (code[1] - '0') * 10 + (code[2] - '0');
  parsed.warning.agent = std::string(agent);
  parsed.warning.text = std::move(text);
  parsed.remainder = std::string(*remainder);
  return parsed;
}

std::vector<Warning> parse_warnings(const transport::Headers& headers) {
  std::vector<Warning> warnings;
  for (const auto& [name, value] : headers) {
    if (!ascii::equal_ignoring_case(name, "Warning")) continue;
    std::string rest = value;
    while (!rest.empty()) {
      Result<ParsedWarning> parsed = parse_warning_header(rest);
      if (!parsed) break;
      warnings.push_back(std::move(parsed->warning));
      rest = std::move(parsed->remainder);
    }
  }
  return warnings;
}

Result<std::string> make_warning_header(const Warning& warning) {
  const auto invalid = [](const char* what) { return Error(ErrorCode::InvalidArgument, what); };
  if (warning.code < 0 || warning.code > 999) return invalid("code must be between 0 and 999");
  if (!is_printable(warning.agent) || warning.agent.find_first_of(" \"") != std::string::npos) {
    return invalid(
        "agent must be valid UTF-8 and must not contain spaces, quotes, or control characters");
  }
  if (!is_printable(warning.text)) {
    return invalid("text must be valid UTF-8 and must not contain control characters");
  }
  std::string code = std::to_string(warning.code);
  code.insert(0, 3 - code.size(), '0');
  std::string header = code + " " + (warning.agent.empty() ? "-" : warning.agent) + " \"";
  for (const char c : warning.text) {
    if (c == '"' || c == '\\') header.push_back('\\');
    header.push_back(c);
  }
  header.push_back('"');
  return header;
}

void LoggingWarningHandler::handle_warning_header(int code, std::string_view /*agent*/,
                                                  std::string_view text) {
  if (code != 299 || text.empty()) return;
  {
    const MutexLock lock(mutex_);
    constexpr std::size_t kRemembered = 256;
    if (seen_.size() >= kRemembered) seen_.clear();
    if (!seen_.emplace(text).second) return;
  }
  KUBE_LOG(logger_, LogLevel::Warning, "rest", "server warning", {"text", std::string(text)});
}

void WarningWriter::handle_warning_header(int code, std::string_view /*agent*/,
                                          std::string_view text) {
  if (code != 299 || text.empty()) return;
  const MutexLock lock(mutex_);
  if (options_.deduplicate && !written_.emplace(text).second) return;
  out_ << (options_.color ? "\x1b[33;1mWarning:\x1b[0m " : "Warning: ") << text << '\n';
}

}  // namespace kube::rest
