// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"


namespace kube::apiserver {
namespace {

std::string qualified(const meta::GroupResource& resource) { return resource.to_string(); }

std::string quoted(std::string_view text) {
  std::string out;
  out.append("\"").append(text).append("\"");
  return out;
}

std::string subject(const meta::GroupResource& resource, std::string_view name) {
  return qualified(resource) + " " + quoted(name);
}

StatusFacts about(int code, std::string reason, std::string message,
                  const meta::GroupResource& resource, std::string_view name) {
  StatusFacts facts;
  facts.code = code;
  facts.reason = std::move(reason);
  facts.message = std::move(message);
  facts.name = name;
  facts.group = resource.group;
  facts.kind = resource.resource;
  return facts;
}

StatusFacts plain(int code, std::string reason, std::string message) {
  StatusFacts facts;
  facts.code = code;
  facts.reason = std::move(reason);
  facts.message = std::move(message);
  return facts;
}

std::string joined(const std::vector<std::string_view>& texts) {
  std::string out;
  for (const std::string_view text : texts) {
    if (!out.empty()) out += ", ";
    out += text;
  }
  return out;
}

std::vector<meta::StatusCause> causes_of(const meta::FieldErrors& errors) {
  std::vector<meta::StatusCause> causes;
  for (const meta::FieldError& error : errors) {
    causes.push_back({std::string(meta::to_string(error.type)), error.body(), error.field});
  }
  return causes;
}

}  // namespace

json::Object make_status(const StatusFacts& facts) {
  json::Object metadata;
  if (!facts.continue_.empty()) metadata.set("continue", facts.continue_);
  json::Object details;
  if (!facts.name.empty()) details.set("name", facts.name);
  if (!facts.group.empty()) details.set("group", facts.group);
  if (!facts.kind.empty()) details.set("kind", facts.kind);
  if (!facts.uid.empty()) details.set("uid", facts.uid);
  if (!facts.causes.empty()) {
    json::Array causes;
    for (const meta::StatusCause& cause : facts.causes) {
      json::Object entry;
      if (!cause.reason.empty()) entry.set("reason", cause.reason);
      if (!cause.message.empty()) entry.set("message", cause.message);
      if (!cause.field.empty()) entry.set("field", cause.field);
      causes.emplace_back(std::move(entry));
    }
    details.set("causes", std::move(causes));
  }
  if (facts.retry_after_seconds > 0) details.set("retryAfterSeconds", facts.retry_after_seconds);

  json::Object status{{"kind", "Status"},
                      {"apiVersion", "v1"},
                      {"metadata", std::move(metadata)},
                      {"status", facts.code < 400 ? "Success" : "Failure"}};
  if (!facts.message.empty()) status.set("message", facts.message);
  if (!facts.reason.empty()) status.set("reason", facts.reason);
  const bool shows_empty_details = facts.reason == "NotFound" || facts.reason == "MethodNotAllowed";
  if (!details.empty() || shows_empty_details) status.set("details", std::move(details));
  if (facts.code != 0) status.set("code", facts.code);
  return status;
}

Error to_error(const StatusFacts& facts) { return meta::error_from_status(make_status(facts)); }

Error bad_request(std::string message) {
  return to_error(plain(400, "BadRequest", std::move(message)));
}

Error unauthorized() { return to_error(plain(401, "Unauthorized", "Unauthorized")); }

Error forbidden(const meta::GroupResource& resource, std::string_view name, std::string_view why) {
  std::string message =
      resource.resource.empty()
          ? std::string("forbidden: ")
          : (name.empty() ? qualified(resource) : subject(resource, name)) + " is forbidden: ";
  message += why;
  return to_error(about(403, "Forbidden", std::move(message), resource, name));
}

Error not_found(const meta::GroupResource& resource, std::string_view name) {
  return to_error(
      about(404, "NotFound", subject(resource, name) + " not found", resource, name));
}

Error no_such_resource() {
  return to_error(
      plain(404, "NotFound", "the server could not find the requested resource"));
}

Error method_not_allowed() {
  return to_error(plain(405, "MethodNotAllowed",
                        "the server does not allow this method on the requested resource"));
}

Error not_acceptable(const std::vector<std::string_view>& accepted) {
  return to_error(plain(406, "NotAcceptable",
                        "only the following media types are accepted: " + joined(accepted)));
}

Error unsupported_media_type(const std::vector<std::string_view>& accepted) {
  return to_error(
      plain(415, "UnsupportedMediaType",
            "the body of the request was in an unknown format - accepted media types include: " +
                joined(accepted)));
}

Error already_exists(const meta::GroupResource& resource, std::string_view name) {
  return to_error(
      about(409, "AlreadyExists", subject(resource, name) + " already exists", resource, name));
}

Error being_deleted(const meta::GroupResource& resource, std::string_view name) {
  return to_error(about(409, "AlreadyExists",
                        "object is being deleted: " + subject(resource, name) + " already exists",
                        resource, name));
}

Error no_unique_name(const meta::GroupResource& resource, std::string_view name) {
  StatusFacts facts = about(409, "AlreadyExists",
                            subject(resource, name) +
                                " already exists, the server was not able to generate a unique "
                                "name for the object",
                            resource, name);
  facts.retry_after_seconds = 1;
  return to_error(facts);
}

Error conflict(const meta::GroupResource& resource, std::string_view name, std::string_view why) {
  std::string message = "Operation cannot be fulfilled on " + subject(resource, name) + ": ";
  message += why;
  return to_error(about(409, "Conflict", std::move(message), resource, name));
}

Error modified(const meta::GroupResource& resource, std::string_view name) {
  return conflict(resource, name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

Error expired(std::string message, std::string continue_token) {
  StatusFacts facts = plain(410, "Expired", std::move(message));
  facts.continue_ = std::move(continue_token);
  return to_error(facts);
}

Error too_large(std::size_t limit) {
  return to_error(plain(413, "RequestEntityTooLarge",
                        "Request entity too large: limit is " + std::to_string(limit)));
}

Error invalid(const meta::GroupKind& kind, std::string_view name, const meta::FieldErrors& errors) {
  StatusFacts facts;
  facts.code = 422;
  facts.reason = "Invalid";
  facts.message = kind.to_string() + " " + quoted(name) + " is invalid";
  if (!errors.empty()) facts.message += ": " + meta::to_string(errors);
  facts.name = name;
  facts.group = kind.group;
  facts.kind = kind.kind;
  facts.causes = causes_of(errors);
  return to_error(facts);
}

Error invalid_options(std::string_view kind, const meta::FieldErrors& errors) {
  return invalid({"meta.k8s.io", std::string(kind)}, "", errors);
}

Error too_many_requests(std::string message, int retry_after_seconds,
                        std::vector<meta::StatusCause> causes) {
  StatusFacts facts = plain(429, "TooManyRequests", std::move(message));
  facts.retry_after_seconds = retry_after_seconds;
  facts.causes = std::move(causes);
  return to_error(facts);
}

Error too_large_resource_version(std::uint64_t wanted, std::uint64_t current) {
  StatusFacts facts = plain(504, "Timeout",
                            "Timeout: Too large resource version: " + std::to_string(wanted) +
                                ", current: " + std::to_string(current));
  facts.retry_after_seconds = 1;
  facts.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  return to_error(facts);
}

Error internal_error(std::string_view why) {
  StatusFacts facts = plain(500, "InternalError", "Internal error occurred: " + std::string(why));
  facts.causes.push_back({"", std::string(why), ""});
  return to_error(facts);
}

json::Object status_of_error(const Error& error) {
  if (const meta::StatusDetail* detail = meta::status_of(error);
      detail != nullptr && detail->status.is_object()) {
    return *detail->status.if_object();
  }
  switch (error.code()) {
    case ErrorCode::Decode:
    case ErrorCode::InvalidArgument:
      return make_status(plain(400, "BadRequest", error.to_string()));
    default:
      return status_of_error(internal_error(error.to_string()));
  }
}

}  // namespace kube::apiserver
