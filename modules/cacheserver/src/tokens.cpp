// SPDX-License-Identifier: Apache-2.0
#include "tokens.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/file.hpp>
#include <kube/names/go_text.hpp>

namespace kube::cacheserver {
namespace {

/// Cuts a field off a line, as encoding/csv reads it; nothing for quotes that do not end it.
std::optional<std::string> take_field(std::string_view& line) {
  std::string out;
  if (line.starts_with('"')) {
    std::size_t at = 1;
    for (;; ++at) {
      if (at == line.size()) return std::nullopt;
      if (line[at] == '"') {
        if (at + 1 == line.size() || line[at + 1] != '"') break;
        ++at;
      }
      out += line[at];
    }
    line.remove_prefix(at + 1);
    if (!line.empty() && line.front() != ',') return std::nullopt;
  } else {
    out = line.substr(0, line.find(','));
    line.remove_prefix(out.size());
  }
  if (!line.empty()) line.remove_prefix(1);
  return out;
}

/// Returns the fields of a line; nothing for quotes that are not around a field.
std::optional<std::vector<std::string>> split_line(std::string_view line) {
  std::vector<std::string> out;
  while (!line.empty()) {
    auto field = take_field(line);
    if (!field) return std::nullopt;
    out.push_back(*std::move(field));
  }
  return out;
}

bool has_blank(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c == ' ' || c == '\t'; });
}

/// Whether a name has a blank before or after it, which its reader would hardly see.
bool is_padded(std::string_view name) {
  return !name.empty() && (has_blank(name.substr(0, 1)) || has_blank(name.substr(name.size() - 1)));
}

/// Returns what was expected of the fields of a line; empty when nothing is wrong with them. No
/// client can send a token with blanks.
std::string expected_of(const std::vector<std::string>& fields) {
  if (fields.size() < 3 || fields[0].empty() || fields[1].empty()) {
    return "token,user,uid and, in quotes, groups";
  }
  if (fields.size() > 4) return "four fields at most: several groups are one field, in quotes";
  if (has_blank(fields[0])) return "a token without blanks";
  if (is_padded(fields[1])) return "a user without blanks around the name";
  if (fields.size() > 3 && std::ranges::any_of(go::split(fields[3], ','), is_padded)) {
    return "groups without blanks around their names";
  }
  return {};
}

}  // namespace

Result<Tokens> Tokens::parse(std::string_view text, const std::string& file) {
  const auto wrong = [&](const std::string& what) {
    return Error(ErrorCode::InvalidArgument, "token file \"" + file + "\": " + what);
  };
  Tokens out;
  std::map<std::string, std::size_t> lines;
  // An editor's mark would be a part of the first token.
  if (text.starts_with("\xef\xbb\xbf")) return wrong("line 1: expected no byte order mark");
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const std::string at = "line " + std::to_string(number) + ": ";
    auto fields = split_line(line);
    if (!fields) return wrong(at + "expected quotes around a field");
    const std::string expected = expected_of(*fields);
    if (!expected.empty()) return wrong(at + "expected " + expected);
    const auto [known, is_new] = lines.emplace(fields->at(0), number);
    if (!is_new) {
      return wrong(at + "duplicate token, which is that of line " + std::to_string(known->second));
    }
    Token token{std::move(fields->at(0)), {std::move(fields->at(1)), {}}};
    if (fields->size() > 3) {
      for (const auto group : go::split(fields->at(3), ',')) {
        token.caller.groups.emplace_back(group);
      }
    }
    out.tokens_.push_back(std::move(token));
  }
  if (out.empty()) return wrong("has no token");
  return out;
}

const Caller* Tokens::find(std::string_view authorization) const& {
  static const Caller kAnyone;
  if (empty()) return &kAnyone;
  constexpr std::string_view kScheme = "Bearer ";
  // A scheme has no case (RFC 9110, 11.1).
  if (!ascii::equal_ignoring_case(authorization.substr(0, kScheme.size()), kScheme)) return nullptr;
  const std::string_view token = authorization.substr(kScheme.size());
  const Caller* found = nullptr;
  for (const Token& known : tokens_) {
    const std::string& text = known.text.reveal();
    if (text.size() == token.size() &&
        CRYPTO_memcmp(text.data(), token.data(), token.size()) == 0) {
      found = &known.caller;
    }
  }
  return found;
}

bool Tokens::admits(std::string_view authorization, const Caller& caller) const {
  const Caller* const found = find(authorization);
  return found != nullptr && *found == caller;
}

Result<bool> TokenAuth::read() {
  const auto text = read_file(file_, kMaxSmallFileBytes);
  if (!text) {
    return Error(ErrorCode::InvalidArgument,
                 "token file \"" + file_ + "\": " + text.error().message());
  }
  auto tokens = Tokens::parse(*text, file_);
  if (!tokens) return tokens.error();
  std::vector<std::shared_ptr<serving::WatchSource>> lost;
  {
    const MutexLock lock(mutex_);
    if (*tokens == *tokens_) return false;
    tokens_ = std::make_shared<const Tokens>(*std::move(tokens));
    lost = watches_.lost([&now = *tokens_](const Admitted& each) {
      return now.admits(each.authorization.reveal(), each.caller);
    });
  }
  for (const auto& watch : lost) watch->end();
  return true;
}

void TokenAuth::follow(const std::string& authorization, const Caller& caller,
                       const std::shared_ptr<serving::WatchSource>& watch) {
  {
    const MutexLock lock(mutex_);
    if (tokens_->empty()) return;
    // The file may have changed since the token was asked for.
    if (tokens_->admits(authorization, caller)) {
      return watches_.add(watch, {SecretText(authorization), caller});
    }
  }
  watch->end();
}

std::shared_ptr<const Caller> TokenAuth::find(std::string_view authorization) const {
  const auto tokens = [this] {
    const MutexLock lock(mutex_);
    return tokens_;
  }();
  const Caller* found = tokens->find(authorization);
  return found == nullptr ? nullptr : std::shared_ptr<const Caller>(tokens, found);
}

}  // namespace kube::cacheserver
