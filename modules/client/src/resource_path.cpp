// SPDX-License-Identifier: Apache-2.0
//
// Checks the names of a resource and makes its path.
#include <kube/client/rest_client.hpp>

#include <kube/base/ascii.hpp>

#include "request_url.hpp"

namespace kube {
namespace {

Error invalid_path(std::string text) {
  return {ErrorCode::InvalidArgument, std::move(text)};
}

}  // namespace

Result<std::string> ResourcePath::to_path() const {
  if (auto ok = check_segment(namespace_, "namespace"); !ok) return ok.error();
  if (auto ok = check_segment(resource.plural, "resource"); !ok) return ok.error();
  if (auto ok = check_segment(name, "resource name"); !ok) return ok.error();
  if (auto ok = check_segment(subresource, "subresource"); !ok) return ok.error();
  if (auto ok = check_segment(resource.group, "group"); !ok) return ok.error();
  if (auto ok = check_segment(resource.version, "version"); !ok) return ok.error();
  if (resource.plural.empty() || resource.version.empty()) {
    return invalid_path("the resource needs a plural name and a version" +
                        (resource.kind.empty() ? std::string() : " (kind " + resource.kind + ")"));
  }
  if (!resource.namespaced && !namespace_.empty()) {
    return invalid_path(resource.group_resource().to_string() +
                        " are cluster-scoped, a namespace may not be set");
  }
  if (resource.namespaced && namespace_.empty() && !name.empty()) {
    return invalid_path("an empty namespace may not be set when a resource name is provided");
  }
  if (name.empty() && !subresource.empty()) {
    return invalid_path("resource name may not be empty for subresource \"" + subresource + "\"");
  }

  std::string path = resource.group.empty() ? "/api/" : "/apis/" + resource.group + "/";
  path.append(resource.version);
  if (!namespace_.empty()) path.append("/namespaces/").append(escape_segment(namespace_));
  path.append("/").append(escape_segment(ascii::to_lower(resource.plural)));
  if (!name.empty()) path.append("/").append(escape_segment(name));
  if (!subresource.empty()) path.append("/").append(escape_segment(subresource));
  return path;
}

std::string ResourcePath::to_string() const {
  std::string text = resource.group_resource().to_string();
  if (!subresource.empty()) text.append("/").append(subresource);
  if (!name.empty()) text.append(" \"").append(name).append("\"");
  if (!namespace_.empty()) {
    text.append(" in namespace \"").append(namespace_).append("\"");
  } else if (resource.namespaced && name.empty()) {
    text.append(" in all namespaces");
  }
  return text;
}

}  // namespace kube
