// SPDX-License-Identifier: Apache-2.0
//
// Server answers as errors, and apimachinery's predicates on them.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/status_cause.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

// Each is true for a server's answer with that reason, or with the code that stands for it when the
// answer has no reason of the known ones; false for every other error, whatever context was added.
// Exceptions: is_already_exists, is_resource_expired, is_server_timeout and is_store_read_error go
// by the reason alone; is_too_many_requests and is_request_entity_too_large by code 429 and 413
// even against the reason.
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
/// The answer was not a Status; the error was made up from the HTTP code.
bool is_unexpected_server_error(const Error& error);
/// An object stood where a Status was expected.
bool is_unexpected_object_error(const Error& error);
/// 504 for a resourceVersion that the server has not reached yet.
bool is_too_large_resource_version(const Error& error);
/// Seconds to wait that the server asked for; 0 is possible for a ServerTimeout, which always
/// suggests a delay.
std::optional<std::chrono::seconds> suggests_client_delay(const Error& error);

namespace meta {

/// The whole Status that a server sent with an Error.
struct StatusBody : ErrorDetail {
  json::Value status;  ///< The Status object, nothing lost.
  std::string name{};
  std::string group{};
  std::string kind{};
  std::string uid{};
  std::vector<StatusCause> causes{};
};

/// The Status behind an error; null when the error did not come from a server's Status.
const StatusBody* status_of(const Error& error);
const StatusBody* status_of(const Error&& error) = delete;  // Give the Error a name first.

/// The first cause of that reason ("FieldManagerConflict"); nullopt when there is none.
std::optional<StatusCause> status_cause(const Error& error, std::string_view reason);
bool has_status_cause(const Error& error, std::string_view reason);

/// An Error from an HTTP answer of 400 and above: from the Status in the body when there is one,
/// else made up from the code as client-go does. `verb` is the HTTP method, `subject` what was
/// asked for ("pods a"), empty when unknown. Of a body that is no Status, at most 2048 bytes are
/// kept, and only when its content type is text/* or missing and it is no JSON, which may hold
/// secrets.
Error error_from_response(int http_status, std::string_view content_type, std::string_view body,
                          std::optional<std::chrono::seconds> retry_after, std::string_view verb,
                          std::string_view subject);

/// The same with the subject in its parts, which go into the error's details.
Error error_from_response(int http_status, std::string_view content_type, std::string_view body,
                          std::optional<std::chrono::seconds> retry_after, std::string_view verb,
                          const GroupResource& resource, std::string_view name);

/// The Status that an answer's bytes hold, JSON or protobuf with its envelope, as JSON.
/// @par Errors   Decode; also for protobuf of another kind.
Result<json::Value> read_status(std::string_view bytes);

/// An Error from a Status object; members that are missing or of a wrong type count as empty. Also
/// a Status of success becomes an error: look at its "status" first. The error's text is the
/// Status's message, of which at most 16 KiB, with control characters escaped but for the ends of
/// lines and tabs; or it says that there is none. status_of() has all of it.
Error error_from_status(const json::Value& status);

/// An Error from the object of a watch's ERROR event: as above when it is a Status, else one that
/// is_unexpected_object_error and has the object's kind and name in its text, but none of its
/// content.
Error error_from_object(const json::Value& object);

}  // namespace meta
}  // namespace kube
