// SPDX-License-Identifier: Apache-2.0
#include "reading/path_check.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/names/go_text.hpp>
#include <kube/names/validation.hpp>

#include "documents/errors.hpp"
#include "reading/plain_handlers.hpp"
#include "reading/responses.hpp"

namespace kube::serving {
namespace {

// Refuses a name in a path that no object can have.
Result<void> check_name(std::string_view name) {
  if (name.empty()) return {};
  if (name.find('/') != std::string_view::npos) return no_such_resource();
  const meta::Problems problems = meta::validate_path_segment_name(name);
  if (problems.empty()) return {};
  return meta::bad_request_error("Name parameter invalid: " + go::quote(name) + ": " +
                                 join(problems, ";"));
}

}  // namespace

bool is_builtin_group(const ResourceTable& table, std::string_view name) {
  const auto* group = table.find_group(name);
  return group != nullptr && std::ranges::any_of(group->versions, [](const auto& version) {
           return std::ranges::any_of(version.resources,
                                      [](const auto& each) { return !each->is_custom(); });
         });
}

HttpResponse refuse_version(const ResourceTable& table, const HttpRequest& request,
                            const Route& route) {
  if (!is_builtin_group(table, route.group)) return page_not_found();
  return error_response(no_such_resource(), request.accept);
}

std::optional<Result<HttpResponse>> refuse_path(const ResourceTable& table,
                                                const Resource* resource, const Route& route) {
  if (resource == nullptr && !is_builtin_group(table, route.group)) return page_not_found();
  if (resource == nullptr || route.deeper) return no_such_resource();
  if (!resource->namespaced && !route.namespace_.empty()) return no_such_resource();
  if (resource->namespaced && route.namespace_.empty() && !route.name.empty()) {
    if (resource->is_custom()) return page_not_found();
    return no_such_resource();
  }
  if (!route.verb) return method_not_allowed();
  if (auto fits = check_name(route.name); !fits) return fits.error();
  return std::nullopt;
}

// It says so in errors, too, but of media types, which come before.
HttpResponse with_deprecation(const Resource& resource, HttpResponse response) {
  const bool is_of_media = response.status == 406 || response.status == 415;
  if (resource.deprecation_warning.empty() || is_of_media) return response;
  auto headers = std::exchange(response.headers, {});
  add_warnings({resource.deprecation_warning}, response);
  std::ranges::move(headers, std::back_inserter(response.headers));
  return response;
}

}  // namespace kube::serving
