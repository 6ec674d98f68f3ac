// SPDX-License-Identifier: Apache-2.0
//
// A server's responses as errors, and apimachinery's predicates on them. Pure functions: any thread
// may call them.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/text_argument.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/status_cause.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

// Each returns true for a server's response with that reason, or with the reason's HTTP code if the
// response has no known reason; false for every other error. Added context changes nothing.
// Exceptions: is_already_exists, is_resource_expired, is_server_timeout and is_store_read_error
// look at the reason alone; is_too_many_requests and is_request_entity_too_large also at code 429
// and 413 of a response with another reason.
bool is_not_found(const Error& error);
bool is_already_exists(const Error& error);
bool is_conflict(const Error& error);
bool is_gone(const Error& error);
bool is_resource_expired(const Error& error);
bool is_invalid(const Error& error);
bool is_bad_request(const Error& error);
bool is_forbidden(const Error& error);
bool is_unauthorized(const Error& error);
bool is_method_not_supported(const Error& error);
bool is_not_acceptable(const Error& error);
bool is_unsupported_media_type(const Error& error);
bool is_request_entity_too_large(const Error& error);
bool is_too_many_requests(const Error& error);
bool is_timeout(const Error& error);
bool is_server_timeout(const Error& error);
bool is_internal_error(const Error& error);
bool is_service_unavailable(const Error& error);
bool is_store_read_error(const Error& error);
/// The response was not a Status; the error was made from the HTTP code.
bool is_unexpected_server_error(const Error& error);
/// The response was an object where a Status was expected.
bool is_unexpected_object_error(const Error& error);
/// 504 for a resourceVersion that the server has not reached yet.
bool is_too_large_resource_version(const Error& error);
/// Returns the delay that the server asked for; nullopt if it asked for none. A ServerTimeout
/// always suggests a delay, which may be 0.
std::optional<std::chrono::seconds> suggests_client_delay(const Error& error);

namespace meta {

/// The Status that a server sent with an Error.
/// @par Thread safety   A value.
struct StatusBody : ErrorDetail {
  json::Value status;  ///< The complete Status object.
  std::string name{};
  std::string group{};
  std::string kind{};
  std::string uid{};
  std::vector<StatusCause> causes{};

  static const char kType;
  const void* type() const override;
};

/// Returns the Status of an error; null if the error is not from a server's Status.
const StatusBody* status_of(const Error& error);
const StatusBody* status_of(const Error&& error) = delete;  // Give the Error a name first.

/// Returns the first cause of that reason ("FieldManagerConflict"); nullopt if there is no such
/// cause.
std::optional<StatusCause> status_cause(const Error& error, std::string_view reason);
bool has_status_cause(const Error& error, std::string_view reason);

/// Returns the Error of an HTTP response of 400 and above: from the Status in the body if there is
/// one, else from the code as client-go does. `verb` is the HTTP method, `subject` the requested
/// object ("pods a"), empty when unknown. The Error has at most 2048 bytes of a body that is not a
/// Status, and only if its content type is text/* or missing and it is not JSON, which may hold
/// secrets.
Error error_from_response(int http_status, std::string_view content_type, std::string_view body,
                          std::optional<std::chrono::seconds> retry_after, std::string_view verb,
                          std::string_view subject);

/// The same with the parts of the subject, which the error's details have.
Error error_from_response(int http_status, std::string_view content_type, std::string_view body,
                          std::optional<std::chrono::seconds> retry_after, std::string_view verb,
                          const GroupResource& resource, std::string_view name);

/// Returns the Status of a response's bytes, JSON or protobuf with its envelope, as JSON.
/// @par Errors   Decode for invalid bytes, and for protobuf of another kind.
Result<json::Value> read_status(std::string_view bytes);

/// Returns the Error of a Status object; members that are missing or of a wrong type count as
/// empty. A Status of success becomes an error too: check its "status" first. The error's text has
/// at most 16 KiB of the Status's message, with control characters escaped except for line ends and
/// tabs, or says that the Status has no message. status_of() returns all of it.
Error error_from_status(const json::Value& status);
template <AnyText T>
Error error_from_status(const T& text) = delete;  // Use read_status() first.

/// Returns the Error of the object of a watch's ERROR event: as above for a Status, else a Decode
/// error for which is_unexpected_object_error() is true. Its text has the object's kind and name,
/// but not its content.
Error error_from_object(const json::Value& object);
template <AnyText T>
Error error_from_object(const T& text) = delete;  // json::parse() it first.

}  // namespace meta
}  // namespace kube
