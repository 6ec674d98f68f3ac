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

#include "open_watches.hpp"

namespace kube::cacheserver {

/// Who sends a request.
struct Caller {
  std::string user{};
  std::vector<std::string> groups{};
  bool operator==(const Caller&) const = default;
};

/// @par Thread safety   A value.
class Tokens {
 public:
  /// No tokens: everyone is admitted, without a name.
  Tokens() = default;
  /// Parses lines `token,user,uid,"group1,group2"`, of fields with or without quotes; "" and lines
  /// that begin with # are skipped.
  /// @par Errors   InvalidArgument for a text that has no token, a line without token, user and uid
  ///   or with more than four fields, blanks in a token or around a name, and a duplicate token;
  ///   names file and line, never the token.
  static Result<Tokens> parse(std::string_view text, const std::string& file);

  /// Returns whose token an Authorization field has; null when it has none of them. Takes the same
  /// time for each token.
  const Caller* find(std::string_view authorization) const&;
  const Caller* find(std::string_view authorization) const&& = delete;  // Give it a name first.
  /// Whether find() returns this caller.
  bool admits(std::string_view authorization, const Caller& caller) const;
  bool empty() const { return tokens_.empty(); }
  bool operator==(const Tokens&) const = default;

 private:
  struct Token {
    SecretText text;
    Caller caller;
    bool operator==(const Token&) const = default;
  };
  std::vector<Token> tokens_;
};

/// The tokens of a file that another process may replace.
/// @par Thread safety   All functions may be called from any thread.
class TokenAuth {
 public:
  /// Without a file, everyone is admitted.
  explicit TokenAuth(std::string file) : file_(std::move(file)) {}

  /// Reads the file, and ends the watches of tokens that are gone, or of another user or groups
  /// now; returns whether its tokens have changed. After an error the old ones stay.
  /// @par Errors   InvalidArgument, for a file that can't be read or as Tokens::parse().
  Result<bool> read();
  /// As Tokens::find().
  std::shared_ptr<const Caller> find(std::string_view authorization) const;
  /// Ends a watch, now or later, when its token does not admit this caller any more.
  void follow(const std::string& authorization, const Caller& caller,
              const std::shared_ptr<serving::WatchSource>& watch);

 private:
  struct Admitted {
    SecretText authorization;
    Caller caller;
  };
  const std::string file_;
  mutable Mutex mutex_;
  std::shared_ptr<const Tokens> tokens_ KUBE_GUARDED_BY(mutex_) = std::make_shared<const Tokens>();
  OpenWatches<Admitted> watches_ KUBE_GUARDED_BY(mutex_);
};

}  // namespace kube::cacheserver
