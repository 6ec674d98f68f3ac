// SPDX-License-Identifier: Apache-2.0
//
// kube::Error: why an operation failed, as a value.
//
// An Error answers questions instead of having a class of its own for each cause: whose turn it is
// to act (code), what the server said (http_status, reason, retry_after, detail), what we were
// doing (context). It knows no Kubernetes words: the predicates that controllers use (is_not_found,
// is_conflict, ...) are in <kube/meta/errors.hpp>.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kube {

/// Who has to act. Timeout and Cancelled are never the same code.
enum class ErrorCode {
  Server,       ///< The server answered and said no; http_status() and reason() say why.
  Unreachable,  ///< No answer: refused, reset, name not resolved, stream cut.
  Credentials,  ///< TLS handshake failed, or credentials could not be read or were refused locally.
  Decode,       ///< Bytes that could not be understood.
  Config,       ///< A configuration file or setting is wrong.
  InvalidArgument,  ///< The caller asked for something malformed.
  Timeout,          ///< A deadline passed.
  Cancelled,        ///< The caller's stop token asked to stop.
  Internal,  ///< A failure that none of the above explains, such as an exception from user code.
};

/// The code's name as printed in logs: "Server", "Unreachable", ...
std::string_view to_string(ErrorCode code);

/// What a layer above attaches to an Error; see kube::meta::status_of for the one in use.
struct ErrorDetail {
  virtual ~ErrorDetail() = default;
};

/// A failure. Cheap to copy (shared immutable state); never empty. Never contains a secret.
///
/// @par Thread safety   A value: distinct objects may be used from distinct threads.
class Error {
 public:
  Error(ErrorCode code, std::string message);

  ErrorCode code() const;

  /// What went wrong, without the context.
  const std::string& message() const&;
  std::string message() const&& { return message(); }

  /// Adds what the caller was doing, outermost first when printed. Once a layer, not once a call.
  [[nodiscard]] Error with_context(std::string_view doing) const;

  /// "list pods in default: GET http://...: connection refused".
  std::string to_string() const;

  /// Facts of a server's answer; 0, empty and nullopt when there was none.
  int http_status() const;
  const std::string& reason() const&;
  std::string reason() const&& { return reason(); }
  std::optional<std::chrono::seconds> retry_after() const;
  [[nodiscard]] Error with_http_status(int status) const;
  [[nodiscard]] Error with_reason(std::string reason) const;
  [[nodiscard]] Error with_retry_after(std::chrono::seconds delay) const;

  const std::shared_ptr<const ErrorDetail>& detail() const&;
  std::shared_ptr<const ErrorDetail> detail() const&& { return detail(); }
  [[nodiscard]] Error with_detail(std::shared_ptr<const ErrorDetail> detail) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// What Result::value() throws when there is no value. Only short programs want it.
class ApiException : public std::exception {
 public:
  explicit ApiException(Error error);
  const char* what() const noexcept override;
  const Error& error() const& noexcept { return error_; }
  Error error() const&& noexcept { return error_; }

 private:
  Error error_;
  std::string text_;
};

}  // namespace kube
