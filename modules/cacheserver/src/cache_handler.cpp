// SPDX-License-Identifier: Apache-2.0
#include "cache_handler.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include <kube/meta/status.hpp>

#include "documents/errors.hpp"
#include "health.hpp"
#include "kinds/kind.hpp"
#include "page/page_handler.hpp"
#include "reading/path_check.hpp"
#include "reading/plain_handlers.hpp"
#include "reading/read_handlers.hpp"
#include "reading/responses.hpp"
#include "reading/site_check.hpp"

namespace kube::cacheserver {

using serving::error_response;
using serving::HttpRequest;
using serving::HttpResponse;
using serving::Route;
using serving::Verb;

namespace {

// Subresources that take the connection over. What a proxy returns could be a page with scripts,
// which would be of this server's origin.
constexpr std::array<std::string_view, 4> kConnections = {"attach", "exec", "portforward", "proxy"};

bool is_write(const Route& route) {
  return route.verb &&
         (*route.verb != Verb::Get && *route.verb != Verb::List && *route.verb != Verb::Watch);
}

bool reads_one_namespace(const Route& route) {
  return route.verb == Verb::Get && route.group.empty() && route.version == "v1" &&
         route.resource == serving::builtin::kNamespaces.resource && route.subresource.empty();
}

Error refuse_write() {
  return meta::error_from_status(meta::make_status(
      meta::StatusReason::MethodNotAllowed,
      "this server answers reads from a cache and accepts no writes: send them to the cluster, or "
      "start it with --allow-writes"));
}

}  // namespace

HttpResponse CacheHandler::handle(const HttpRequest& request, bool last_attempt) {
  try {
    const auto route = serving::parse_route(request.method, request.target);
    if (!route) return with_age(error_response(route.error(), request.accept));
    if (const auto why = serving::refuse_foreign_site(request, options_.host_names)) {
      return with_age(error_response(meta::forbidden_error({}, "", *why), request.accept));
    }
    HttpResponse out = respond(request, *route, last_attempt);
    if (out.await_revision) return out;
    // What the cluster answers is as old as the cluster says.
    if (!was_passed_on(request, *route)) out = with_age(std::move(out));
    if (serving::wants_pretty(route->query) && !route->path.starts_with("/openapi/")) {
      serving::indent_json(out);
    }
    return out;
  } catch (const std::exception& thrown) {
    KUBE_LOG(options_.runtime.logger, LogLevel::Error, "cacheserver", "request failed",
             {"error", thrown.what()});
    return with_age(error_response(meta::internal_error("the server failed to handle the request"),
                                   request.accept));
  }
}

HttpResponse CacheHandler::refuse_body(const HttpRequest& request, std::size_t limit) const {
  return with_age(error_response(serving::body_too_large(limit), request.accept));
}

HttpResponse CacheHandler::respond(const HttpRequest& request, const Route& route,
                                   bool last_attempt) {
  const bool is_get = request.method == "GET" || request.method == "HEAD";
  if (auto health = serve_health(route, served_, options_.max_age)) return *std::move(health);
  // The page asks its user for a token: a browser can't send one before it has a page.
  if (auto html = html_.serve(request, route)) return *std::move(html);
  const auto caller = tokens_.find(request.authorization);
  if (!caller) {
    return error_response(meta::unauthorized_error("Unauthorized"), request.accept);
  }
  if (auto page = serve_page(reads_, served_, authorizer_, *caller, request, route)) {
    if (!*page) return error_response(page->error(), request.accept);
    if ((*page)->watch) tokens_.follow(request.authorization, *caller, (*page)->watch);
    return **std::move(page);
  }
  if (!route.is_resource) {
    if (auto own = serve_own_route(*caller, request, route)) return *std::move(own);
    if (is_get && route.path == "/metrics") return metrics_response(served_, statistics_());
    if (is_get && (route.path == "/openapi/v3" || route.path.starts_with("/openapi/v3/"))) {
      return openapi_.serve(request, route);
    }
    return serving::serve_plain(reads_, request, route);
  }
  const auto table = reads_.registry.table();
  if (reads_one_namespace(route) && !table->find("", "v1", route.resource)) {
    // After a 404 of an object kubectl asks for its namespace, and prints a 404 of that instead.
    return error_response(meta::forbidden_error({"", route.resource}, route.name,
                                                "this cache does not serve namespaces"),
                          request.accept);
  }
  if (table->find_version(route.group, route.version) == nullptr) {
    return serving::refuse_version(*table, request, route);
  }
  auto served = read(*caller, request, route, last_attempt);
  return served ? *std::move(served) : error_response(served.error(), request.accept);
}

std::optional<HttpResponse> CacheHandler::serve_own_route(const Caller& caller,
                                                          const HttpRequest& request,
                                                          const Route& route) const {
  const auto match = routes_.find(request.method, request.target);
  if (!match) return std::nullopt;
  // The program does not know who asks, so that its answer may have objects of all.
  if (auto allowed = authorizer_.check_path(caller, route.path); !allowed) {
    return error_response(allowed.error(), request.accept);
  }
  if (match->route == nullptr) {
    HttpResponse refused = error_response(serving::method_not_allowed(), request.accept);
    refused.headers.emplace_back("Allow", match->allowed);
    return refused;
  }
  if (!request.awaited && !options_.routes_before_sync) {
    if (auto synced = served_.check_synced(); !synced) {
      return error_response(synced.error(), request.accept);
    }
  }
  HttpResponse response = routes_.answer(*match, request, route.query);
  if (response.await_revision) return response;
  if (const auto oldest = served_.oldest()) say_age(*oldest, response);
  return response;
}

Result<HttpResponse> CacheHandler::read(const Caller& caller, const HttpRequest& request,
                                        const Route& route, bool last_attempt) {
  const auto table = reads_.registry.table();
  const serving::ReadRequest resolved{
      request, route, table->find(route.group, route.version, route.resource), last_attempt};
  if (auto refused = serving::refuse_path(*table, resolved.resource.get(), route)) {
    return *std::move(refused);
  }
  const serving::Resource& resource = *resolved.resource;
  if (is_write(route)) {
    if (!writes_) return refuse_write();
    return pass_on(request, route);
  }
  if (!route.subresource.empty()) {
    // The cache has objects alone.
    if (!writes_ || *route.verb != Verb::Get) return serving::no_such_resource();
    return pass_on(request, route);
  }
  if (auto allowed = authorizer_.check_read(caller, route); !allowed) return allowed.error();

  auto response = [&]() -> Result<HttpResponse> {
    switch (*route.verb) {
      case Verb::Get:
        return serving::get_object(reads_, resolved);
      case Verb::List:
        return serving::list_objects(reads_, resolved);
      default:
        return serving::watch_objects(reads_, resolved);
    }
  }();
  if (!response) response = error_response(response.error(), request.accept);
  if (response->watch) {
    tokens_.follow(request.authorization, caller, response->watch);
    authorizer_.follow(caller, route, response->watch);
  }
  if (!response->await_revision) {
    const auto found = served_.find(resource, serving::namespace_of(resolved));
    if (found) say_age(*found, *response);
  }
  return serving::with_deprecation(resource, *std::move(response));
}

Result<HttpResponse> CacheHandler::pass_on(const HttpRequest& request, const Route& route) {
  if (std::ranges::find(kConnections, route.subresource) != kConnections.end()) {
    return meta::bad_request_error("this server does not pass on " + route.subresource +
                                   ": send it to the cluster");
  }
  if (serving::is_true(route.query, "follow")) {
    return meta::bad_request_error(
        "this server passes on responses that end: read a log that is followed from the cluster");
  }
  // A token of this server is a secret between it and its caller.
  const bool is_ours = !options_.token_auth_file.empty();
  if (is_ours && request.cluster_authorization.empty()) {
    return meta::forbidden_error(
        {route.group, route.resource}, route.name,
        "this server does not pass its own tokens on to the cluster: send one of the cluster's in "
        "the header field Cluster-Authorization, such as \"Bearer ...\", or the request to the "
        "cluster");
  }
  auto response = writes_->forward(request, request.cluster_authorization.empty()
                                                ? request.authorization
                                                : request.cluster_authorization);
  if (!response) return with_age(error_response(response.error(), request.accept));
  return response;
}

// Before it is passed on, a request has no response of the cluster to wait for.
bool CacheHandler::was_passed_on(const HttpRequest& request, const Route& route) const {
  return writes_ && request.awaited && route.is_resource &&
         (is_write(route) || !route.subresource.empty());
}

void CacheHandler::say_age(const Served& from, HttpResponse& response) const {
  const auto age = add_age(from, response);
  if (!age || *age <= options_.max_age) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*age).count();
  // Clients print warnings of code 299.
  serving::add_warnings(
      {"the cache of " + from.to_string() + " has heard nothing of the cluster for " +
       std::to_string(seconds) + " seconds"},
      response);
}

HttpResponse CacheHandler::with_age(HttpResponse response) const {
  const auto is_age = [](const auto& header) { return header.first == "Age"; };
  if (std::ranges::none_of(response.headers, is_age)) {
    if (const auto oldest = served_.oldest()) add_age(*oldest, response);
  }
  return response;
}

}  // namespace kube::cacheserver
