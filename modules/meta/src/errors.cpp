// SPDX-License-Identifier: Apache-2.0
#include <kube/meta/errors.hpp>

#include <algorithm>
#include <limits>

#include <kube/base/ascii.hpp>
#include <kube/base/printable.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/meta/status.hpp>
#include <kube/meta/status_type.hpp>

namespace kube {

namespace meta {
namespace {
// `http_status`: the response's code, used when the Status has none.
Error read_status_error(const json::Value& status, int http_status);
}  // namespace
}  // namespace meta

namespace {

using meta::StatusReason;

constexpr std::size_t kMaxBodyText = 2048;

struct UnexpectedObject final : ErrorDetail {
  static constexpr char kType{};
  const void* type() const override { return &kType; }
};

bool has_reason(const Error& error, StatusReason reason) {
  return error.code() == ErrorCode::Server && error.reason() == to_string(reason);
}

bool has_code(const Error& error, int code) {
  return error.code() == ErrorCode::Server && error.http_status() == code;
}

bool reason_is_known(const Error& error) {
  return meta::parse_status_reason(error.reason()).value_or(StatusReason::Unknown) !=
         StatusReason::Unknown;
}

/// Compares the reason, or the code of a response without a known reason.
bool is(const Error& error, StatusReason reason) {
  return has_reason(error, reason) ||
         (has_code(error, http_code(reason)) && !reason_is_known(error));
}

bool is_json(std::string_view content_type) {
  const std::string lower = ascii::to_lower(content_type);
  return lower.empty() || lower.find("json") != std::string::npos;
}

bool is_status(const json::Value& object) {
  const std::string_view api_version = object.string_at({"apiVersion"});
  return object.string_at({"kind"}) == "Status" &&
         (api_version.empty() || api_version == "v1" || api_version == "meta.k8s.io/v1");
}

/// Returns the Status of a failure in a body; nullopt when the body holds anything else.
std::optional<json::Value> read_failure(std::string_view content_type, std::string_view body) {
  if (body.empty() || !(is_json(content_type) || meta::is_protobuf(body))) return std::nullopt;
  Result<json::Value> value = meta::read_status(body);
  if (!value) return std::nullopt;
  const std::string_view outcome = value->string_at({"status"});
  if (!is_status(*value) || outcome == "Success" || outcome.empty()) return std::nullopt;
  return *std::move(value);
}

std::string_view message_of(std::string_view content_type, std::string_view body) {
  const bool is_text = content_type.empty() || ascii::to_lower(content_type).starts_with("text/");
  if (!is_text) return "unknown";
  const std::string_view text = ascii::trim_space(body);
  // The text may be a Secret.
  if (text.starts_with('{') || text.starts_with('[')) return "JSON that is not a Status";
  return ascii::trim_space(text.substr(0, kMaxBodyText));
}

/// Returns at most 16 KiB of the server's lines, with other control characters escaped.
std::string printable_lines(std::string_view text) {
  constexpr std::size_t kMaxBytes = std::size_t{16} << 10U;
  std::string out;
  for (;;) {
    const std::size_t end = std::min(text.find_first_of("\n\t"), text.size());
    out += printable(text.substr(0, end), kMaxBytes - out.size());
    if (end == text.size() || out.size() >= kMaxBytes) return out;
    out += text[end];
    text.remove_prefix(end + 1);
  }
}

/// Returns the message of a Status; if it has none, its reason and code, so that no error is empty.
std::string text_of_status(const json::Value& status, int http_status) {
  const std::string_view message = status.string_at({"message"});
  if (!ascii::trim_space(message).empty()) return printable_lines(message);
  const std::string_view reason = status.string_at({"reason"});
  const std::int64_t code = status.int_at({"code"}).value_or(http_status);
  std::string text = "the server gave no message";
  if (!reason.empty()) text += ", but the reason " + printable(reason, 100);
  if (code != 0)
    text += (reason.empty() ? ", but the code " : " and the code ") + std::to_string(code);
  return text;
}

struct Subject {
  std::string_view resource;
  std::string_view name;
};

/// Splits `pods a`, `pods "a"`, `pods "a" in namespace "b"` and `pods in all namespaces`.
Subject read_subject(std::string_view text) {
  const std::size_t space = std::min(text.find(' '), text.size());
  Subject subject{text.substr(0, space), {}};
  std::string_view rest = ascii::trim_space(text.substr(space));
  if (rest.starts_with('"')) {
    rest.remove_prefix(1);
    subject.name = rest.substr(0, rest.find('"'));
  } else if (rest.find(' ') == std::string_view::npos) {
    subject.name = rest;
  }
  return subject;
}

/// Names the object that was sent instead of a Status, without its content, which may be a Secret.
std::string name_of_unexpected(const json::Value& object) {
  constexpr std::size_t kMaxBytes = 253;
  if (!object.is_object()) return std::string(object.type_name());
  const std::string_view kind = object.string_at({"kind"});
  const std::string_view api_version = object.string_at({"apiVersion"});
  std::string text = kind.empty() ? "an object without a kind" : printable(kind, kMaxBytes);
  if (!api_version.empty()) text += " of " + printable(api_version, kMaxBytes);
  const std::string_view name = object.string_at({"metadata", "name"});
  return name.empty() ? text : text + " \"" + printable(name, kMaxBytes) + "\"";
}

Error from_status_body(const json::Value& status, int http_status,
                       std::optional<std::chrono::seconds> retry_after) {
  Error error = meta::read_status_error(status, http_status);
  if (error.http_status() == 0) error = error.with_http_status(http_status);
  if (!error.retry_after() && retry_after) error = error.with_retry_after(*retry_after);
  return error;
}

}  // namespace

bool is_not_found(const Error& error) {
  return is(error, StatusReason::NotFound);
}
bool is_already_exists(const Error& error) {
  return has_reason(error, StatusReason::AlreadyExists);
}
bool is_conflict(const Error& error) {
  return is(error, StatusReason::Conflict);
}
bool is_gone(const Error& error) {
  return is(error, StatusReason::Gone);
}
bool is_resource_expired(const Error& error) {
  return has_reason(error, StatusReason::Expired);
}
bool is_invalid(const Error& error) {
  return is(error, StatusReason::Invalid);
}
bool is_bad_request(const Error& error) {
  return is(error, StatusReason::BadRequest);
}
bool is_forbidden(const Error& error) {
  return is(error, StatusReason::Forbidden);
}
bool is_unauthorized(const Error& error) {
  return is(error, StatusReason::Unauthorized);
}
bool is_method_not_supported(const Error& error) {
  return is(error, StatusReason::MethodNotAllowed);
}
bool is_not_acceptable(const Error& error) {
  return is(error, StatusReason::NotAcceptable);
}
bool is_unsupported_media_type(const Error& error) {
  return is(error, StatusReason::UnsupportedMediaType);
}
bool is_request_entity_too_large(const Error& error) {
  return has_reason(error, StatusReason::RequestEntityTooLarge) || has_code(error, 413);
}
bool is_too_many_requests(const Error& error) {
  return has_reason(error, StatusReason::TooManyRequests) || has_code(error, 429);
}
bool is_timeout(const Error& error) {
  return is(error, StatusReason::Timeout);
}
bool is_server_timeout(const Error& error) {
  return has_reason(error, StatusReason::ServerTimeout);
}
bool is_internal_error(const Error& error) {
  return is(error, StatusReason::InternalError);
}
bool is_service_unavailable(const Error& error) {
  return is(error, StatusReason::ServiceUnavailable);
}
bool is_store_read_error(const Error& error) {
  return has_reason(error, StatusReason::StorageReadError);
}
bool is_unexpected_server_error(const Error& error) {
  return meta::has_status_cause(error, meta::kCauseUnexpectedServerResponse);
}
bool is_unexpected_object_error(const Error& error) {
  return detail_as<UnexpectedObject>(error) != nullptr;
}

bool is_too_large_resource_version(const Error& error) {
  if (meta::has_status_cause(error, meta::kCauseResourceVersionTooLarge)) return true;
  // by text: servers before 1.19 send no cause; client-go asks for the same words
  return is_timeout(error) &&
         error.message().find("Too large resource version") != std::string::npos;
}

std::optional<std::chrono::seconds> suggests_client_delay(const Error& error) {
  const meta::StatusBody* detail = meta::status_of(error);
  if (detail == nullptr) return error.retry_after();
  const json::Value* details = detail->status.at_path({"details"});
  if (details == nullptr || !details->is_object()) return error.retry_after();
  const std::chrono::seconds delay(details->int_at({"retryAfterSeconds"}).value_or(0));
  if (is_server_timeout(error) || delay.count() > 0) return delay;
  return error.retry_after();
}

namespace meta {

const char StatusBody::kType{};
const void* StatusBody::type() const {
  return &kType;
}

const StatusBody* status_of(const Error& error) {
  return detail_as<StatusBody>(error);
}

std::optional<StatusCause> status_cause(const Error& error, std::string_view reason) {
  const StatusBody* detail = status_of(error);
  if (detail == nullptr) return std::nullopt;
  const auto cause = std::find_if(detail->causes.begin(), detail->causes.end(),
                                  [reason](const StatusCause& c) { return c.reason == reason; });
  if (cause == detail->causes.end()) return std::nullopt;
  return *cause;
}

bool has_status_cause(const Error& error, std::string_view reason) {
  return status_cause(error, reason).has_value();
}

Result<json::Value> read_status(std::string_view bytes) {
  if (!is_protobuf(bytes)) return json::parse(bytes);
  const Result<Status> status = from_protobuf<Status>(bytes);
  if (!status) return status.error();
  return json::parse(to_json(*status));
}

Error error_from_status(const json::Value& status) {
  return read_status_error(status, 0);
}

namespace {

Error read_status_error(const json::Value& status, int http_status) {
  auto detail = std::make_shared<StatusBody>();
  detail->status = status;
  detail->name = status.string_at({"details", "name"});
  detail->group = status.string_at({"details", "group"});
  detail->kind = status.string_at({"details", "kind"});
  detail->uid = status.string_at({"details", "uid"});
  const json::Value* causes = status.at_path({"details", "causes"});
  if (const json::Array* list = causes != nullptr ? causes->if_array() : nullptr) {
    for (const json::Value& cause : *list) {
      detail->causes.push_back({std::string(cause.string_at({"reason"})),
                                std::string(cause.string_at({"message"})),
                                std::string(cause.string_at({"field"}))});
    }
  }
  Error error = Error(ErrorCode::Server, text_of_status(status, http_status))
                    .with_reason(std::string(status.string_at({"reason"})))
                    .with_detail(std::move(detail));
  const std::int64_t code = status.int_at({"code"}).value_or(0);
  if (code > 0 && code <= std::numeric_limits<int>::max()) {
    error = error.with_http_status(static_cast<int>(code));
  }
  const std::int64_t retry_after = status.int_at({"details", "retryAfterSeconds"}).value_or(0);
  if (retry_after > 0) {
    // An int32 in the API; a Duration can't count more.
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    error = error.with_retry_after(std::chrono::seconds(std::min(retry_after, kMax)));
  }
  return error;
}

}  // namespace

Error error_from_object(const json::Value& object) {
  if (is_status(object)) return error_from_status(object);
  return Error(ErrorCode::Decode, "expected a Status, found " + name_of_unexpected(object))
      .with_detail(std::make_shared<UnexpectedObject>());
}

Error error_from_response(int http_status, std::string_view content_type, std::string_view body,
                          std::optional<std::chrono::seconds> retry_after, std::string_view verb,
                          const GroupResource& resource, std::string_view name) {
  if (const auto status = read_failure(content_type, body)) {
    return from_status_body(*status, http_status, retry_after);
  }
  return generic_server_error(http_status, verb, resource, name, message_of(content_type, body),
                              retry_after.value_or(std::chrono::seconds(0)), true);
}

Error error_from_response(int http_status, std::string_view content_type, std::string_view body,
                          std::optional<std::chrono::seconds> retry_after, std::string_view verb,
                          std::string_view subject) {
  const Subject asked_for = read_subject(subject);
  return error_from_response(http_status, content_type, body, retry_after, verb,
                             parse_group_resource(asked_for.resource), asked_for.name);
}

}  // namespace meta
}  // namespace kube
