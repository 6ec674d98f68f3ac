// SPDX-License-Identifier: Apache-2.0
#include "requests/api_handler.hpp"

#include <optional>
#include <utility>

#include <kube/base/ascii.hpp>

#include "documents/errors.hpp"
#include "reading/path_check.hpp"
#include "reading/plain_handlers.hpp"
#include "reading/read_handlers.hpp"
#include "reading/responses.hpp"
#include "reading/site_check.hpp"
#include "requests/delete_handlers.hpp"
#include "requests/review_handlers.hpp"
#include "requests/subresource_handlers.hpp"
#include "requests/write_handlers.hpp"

namespace kube::apiserver {
namespace {

Result<User> authenticate(const ApiServer::Options& options, const HttpRequest& request) {
  if (options.tokens.empty()) {
    return User{"kubecpp:admin", {"system:masters", "system:authenticated"}, ""};
  }
  constexpr std::string_view kScheme = "Bearer ";
  const std::string_view header = request.authorization;
  if (!header.starts_with(kScheme)) return meta::unauthorized_error("Unauthorized");
  auto user = user_of_token(options, header.substr(kScheme.size()));
  if (!user) return meta::unauthorized_error("Unauthorized");
  user->groups.emplace_back("system:authenticated");
  return *std::move(user);
}

AccessRequest access_of(const HttpRequest& request, const Route& route, const User& user) {
  AccessRequest access;
  access.user = user;
  access.path = route.path;
  if (!route.is_resource) {
    access.verb = ascii::to_lower(request.method);
    return access;
  }
  access.verb = route.verb ? to_string(*route.verb) : std::string_view{};
  access.group = route.group;
  access.version = route.version;
  access.resource = route.resource;
  access.subresource = route.subresource;
  access.namespace_ = route.namespace_;
  access.name = route.name;
  return access;
}

Error refuse(const AccessRequest& access) {
  std::string why = "User \"" + access.user.name + "\" cannot " + access.verb;
  if (access.resource.empty()) {
    why += " path \"" + access.path + "\"";
    return meta::forbidden_error({}, "", why);
  }
  why += " resource \"" + access.resource;
  if (!access.subresource.empty()) why += "/" + access.subresource;
  why += "\" in API group \"" + access.group + "\" ";
  why += access.namespace_.empty() ? "at the cluster scope"
                                   : "in the namespace \"" + access.namespace_ + "\"";
  return meta::forbidden_error({access.group, access.resource}, access.name, why);
}

// Whether the path can have the verb: a POST has no name, a PUT needs one, and objects of
// namespaced kinds are written in a namespace.
bool fits_path(Verb verb, const Resource& resource, const Route& route) {
  const bool named = !route.name.empty();
  const bool in_namespace = !route.namespace_.empty();
  switch (verb) {
    case Verb::List:
      return !named;
    case Verb::Watch:
      return !named || route.legacy_watch;
    case Verb::Create:
    case Verb::DeleteCollection:
      return !named && in_namespace == resource.namespaced;
    default:
      return named;
  }
}

// The resource, or objects in all namespaces, does not have the verb.
Result<HttpResponse> refuse_verb(const Resource& resource, const Route& route, Verb verb) {
  if (!resource.is_custom()) return method_not_allowed();
  // kube-apiserver knows a custom resource's lists and watches over all namespaces alone.
  if (resource.namespaced && route.namespace_.empty()) return page_not_found();
  const bool needs_name = verb == Verb::Update || verb == Verb::Patch;
  if (needs_name && route.name.empty()) return meta::bad_request_error("name must be provided");
  return method_not_allowed();
}

}  // namespace

void ApiHandler::overload(std::size_t requests, std::chrono::seconds retry_after) {
  const MutexLock lock(mutex_);
  overloaded_ = requests;
  retry_after_ = retry_after;
}

std::optional<HttpResponse> ApiHandler::refuse_overload() {
  const MutexLock lock(mutex_);
  if (overloaded_ == 0) return std::nullopt;
  --overloaded_;
  HttpResponse response = text_response(429, "Too many requests, please try again later.\n");
  response.headers.emplace_back("Retry-After", std::to_string(retry_after_.count()));
  return response;
}

HttpResponse ApiHandler::handle(const HttpRequest& request, bool last_attempt) {
  try {
    const auto route = parse_route(request.method, request.target);
    if (!route) return error_response(route.error(), request.accept);
    if (const auto why = refuse_foreign_site(request, api_.options.host_names)) {
      return error_response(meta::forbidden_error({}, "", *why), request.accept);
    }
    HttpResponse out = respond(request, *route, last_attempt);
    // Schemas are sent unchanged: their hash is the one of these bytes.
    if (wants_pretty(route->query) && !route->path.starts_with("/openapi/")) indent_json(out);
    return out;
  } catch (const std::exception& thrown) {
    KUBE_LOG(api_.options.runtime.logger, LogLevel::Error, "apiserver", "request failed",
             {"error", thrown.what()});
    return error_response(meta::internal_error("the server failed to handle the request"),
                          request.accept);
  }
}

HttpResponse ApiHandler::respond(const HttpRequest& request, const Route& route,
                                 bool last_attempt) {
  const auto user = authenticate(api_.options, request);
  if (!user) return error_response(user.error(), request.accept);
  if (route.is_resource) {
    if (auto refused = refuse_overload()) return *std::move(refused);
  }
  const AccessRequest access = access_of(request, route, *user);
  if (!is_allowed(api_.options, access)) {
    HttpResponse refused = error_response(refuse(access), request.accept);
    refused.headers.emplace_back("X-Content-Type-Options", "nosniff");
    return refused;
  }
  if (!route.is_resource) return serve_plain(api_, request, route);
  const auto table = api_.registry.table();
  if (table->find_version(route.group, route.version) == nullptr) {
    return refuse_version(*table, request, route);
  }
  auto served = serve_resource(request, route, *user, last_attempt);
  return served ? *std::move(served) : error_response(served.error(), request.accept);
}

Result<HttpResponse> ApiHandler::serve_resource(const HttpRequest& request, const Route& route,
                                                const User& user, bool last_attempt) {
  const auto table = api_.registry.table();
  ResourceRequest resolved{
      {request, route, table->find(route.group, route.version, route.resource), last_attempt},
      user};
  if (auto refused = refuse_path(*table, resolved.resource.get(), route)) {
    return *std::move(refused);
  }
  const Resource& resource = *resolved.resource;
  const Verb verb = *route.verb;

  if (!route.subresource.empty()) {
    resolved.subresource = resource.find_subresource(route.subresource);
    if (resolved.subresource == nullptr) {
      if (resource.is_custom()) return meta::not_found_error(resource.group_resource(), route.name);
      return no_such_resource();
    }
    if (!contains(resolved.subresource->verbs, verb)) return method_not_allowed();
  }
  if (resolved.subresource == nullptr &&
      (!contains(resource.verbs, verb) || !fits_path(verb, resource, route)))
    return refuse_verb(resource, route, verb);
  Result<HttpResponse> served =
      resource.needs_webhook ? webhook_failed(resource.gvk) : serve_verb(resolved, verb);
  return with_deprecation(
      resource, served ? *std::move(served) : error_response(served.error(), request.accept));
}

Result<HttpResponse> ApiHandler::serve_verb(const ResourceRequest& request, Verb verb) {
  const KindRules& kind = *request.resource->kind;
  if (request.subresource != nullptr) return serve_subresource(api_, request, verb);
  switch (verb) {
    case Verb::Get:
      return get_object(api_, request);
    case Verb::List:
      return list_objects(api_, request);
    case Verb::Watch:
      return watch_objects(api_, request);
    case Verb::Create:
      if (kind.review != Review::None) return create_review(api_, request);
      if (kind.posted_to != nullptr) return post_to_subresource(api_, request);
      return create_object(api_, request);
    case Verb::Update:
      return update_object(api_, request, Part::Main);
    case Verb::Patch:
      return patch_object(api_, request, Part::Main);
    case Verb::Delete:
      return delete_object(api_, request);
    case Verb::DeleteCollection:
      return delete_objects(api_, request);
  }
  return method_not_allowed();
}

}  // namespace kube::apiserver
