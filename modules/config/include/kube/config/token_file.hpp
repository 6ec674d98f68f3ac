// SPDX-License-Identifier: Apache-2.0
//
// kube::rest::TokenFile: a bearer token that somebody else keeps fresh in a file, as the kubelet
// does for service accounts.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <kube/base/clock.hpp>
#include <kube/base/log.hpp>
#include <kube/base/result.hpp>

namespace kube::rest {

/// @par Thread safety   All functions may be called from any thread; when a token is due, one
///   caller reads the file and the others wait for it.
class TokenFile {
 public:
  struct Options {
    std::string path;
    std::string initial{};            ///< Used until the file could be read once.
    std::chrono::seconds period{60};  ///< A token read is good for so long ...
    std::chrono::seconds leeway{10};  ///< ... and read again so much earlier.
    std::shared_ptr<Logger> logger{};
  };

  /// Reads the file if there is no initial token, and fails (Credentials) when it can't.
  static Result<std::shared_ptr<TokenFile>> create(Options options, std::shared_ptr<Clock> clock);

  /// The token to send: the file's, or the last one known when the file can't be read.
  /// @par Blocks   On reading a small file, once a period.
  std::string token();

  /// The server refused a token that was taken at `since`: the next token() reads the file again,
  /// unless that was done in between.
  void refused(TimePoint since);

 private:
  TokenFile(Options options, std::shared_ptr<Clock> clock);
  Result<std::string> read() const;

  const Options options_;
  const std::shared_ptr<Clock> clock_;
  Mutex mutex_;
  std::string token_ KUBE_GUARDED_BY(mutex_);
  TimePoint read_at_ KUBE_GUARDED_BY(mutex_){};
  bool due_ KUBE_GUARDED_BY(mutex_) = true;          ///< Never read, or refused since.
  bool unreadable_ KUBE_GUARDED_BY(mutex_) = false;  ///< The last attempt failed.
};

}  // namespace kube::rest
