// SPDX-License-Identifier: Apache-2.0
//
// Makes Status objects, and the errors that have one, as API servers do: reason, code, message and
// details that clients match on (docs/reference/clients-and-config.md ch. 25).
//
//   const Error error = meta::not_found_error({"apps", "deployments"}, "web");
//   respond(error.http_status(), json::dump(meta::status_json(error)));
//
// Pure functions: any thread may call them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/error.hpp>
#include <kube/json/value.hpp>
#include <kube/meta/errors.hpp>
#include <kube/meta/status_details.hpp>
#include <kube/names/field_error.hpp>
#include <kube/names/group_version.hpp>

namespace kube::meta {

/// Why a request failed. On the wire it is the enumerator's name; Unknown is "".
enum class StatusReason {
  Unknown,
  Unauthorized,
  Forbidden,
  NotFound,
  AlreadyExists,
  Conflict,
  Gone,
  Invalid,
  ServerTimeout,
  StorageReadError,
  Timeout,
  TooManyRequests,
  BadRequest,
  MethodNotAllowed,
  NotAcceptable,
  RequestEntityTooLarge,
  UnsupportedMediaType,
  InternalError,
  Expired,
  ServiceUnavailable,
};

std::string_view to_string(StatusReason reason);
/// Returns the reason of a name; nullopt for an unknown one.
std::optional<StatusReason> parse_status_reason(std::string_view text);
/// Returns the HTTP code of the reason; 500 for Unknown.
int http_code(StatusReason reason);

/// Reasons of causes that clients look for.
inline constexpr std::string_view kCauseFieldManagerConflict = "FieldManagerConflict";
inline constexpr std::string_view kCauseNamespaceTerminating = "NamespaceTerminating";
inline constexpr std::string_view kCauseResourceVersionTooLarge = "ResourceVersionTooLarge";
inline constexpr std::string_view kCauseUnexpectedServerResponse = "UnexpectedServerResponse";

/// Returns a Status of failure. Empty and zero details are not written; `code` 0 means the code of
/// the reason.
json::Value make_status(StatusReason reason, std::string_view message,
                        const std::optional<StatusDetails>& details = std::nullopt, int code = 0);

/// Returns a Status of success, as the response of a delete.
json::Value make_success_status(const std::optional<StatusDetails>& details = std::nullopt);

/// Returns the Status of any error: the server's own if there is one, else one with http_status()
/// and reason() if that is 400 or above, else BadRequest for InvalidArgument and Decode, Timeout
/// for Timeout, and a 500 without reason for the others.
json::Value status_json(const Error& error);

// Return errors of code Server with their Status. `why` is the specific part of the message.
Error not_found_error(const GroupResource& resource, std::string_view name);
Error already_exists_error(const GroupResource& resource, std::string_view name);
Error generate_name_conflict_error(const GroupResource& resource, std::string_view name,
                                   std::chrono::seconds retry_after = std::chrono::seconds(1));
Error unauthorized_error(std::string_view message = {});
Error forbidden_error(const GroupResource& resource, std::string_view name, std::string_view why);
Error conflict_error(const GroupResource& resource, std::string_view name, std::string_view why);
/// The conflict of an update whose resourceVersion is not the latest.
Error optimistic_lock_error(const GroupResource& resource, std::string_view name);
Error apply_conflict_error(std::string_view message, std::vector<StatusCause> causes);
Error invalid_error(const GroupKind& kind, std::string_view name, const FieldErrors& errors);
Error method_not_supported_error(const GroupResource& resource, std::string_view action);
Error not_acceptable_error(std::string_view message);
Error unsupported_media_type_error(std::string_view message);
Error server_timeout_error(const GroupResource& resource, std::string_view operation,
                           std::chrono::seconds retry_after);
Error internal_error(std::string_view why);
Error timeout_error(std::string_view why, std::chrono::seconds retry_after);
/// 504 for a resourceVersion that the server has not reached yet.
Error too_large_resource_version_error(std::uint64_t wanted, std::uint64_t current,
                                       std::chrono::seconds retry_after = std::chrono::seconds(1));
Error too_many_requests_error(std::string_view message, std::chrono::seconds retry_after);
Error request_entity_too_large_error(std::string_view why);
Error bad_request_error(std::string_view message);
Error service_unavailable_error(std::string_view message);
Error resource_expired_error(std::string_view message);
Error gone_error(std::string_view message);

/// Returns the error that a client makes from an HTTP code. `verb` is the HTTP method,
/// `server_message` the text of the body; with `unexpected` it becomes a cause.
Error generic_server_error(int http_status, std::string_view verb, const GroupResource& resource,
                           std::string_view name, std::string_view server_message,
                           std::chrono::seconds retry_after, bool unexpected);

/// Returns the error of a client that can't read a stream: a generic error with `text` as an
/// unexpected response and as a cause of `reason` ("ClientError" when empty).
Error client_error(int http_status, std::string_view verb, std::string_view reason,
                   std::string_view text);

}  // namespace kube::meta
