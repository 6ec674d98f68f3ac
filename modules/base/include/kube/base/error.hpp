// SPDX-License-Identifier: Apache-2.0
//
// kube::Error: why an operation failed, as a value.
//
// One class serves all causes. It says who has to act (code), what the server responded
// (http_status, reason, retry_after, detail) and what the caller was doing (context). The
// predicates of Kubernetes (is_not_found, is_conflict, ...) are in <kube/meta/errors.hpp>.
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
  Server,       ///< The server refused the request; http_status() and reason() say why.
  Unreachable,  ///< No response: refused, reset, name not resolved, stream cut.
  Credentials,  ///< The TLS handshake failed, or credentials can't be read or don't fit together.
  Decode,       ///< Bytes that could not be decoded.
  Config,       ///< A configuration file or setting is wrong.
  InvalidArgument,  ///< An argument of the caller is malformed.
  Timeout,          ///< A deadline passed.
  Cancelled,        ///< The caller's stop token asked to stop.
  Internal,         ///< Any other failure, such as an exception from user code.
};

/// The code's name as printed in logs: "Server", "Unreachable", ...
std::string_view to_string(ErrorCode code);

/// Data that a higher layer attaches to an Error; kube::meta::status_of() reads the one in use.
/// @par Thread safety   Immutable once attached.
struct ErrorDetail {
  virtual ~ErrorDetail() = default;
  /// The address of the type's constant kType, by which detail_as() tells the library's own details
  /// apart: programs may be compiled without RTTI. Null for those of programs.
  virtual const void* type() const { return nullptr; }
};

/// A failure. Cheap to copy: copies share an immutable state. Never empty; never contains a secret.
///
/// @par Thread safety   A value: distinct objects may be used from distinct threads.
class Error {
 public:
  Error(ErrorCode code, std::string message);

  ErrorCode code() const;

  /// What went wrong, without the context.
  const std::string& message() const&;
  std::string message() const&& { return message(); }

  /// Returns the error with what the caller was doing, printed outermost first. Each layer adds
  /// one.
  [[nodiscard]] Error with_context(std::string_view doing) const;

  /// "list pods in default: GET http://...: connection refused".
  std::string to_string() const;

  /// Facts of a server's response; 0, empty and nullopt without one.
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

/// Returns the detail of an error if it is a T, which is one of the library's; else null.
template <class T>
const T* detail_as(const Error& error) {
  const ErrorDetail* detail = error.detail().get();
  if (detail == nullptr || detail->type() != &T::kType) return nullptr;
  return static_cast<const T*>(detail);
}
template <class T>
const T* detail_as(Error&& error) = delete;  // Give the error a name first.

/// Thrown by Result::value() when there is no value, for programs that handle errors as exceptions.
/// @par Thread safety   A value.
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
