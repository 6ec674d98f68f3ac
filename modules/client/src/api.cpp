// SPDX-License-Identifier: Apache-2.0
//
// The parts of Api<T> that do not depend on T.
#include <kube/client/api.hpp>

#include <kube/meta/errors.hpp>

#include "envelope.hpp"

namespace kube::detail {

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

}  // namespace kube::detail
