// SPDX-License-Identifier: Apache-2.0
#include "documents/errors.hpp"

#include <kube/base/join.hpp>

namespace kube::serving {
namespace {

using meta::StatusDetails;
using meta::StatusReason;

Error make_error(StatusReason reason, std::string_view message, const StatusDetails& subject = {}) {
  return meta::error_from_status(meta::make_status(reason, message, subject));
}

std::string named(const meta::GroupResource& resource, std::string_view name) {
  return resource.to_string() + " \"" + std::string(name) + "\"";
}

StatusDetails subject_of(const meta::GroupResource& resource, std::string_view name) {
  return {.name = std::string(name), .group = resource.group, .kind = resource.resource};
}

}  // namespace

Error no_such_resource() {
  return make_error(StatusReason::NotFound, "the server could not find the requested resource");
}

Error method_not_allowed() {
  return make_error(StatusReason::MethodNotAllowed,
                    "the server does not allow this method on the requested resource");
}

Error not_acceptable(const std::vector<std::string_view>& accepted) {
  return meta::not_acceptable_error("only the following media types are accepted: " +
                                    join(accepted, ", "));
}

Error unsupported_media_type(const std::vector<std::string_view>& accepted) {
  return meta::unsupported_media_type_error(
      "the body of the request was in an unknown format - accepted media types include: " +
      join(accepted, ", "));
}

Error being_deleted(const meta::GroupResource& resource, std::string_view name) {
  return make_error(StatusReason::AlreadyExists,
                    "object is being deleted: " + named(resource, name) + " already exists",
                    subject_of(resource, name));
}

Error namespace_terminating(const meta::GroupResource& resource, std::string_view name,
                            std::string_view namespace_) {
  const std::string text(namespace_);
  StatusDetails subject = subject_of(resource, name);
  subject.causes.push_back({std::string(meta::kCauseNamespaceTerminating),
                            "namespace " + text + " is being terminated", "metadata.namespace"});
  return make_error(StatusReason::Forbidden,
                    named(resource, name) +
                        " is forbidden: unable to create new content in namespace " + text +
                        " because it is being terminated",
                    subject);
}

Error expired_token(std::string_view fresh_token) {
  json::Value status = meta::make_status(
      StatusReason::Expired,
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new list without the continue parameter, or use the continue token in this response "
      "to retrieve the remainder of the results. Continuing with the provided token results in an "
      "inconsistent list - objects that were created, modified, or deleted between the time the "
      "first chunk was returned and now may show up in the list.");
  status.ensure_path({"metadata", "continue"}) = fresh_token;
  return meta::error_from_status(status);
}

Error too_old(std::uint64_t wanted, std::uint64_t oldest) {
  return meta::resource_expired_error("too old resource version: " + std::to_string(wanted) + " (" +
                                      std::to_string(oldest) + ")");
}

Error body_too_large(std::size_t limit) {
  return meta::request_entity_too_large_error("limit is " + std::to_string(limit));
}

Error not_handled(const meta::GroupVersionKind& actual, const meta::GroupVersionKind& expected,
                  std::string_view why) {
  return meta::bad_request_error(actual.kind + " in version \"" + actual.version +
                                 "\" cannot be handled as a " + expected.kind + ": " +
                                 std::string(why));
}

Error unexplained(std::string_view message) {
  // The reference server knows nothing of it that details could say.
  return meta::error_from_status(meta::make_status(StatusReason::Unknown, message));
}

Error webhook_failed(const meta::GroupVersionKind& version) {
  return unexplained("conversion webhook for " + version.api_version() + ", Kind=" + version.kind +
                     " failed: the embedded API server calls none, and serves only the stored "
                     "version, when all objects are stored in it");
}

Error invalid_options(std::string_view kind, const meta::FieldErrors& errors) {
  return meta::invalid_error({"meta.k8s.io", std::string(kind)}, "", errors);
}

}  // namespace kube::serving
