// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/status.hpp>

#include <algorithm>
#include <array>
#include <limits>

#include <kube/base/ascii.hpp>
#include <kube/codec/converter.hpp>
#include <kube/names/go_text.hpp>

namespace kube::meta {
namespace {

using go::quote;

struct ReasonFacts {
  StatusReason reason;
  std::string_view word;
  int code;
};

constexpr std::array<ReasonFacts, 20> kReasons{{
    {StatusReason::Unknown, "", 500},
    {StatusReason::Unauthorized, "Unauthorized", 401},
    {StatusReason::Forbidden, "Forbidden", 403},
    {StatusReason::NotFound, "NotFound", 404},
    {StatusReason::AlreadyExists, "AlreadyExists", 409},
    {StatusReason::Conflict, "Conflict", 409},
    {StatusReason::Gone, "Gone", 410},
    {StatusReason::Invalid, "Invalid", 422},
    {StatusReason::ServerTimeout, "ServerTimeout", 500},
    {StatusReason::StorageReadError, "StorageReadError", 500},
    {StatusReason::Timeout, "Timeout", 504},
    {StatusReason::TooManyRequests, "TooManyRequests", 429},
    {StatusReason::BadRequest, "BadRequest", 400},
    {StatusReason::MethodNotAllowed, "MethodNotAllowed", 405},
    {StatusReason::NotAcceptable, "NotAcceptable", 406},
    {StatusReason::RequestEntityTooLarge, "RequestEntityTooLarge", 413},
    {StatusReason::UnsupportedMediaType, "UnsupportedMediaType", 415},
    {StatusReason::InternalError, "InternalError", 500},
    {StatusReason::Expired, "Expired", 410},
    {StatusReason::ServiceUnavailable, "ServiceUnavailable", 503},
}};

const ReasonFacts& facts_of(StatusReason reason) {
  for (const ReasonFacts& facts : kReasons) {
    if (facts.reason == reason) return facts;
  }
  return kReasons.front();
}

void append_text(json::Object& object, const char* name, std::string_view value) {
  if (!value.empty()) object.append(name, value);
}

std::int32_t wire_seconds(std::chrono::seconds time) {
  constexpr std::chrono::seconds::rep kMax = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp<std::chrono::seconds::rep>(time.count(), 0, kMax));
}

json::Value status_object(std::string_view outcome, std::string_view message,
                          std::string_view reason, const std::optional<StatusDetails>& details,
                          int code) {
  json::Object status{
      {"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", json::Object{}}, {"status", outcome}};
  append_text(status, "message", message);
  append_text(status, "reason", reason);
  if (details) status.append("details", to_value(*details));
  if (code != 0) status.append("code", code);
  return status;
}

Error make_error(StatusReason reason, std::string_view message,
                 const std::optional<StatusDetails>& details = std::nullopt, int code = 0) {
  return error_from_status(make_status(reason, message, details, code));
}

StatusDetails details_of(const GroupResource& resource, std::string_view name) {
  return {.name = std::string(name), .group = resource.group, .kind = resource.resource};
}

std::string named(const GroupResource& resource, std::string_view name) {
  return resource.to_string() + ' ' + quote(name);
}

StatusReason generic_reason(int code, std::string_view verb) {
  switch (code) {
    case 400:
      return StatusReason::BadRequest;
    case 401:
      return StatusReason::Unauthorized;
    case 403:
      return StatusReason::Forbidden;
    case 404:
      return StatusReason::NotFound;
    case 405:
      return StatusReason::MethodNotAllowed;
    case 406:
      return StatusReason::NotAcceptable;
    case 409: {
      const std::string lower = ascii::to_lower(verb);
      return lower == "post" || lower == "create" ? StatusReason::AlreadyExists
                                                  : StatusReason::Conflict;
    }
    case 415:
      return StatusReason::UnsupportedMediaType;
    case 422:
      return StatusReason::Invalid;
    case 429:
      return StatusReason::TooManyRequests;
    case 503:
      return StatusReason::ServiceUnavailable;
    case 504:
      return StatusReason::Timeout;
    default:
      return code >= 500 ? StatusReason::InternalError : StatusReason::Unknown;
  }
}

std::string generic_message(int code, std::string_view server_message) {
  switch (code) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
      return server_message.empty() ? "the server forbids the request"
                                    : std::string(server_message);
    case 415:
      return server_message.empty() ? "the server does not take bodies of this type"
                                    : std::string(server_message);
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 406:
      if (!server_message.empty() && server_message != "unknown")
        return std::string(server_message);
      return "the server was unable to respond with a content type that the client supports";
    case 409:
      return "the server reported a conflict";
    case 422:
      return "the server rejected our request due to an error in our request";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be "
             "processing the request";
    default:
      break;
  }
  if (code >= 500) {
    return "an error on the server (" + quote(server_message) +
           ") has prevented the request from succeeding";
  }
  return "the server responded with the status code " + std::to_string(code) +
         " but did not return more information";
}

struct Generic {
  StatusReason reason;
  std::string message;
  StatusDetails details;
};

Generic generic(int code, std::string_view verb, const GroupResource& resource,
                std::string_view name, std::string_view server_message,
                std::chrono::seconds retry_after, bool unexpected) {
  Generic answer{generic_reason(code, verb), generic_message(code, server_message),
                 details_of(resource, name)};
  if (!resource.empty()) {
    answer.message += " (" + ascii::to_lower(verb) + ' ' + resource.to_string();
    if (!name.empty()) answer.message += ' ' + std::string(name);
    answer.message += ')';
  }
  answer.details.retry_after_seconds = wire_seconds(retry_after);
  if (unexpected) {
    answer.details.causes.push_back({.reason = std::string(kCauseUnexpectedServerResponse),
                                     .message = std::string(server_message)});
  }
  return answer;
}

}  // namespace

std::string_view to_string(StatusReason reason) {
  return facts_of(reason).word;
}
int http_code(StatusReason reason) {
  return facts_of(reason).code;
}

std::optional<StatusReason> parse_status_reason(std::string_view text) {
  for (const ReasonFacts& facts : kReasons) {
    if (facts.word == text) return facts.reason;
  }
  return std::nullopt;
}

json::Value make_status(StatusReason reason, std::string_view message,
                        const std::optional<StatusDetails>& details, int code) {
  return status_object("Failure", message, to_string(reason), details,
                       code != 0 ? code : http_code(reason));
}

json::Value make_success_status(const std::optional<StatusDetails>& details) {
  return status_object("Success", "", "", details, 0);
}

json::Value status_json(const Error& error) {
  if (const StatusBody* own = status_of(error)) return own->status;
  std::string_view reason = error.reason();
  int code = error.http_status();
  if (code < 400) {
    StatusReason fallback = StatusReason::Unknown;
    if (error.code() == ErrorCode::InvalidArgument || error.code() == ErrorCode::Decode) {
      fallback = StatusReason::BadRequest;
    } else if (error.code() == ErrorCode::Timeout) {
      fallback = StatusReason::Timeout;
    }
    reason = to_string(fallback);
    code = http_code(fallback);
  }
  std::optional<StatusDetails> details;
  if (const auto delay = error.retry_after()) {
    details = StatusDetails{.retry_after_seconds = wire_seconds(*delay)};
  }
  return status_object("Failure", error.to_string(), reason, details, code);
}

Error not_found_error(const GroupResource& resource, std::string_view name) {
  return make_error(StatusReason::NotFound, named(resource, name) + " not found",
                    details_of(resource, name));
}

Error already_exists_error(const GroupResource& resource, std::string_view name) {
  return make_error(StatusReason::AlreadyExists, named(resource, name) + " already exists",
                    details_of(resource, name));
}

Error generate_name_conflict_error(const GroupResource& resource, std::string_view name,
                                   std::chrono::seconds retry_after) {
  StatusDetails details = details_of(resource, name);
  details.retry_after_seconds = wire_seconds(retry_after);
  return make_error(
      StatusReason::AlreadyExists,
      named(resource, name) +
          " already exists, the server was not able to generate a unique name for the object",
      details);
}

Error unauthorized_error(std::string_view message) {
  return make_error(StatusReason::Unauthorized, message.empty() ? "not authorized" : message);
}

Error forbidden_error(const GroupResource& resource, std::string_view name, std::string_view why) {
  std::string message = "forbidden: ";
  if (!resource.empty()) {
    message = (name.empty() ? resource.to_string() : named(resource, name)) + " is forbidden: ";
  }
  message += why;
  return make_error(StatusReason::Forbidden, message, details_of(resource, name));
}

Error conflict_error(const GroupResource& resource, std::string_view name, std::string_view why) {
  return make_error(
      StatusReason::Conflict,
      "Operation cannot be fulfilled on " + named(resource, name) + ": " + std::string(why),
      details_of(resource, name));
}

Error optimistic_lock_error(const GroupResource& resource, std::string_view name) {
  return conflict_error(resource, name,
                        "the object has been modified; please apply your changes to the latest "
                        "version and try again");
}

Error apply_conflict_error(std::string_view message, std::vector<StatusCause> causes) {
  return make_error(StatusReason::Conflict, message, StatusDetails{.causes = std::move(causes)});
}

Error invalid_error(const GroupKind& kind, std::string_view name, const FieldErrors& errors) {
  StatusDetails details{.name = std::string(name), .group = kind.group, .kind = kind.kind};
  for (const FieldError& error : errors) {
    details.causes.push_back({std::string(to_string(error.type)), error.body(), error.field});
  }
  std::string message = kind.to_string() + ' ' + quote(name) + " is invalid";
  if (!errors.empty()) message += ": " + to_string(errors);
  return make_error(StatusReason::Invalid, message, details);
}

Error method_not_supported_error(const GroupResource& resource, std::string_view action) {
  return make_error(
      StatusReason::MethodNotAllowed,
      std::string(action) + " is not supported on resources of kind " + quote(resource.to_string()),
      details_of(resource, {}));
}

Error not_acceptable_error(std::string_view message) {
  return make_error(StatusReason::NotAcceptable, message);
}

Error unsupported_media_type_error(std::string_view message) {
  return make_error(StatusReason::UnsupportedMediaType, message);
}

Error server_timeout_error(const GroupResource& resource, std::string_view operation,
                           std::chrono::seconds retry_after) {
  StatusDetails details = details_of(resource, operation);
  details.retry_after_seconds = wire_seconds(retry_after);
  return make_error(StatusReason::ServerTimeout,
                    "The " + std::string(operation) + " operation against " + resource.to_string() +
                        " could not be completed at this time, please try again.",
                    details);
}

Error internal_error(std::string_view why) {
  return make_error(StatusReason::InternalError, "Internal error occurred: " + std::string(why),
                    StatusDetails{.causes = {{.message = std::string(why)}}});
}

Error timeout_error(std::string_view why, std::chrono::seconds retry_after) {
  return make_error(StatusReason::Timeout, "Timeout: " + std::string(why),
                    StatusDetails{.retry_after_seconds = wire_seconds(retry_after)});
}

Error too_large_resource_version_error(std::uint64_t wanted, std::uint64_t current,
                                       std::chrono::seconds retry_after) {
  return make_error(StatusReason::Timeout,
                    "Timeout: Too large resource version: " + std::to_string(wanted) +
                        ", current: " + std::to_string(current),
                    StatusDetails{.causes = {{.reason = std::string(kCauseResourceVersionTooLarge),
                                              .message = "Too large resource version"}},
                                  .retry_after_seconds = wire_seconds(retry_after)});
}

Error too_many_requests_error(std::string_view message, std::chrono::seconds retry_after) {
  return make_error(StatusReason::TooManyRequests, message,
                    StatusDetails{.retry_after_seconds = wire_seconds(retry_after)});
}

Error request_entity_too_large_error(std::string_view why) {
  return make_error(StatusReason::RequestEntityTooLarge,
                    "Request entity too large: " + std::string(why));
}

Error bad_request_error(std::string_view message) {
  return make_error(StatusReason::BadRequest, message);
}

Error service_unavailable_error(std::string_view message) {
  return make_error(StatusReason::ServiceUnavailable, message);
}

Error resource_expired_error(std::string_view message) {
  return make_error(StatusReason::Expired, message);
}

Error gone_error(std::string_view message) {
  return make_error(StatusReason::Gone, message);
}

Error generic_server_error(int http_status, std::string_view verb, const GroupResource& resource,
                           std::string_view name, std::string_view server_message,
                           std::chrono::seconds retry_after, bool unexpected) {
  const Generic answer =
      generic(http_status, verb, resource, name, server_message, retry_after, unexpected);
  return make_error(answer.reason, answer.message, answer.details, http_status);
}

Error client_error(int http_status, std::string_view verb, std::string_view reason,
                   std::string_view text) {
  Generic answer = generic(http_status, verb, {}, {}, text, std::chrono::seconds(0), true);
  answer.details.causes.push_back({.reason = reason.empty() ? "ClientError" : std::string(reason),
                                   .message = std::string(text)});
  return make_error(answer.reason, answer.message, answer.details, http_status);
}

}  // namespace kube::meta
