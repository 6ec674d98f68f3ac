// SPDX-License-Identifier: Apache-2.0
//
// The parts of Api<T> that do not depend on T.
#include <kube/client/api.hpp>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>
#include <kube/meta/errors.hpp>
#include <kube/names/field_error.hpp>
#include <kube/names/validation.hpp>

#include "envelope.hpp"

namespace kube::detail {
namespace {

Result<Patch> metadata_patch(const char* member, std::string_view key,
                             std::optional<std::string_view> value, const meta::Problems& of_key,
                             const meta::Problems& of_value) {
  const meta::FieldPath path = meta::FieldPath("metadata").child(member);
  if (!of_key.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 meta::FieldError::invalid(path, std::string(key), join(of_key, "; ")).to_string());
  }
  if (!of_value.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 meta::FieldError::invalid(path.key(key), std::string(*value), join(of_value, "; "))
                     .to_string());
  }
  json::Value entry;  // null removes
  if (value) entry = *value;
  return Patch::merge(json::Object{
      {"metadata", json::Object{{member, json::Object{{std::string(key), std::move(entry)}}}}}});
}

}  // namespace

Optional<json::Value> status_in(const std::string& body) {
  const Result<TypeNames> type = type_names(body);
  if (!type || type->kind != "Status" || type->api_version != "v1") return std::nullopt;
  Result<json::Value> status = meta::read_status(body);
  if (!status) return std::nullopt;
  return *std::move(status);
}

Error Operation::failed(const Error& error) const {
  const ResourcePath path{.resource = api.resource(),
                          .namespace_ = api.namespace_(),
                          .name = std::string(name),
                          .subresource = std::string(subresource)};
  return error.with_context(std::string(verb) + " " + path.to_string());
}

Error missing_name(std::string_view where) {
  return Error(ErrorCode::InvalidArgument, "obj.Name must be provided to Apply")
      .with_context("apply " + std::string(where));
}

Result<Patch> label_patch(std::string_view key, std::optional<std::string_view> value) {
  return metadata_patch("labels", key, value, meta::validate_qualified_name(key),
                        value ? meta::validate_label_value(*value) : meta::Problems());
}

Result<Patch> annotation_patch(std::string_view key, std::optional<std::string_view> value) {
  return metadata_patch("annotations", key, value,
                        meta::validate_qualified_name(ascii::to_lower(key)), {});
}

}  // namespace kube::detail
