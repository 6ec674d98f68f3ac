// SPDX-License-Identifier: Apache-2.0
#include "schema_pattern.hpp"

#include <algorithm>
#include <utility>

#include <re2/re2.h>

namespace kube::meta {
namespace {

Error refused(std::string_view why, std::string_view part, ErrorCode code = ErrorCode::Decode) {
  return Error(code, "error parsing regexp: " + std::string(why) + ": `" + std::string(part) + "`");
}

// Returns Go's message for RE2's code.
std::string_view words_of(RE2::ErrorCode code) {
  switch (code) {
    case RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case RE2::ErrorBadCharClass:
      return "invalid character class";
    case RE2::ErrorBadCharRange:
      return "invalid character class range";
    case RE2::ErrorMissingBracket:
      return "missing closing ]";
    case RE2::ErrorMissingParen:
      return "missing closing )";
    case RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    default:
      return "regexp/syntax: internal error";
  }
}

// Translates Go's syntax into RE2's. They differ in three ways: Go accepts (?<name>...) as well as
// (?P<name>...), it has no \C, and it nests at most a thousand groups.
class Translation {
 public:
  explicit Translation(std::string_view expression) : from_(expression) {}

  Result<std::string> run() {
    while (at_ < from_.size()) {
      const std::string_view rest = from_.substr(at_);
      if (rest.starts_with("\\C")) return refused("invalid escape sequence", "\\C");
      if (rest.starts_with("\\Q")) {
        copy(std::min(rest.find("\\E", 2), rest.size()));
      } else if (rest.front() == '\\') {
        copy(2);
      } else if (rest.front() == '[') {
        copy_class();
      } else if (rest.front() == '(') {
        if (++depth_ > 1000) return refused("expression nests too deeply", from_);
        open_group(rest);
      } else {
        if (rest.front() == ')') --depth_;
        copy(1);
      }
    }
    return std::move(to_);
  }

 private:
  void copy(std::size_t count) {
    to_ += from_.substr(at_, count);
    at_ += count;
  }
  void open_group(std::string_view rest) {
    copy(1);
    if (!rest.starts_with("(?<") || rest.starts_with("(?<=") || rest.starts_with("(?<!")) return;
    copy(1);
    to_ += 'P';
  }
  void copy_class() {
    copy(1);
    if (from_.substr(at_).starts_with('^')) copy(1);
    if (from_.substr(at_).starts_with(']')) copy(1);
    while (at_ < from_.size() && from_[at_] != ']') {
      const std::string_view rest = from_.substr(at_);
      const std::size_t named = rest.starts_with("[:") ? rest.find(":]", 2) : rest.npos;
      copy(named != rest.npos ? named + 2 : rest.front() == '\\' ? 2 : 1);
    }
  }

  std::string_view from_;
  std::size_t at_ = 0;
  std::string to_;
  int depth_ = 0;
};

RE2::Options options_for(std::size_t memory) {
  RE2::Options options(RE2::Quiet);
  options.set_never_capture(true);
  options.set_max_mem(static_cast<std::int64_t>(memory));
  return options;
}

}  // namespace

struct Pattern::Impl {
  Impl(const std::string& expression, std::size_t bytes)
      : memory(bytes), compiled(expression, options_for(bytes)) {}

  std::size_t memory;
  RE2 compiled;
};

Result<Pattern> Pattern::compile(std::string_view expression, std::size_t memory) {
  if (expression.size() > kMaxBytes)
    return Error(ErrorCode::InvalidArgument, "a pattern may have at most " +
                                                 std::to_string(kMaxBytes) + " bytes, found " +
                                                 std::to_string(expression.size()));
  auto translated = Translation(expression).run();
  if (!translated) return translated.error();
  auto impl = std::make_shared<const Impl>(*translated, memory);
  for (const std::size_t more : {kUsualMemory, kMaxMemory}) {
    if (impl->compiled.error_code() == RE2::ErrorPatternTooLarge && memory < more)
      impl = std::make_shared<const Impl>(*translated, more);
  }
  const RE2& compiled = impl->compiled;
  if (compiled.ok()) return Pattern(std::move(impl));
  if (compiled.error_code() == RE2::ErrorPatternTooLarge)
    return refused("expression too large", expression, ErrorCode::InvalidArgument);
  return refused(words_of(compiled.error_code()), compiled.error_arg());
}

bool Pattern::is_in(std::string_view text) const {
  const re2::StringPiece bytes(text.data(), text.size());
  return impl_->compiled.Match(bytes, 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

std::size_t Pattern::steps() const {
  return static_cast<std::size_t>(std::max(impl_->compiled.ProgramSize(), 1));
}

std::size_t Pattern::memory() const {
  return impl_->memory;
}

}  // namespace kube::meta
