// SPDX-License-Identifier: Apache-2.0
//
// Server answers as errors, and apimachinery's predicates on them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube {

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
bool is_unexpected_server_error(const Error& error);
/// 504 for a resourceVersion that the server has not reached yet.
bool is_too_large_resource_version(const Error& error);
/// Seconds to wait that the server asked for.
std::optional<std::chrono::seconds> suggests_client_delay(const Error& error);

namespace meta {

/// One cause of an Invalid (or other) answer.
struct StatusCause {
  std::string reason{};
  std::string message{};
  std::string field{};
  bool operator==(const StatusCause&) const = default;
};

/// The whole Status that a server sent with an Error.
struct StatusDetail : ErrorDetail {
  json::Value status;  ///< The Status object, nothing lost.
  std::string name{};
  std::string group{};
  std::string kind{};
  std::string uid{};
  std::vector<StatusCause> causes{};
};

/// The Status behind an error; null when the error did not come from a server's Status.
const StatusDetail* status_of(const Error& error);

/// An Error from an HTTP answer of 400 and above: from the Status in the body when there is one,
/// else made up from the code as client-go does. `subject` is what was asked for ("pods \"a\"").
Error error_from_response(int http_status, std::string_view content_type, std::string_view body,
                          std::optional<std::chrono::seconds> retry_after, std::string_view verb,
                          std::string_view subject);

/// An Error from a Status object (of a watch's ERROR event, say).
Error error_from_status(const json::Value& status);

}  // namespace meta
}  // namespace kube
