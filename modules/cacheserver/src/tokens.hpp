// SPDX-License-Identifier: Apache-2.0
//
// The bearer tokens of a cache server, from a file as kube-apiserver's --token-auth-file.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>
#include <kube/base/secret_text.hpp>

namespace kube::cacheserver {

/// @par Thread safety   A value.
class Tokens {
 public:
  /// No tokens: everyone is admitted.
  Tokens() = default;
  /// Parses lines `token,user,uid,"group1,group2"`; "" and lines that begin with # are skipped.
  /// @par Errors   InvalidArgument for a text that has no token, or a line without token, user and
  ///   uid; names file and line, never the token.
  static Result<Tokens> parse(std::string_view text, const std::string& file);

  /// Whether an Authorization field has one of the tokens. Takes the same time for each token.
  bool admits(std::string_view authorization) const;
  bool empty() const { return tokens_.empty(); }
  bool operator==(const Tokens&) const = default;

 private:
  std::vector<SecretText> tokens_;
};

/// The tokens of a file that another process may replace.
/// @par Thread safety   All functions may be called from any thread.
class TokenAuth {
 public:
  /// Without a file, everyone is admitted.
  explicit TokenAuth(std::string file) : file_(std::move(file)) {}

  /// Reads the file; returns whether its tokens have changed. After an error the old ones stay.
  /// @par Errors   InvalidArgument, for a file that can't be read or as Tokens::parse().
  Result<bool> read();
  bool admits(std::string_view authorization) const;

 private:
  const std::string file_;
  mutable Mutex mutex_;
  std::shared_ptr<const Tokens> tokens_ KUBE_GUARDED_BY(mutex_) = std::make_shared<const Tokens>();
};

}  // namespace kube::cacheserver
