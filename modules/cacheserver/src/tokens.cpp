// SPDX-License-Identifier: Apache-2.0
#include "tokens.hpp"

#include <openssl/crypto.h>

#include <utility>

#include <kube/base/file.hpp>

namespace kube::cacheserver {

Result<Tokens> Tokens::parse(std::string_view text, const std::string& file) {
  const auto wrong = [&](const std::string& what) {
    return Error(ErrorCode::InvalidArgument, "token file \"" + file + "\": " + what);
  };
  Tokens out;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t user = line.find(',');
    const std::size_t uid = user == std::string_view::npos ? user : line.find(',', user + 1);
    if (uid == std::string_view::npos || user == 0 || uid == user + 1) {
      return wrong("line " + std::to_string(number) +
                   ": expected token,user,uid and, in quotes, groups");
    }
    out.tokens_.emplace_back(line.substr(0, user));
  }
  if (out.empty()) return wrong("has no token");
  return out;
}

bool Tokens::admits(std::string_view authorization) const {
  if (empty()) return true;
  constexpr std::string_view kScheme = "Bearer ";
  if (!authorization.starts_with(kScheme)) return false;
  const std::string_view token = authorization.substr(kScheme.size());
  bool found = false;
  for (const SecretText& known : tokens_) {
    const std::string& text = known.reveal();
    found |=
        text.size() == token.size() && CRYPTO_memcmp(text.data(), token.data(), token.size()) == 0;
  }
  return found;
}

Result<bool> TokenAuth::read() {
  const auto text = read_file(file_, kMaxSmallFileBytes);
  if (!text) return Error(ErrorCode::InvalidArgument, "token file " + text.error().message());
  auto tokens = Tokens::parse(*text, file_);
  if (!tokens) return tokens.error();
  const MutexLock lock(mutex_);
  if (*tokens == *tokens_) return false;
  tokens_ = std::make_shared<const Tokens>(*std::move(tokens));
  return true;
}

bool TokenAuth::admits(std::string_view authorization) const {
  const auto tokens = [this] {
    const MutexLock lock(mutex_);
    return tokens_;
  }();
  return tokens->admits(authorization);
}

}  // namespace kube::cacheserver
