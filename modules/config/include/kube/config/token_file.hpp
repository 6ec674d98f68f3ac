// SPDX-License-Identifier: Apache-2.0
//
// kube::rest::TokenFile: a bearer token in a file that another process renews, as the kubelet does
// for service accounts.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <kube/base/clock.hpp>
#include <kube/base/log.hpp>
#include <kube/base/result.hpp>
#include <kube/base/secret_text.hpp>

namespace kube::rest {

/// Reads a token from a file, and reads the file again as the token ages.
/// @par Thread safety   All functions may be called from any thread. When a token is due, one
///   caller reads the file and the others wait for it.
class TokenFile {
 public:
  struct Options {
    std::string path;
    SecretText initial{};             ///< Used until the file was read once.
    std::chrono::seconds period{60};  ///< A token is read again after period - leeway.
    std::chrono::seconds leeway{10};
    std::shared_ptr<Logger> logger{};
  };

  /// Reads the file if there is no initial token.
  /// @par Errors   Credentials when it can't be read.
  /// @par Blocks   While it reads a small file.
  static Result<std::shared_ptr<TokenFile>> create(Options options, std::shared_ptr<Clock> clock);

  /// Returns the token to send: the file's, or the last known one when the file can't be read.
  /// @par Blocks   While it reads a small file, once in each period.
  SecretText token();

  /// Reports that the server refused a token that was taken at `since`. The next token() reads the
  /// file, unless it was read after `since`.
  void refused(TimePoint since);

 private:
  TokenFile(Options options, std::shared_ptr<Clock> clock);
  Result<SecretText> read() const;

  const Options options_;
  const std::shared_ptr<Clock> clock_;
  Mutex mutex_;
  SecretText token_ KUBE_GUARDED_BY(mutex_);
  TimePoint read_at_ KUBE_GUARDED_BY(mutex_){};
  bool due_ KUBE_GUARDED_BY(mutex_) = true;          ///< Never read, or refused since.
  bool unreadable_ KUBE_GUARDED_BY(mutex_) = false;  ///< The last attempt failed.
};

}  // namespace kube::rest
