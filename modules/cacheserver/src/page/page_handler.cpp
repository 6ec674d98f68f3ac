// SPDX-License-Identifier: Apache-2.0
#include "page/page_handler.hpp"

#include <chrono>
#include <utility>

#include <kube/json/writer.hpp>
#include <kube/json/yaml.hpp>
#include <kube/meta/status.hpp>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "page/row_encoding.hpp"
#include "reading/read_handlers.hpp"

namespace kube::cacheserver {

using serving::HttpRequest;
using serving::HttpResponse;
using serving::Route;

namespace {

constexpr std::string_view kResources = "/page/resources";
constexpr std::string_view kRows = "/page/rows/";
constexpr std::string_view kObject = "/page/object/";

json::Object resource_entry(const Served& served, const std::string& namespace_) {
  const serving::Collection& objects = served.feed->collection();
  const bool is_part = namespace_ != served.namespace_;
  json::Object entry{
      {"group", served.resource->gvk.group},
      {"version", served.resource->gvk.version},
      {"kind", served.resource->gvk.kind},
      {"plural", served.resource->plural},
      {"namespaced", served.resource->namespaced},
      {"namespace", namespace_},
      {"objects", static_cast<std::uint64_t>(is_part ? objects.size(namespace_) : objects.size())}};
  if (const std::string problem = served.feed->problem(); !problem.empty()) {
    entry.set("problem", problem);
  }
  if (const auto age = served.age()) {
    entry.set("age", static_cast<std::int64_t>(
                         std::chrono::duration_cast<std::chrono::seconds>(*age).count()));
  }
  return entry;
}

HttpResponse resources(const ServedResources& served, const Authorizer& authorizer,
                       const Caller& caller) {
  json::Array out;
  for (const Served& each : served.all()) {
    if (each.feed->is_missing()) continue;
    for (const std::string& may_read :
         authorizer.namespaces_of(caller, each.resource->group_resource())) {
      if (may_read.empty() || may_read == each.namespace_) {
        out.emplace_back(resource_entry(each, each.namespace_));
      } else if (each.namespace_.empty() && each.resource->namespaced) {
        out.emplace_back(resource_entry(each, may_read));
      }
    }
  }
  HttpResponse response;
  response.content_type = "application/json";
  response.body = json::dump(json::Value(std::move(out))) + "\n";
  return response;
}

/// The request for the path of the API that follows a prefix.
Result<Route> inner_route(const HttpRequest& request, std::string_view prefix) {
  const std::size_t at = request.target.find(prefix);
  if (at == std::string::npos) return serving::no_such_resource();
  return serving::parse_route("GET",
                              std::string_view(request.target).substr(at + prefix.size() - 1));
}

/// Returns what is shown of a confidential object: the members that hold no value of it, and the
/// keys of those that do. Annotations may repeat values, as that of `kubectl apply` does.
json::Value without_values(const json::Value& content) {
  json::Object out;
  for (const auto& [member, value] : *content.if_object()) {
    if (member == "kind" || member == "apiVersion" || member == "metadata" || member == "type" ||
        member == "immutable") {
      out.set(member, value);
    } else if (member == "data" || member == "stringData") {
      json::Object hidden;
      if (const json::Object* values = value.if_object()) {
        for (const auto& [key, ignored] : *values) hidden.set(key, "(hidden)");
      }
      out.set(member, std::move(hidden));
    }
  }
  json::Value shown(std::move(out));
  serving::metadata_of(shown).erase("annotations");
  return shown;
}

Result<HttpResponse> object(serving::ReadContext& reads, const ServedResources& served,
                            const Authorizer& authorizer, const Caller& caller,
                            const HttpRequest& request) {
  auto route = inner_route(request, kObject);
  if (!route) return route.error();
  const auto resource = reads.registry.table()->find(route->group, route->version, route->resource);
  if (!resource || route->name.empty() || !route->subresource.empty() ||
      resource->namespaced == route->namespace_.empty()) {
    return serving::no_such_resource();
  }
  if (auto allowed = authorizer.check_read(caller, *route); !allowed) return allowed.error();
  const auto store = reads.stores.store_of(*resource, route->namespace_);
  if (!store) return store.error();
  const ObjectKey key{route->namespace_, route->name};
  const auto found = (*store)->collection(resource->storage).get(key.to_string());
  if (!found) return meta::not_found_error(resource->group_resource(), route->name);
  auto content = serving::decode_object(*found, *resource);
  if (!content) return content.error();
  serving::metadata_of(*content).erase("managedFields");
  if (serving::is_confidential(resource->gvk.kind)) *content = without_values(*content);
  HttpResponse response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = yaml::dump(*content);
  if (const auto from = served.find(*resource, route->namespace_)) add_age(*from, response);
  return response;
}

Result<HttpResponse> rows(serving::ReadContext& reads, const ServedResources& served,
                          Authorizer& authorizer, const Caller& caller,
                          const HttpRequest& request) {
  auto route = inner_route(request, kRows);
  if (!route) return route.error();
  const serving::ReadRequest resolved{
      request, *route, reads.registry.table()->find(route->group, route->version, route->resource)};
  if (!resolved.resource || !route->name.empty() ||
      (!resolved.resource->namespaced && !route->namespace_.empty())) {
    return serving::no_such_resource();
  }
  if (auto allowed = authorizer.check_read(caller, *route); !allowed) return allowed.error();
  auto response = serving::watch_objects(reads, resolved, make_row_encoding(reads.timers.clock()));
  if (response && response->watch) authorizer.follow(caller, *route, response->watch);
  const auto from = served.find(*resolved.resource, route->namespace_);
  if (response && from) add_age(*from, *response);
  return response;
}

bool only_reads(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

}  // namespace

std::optional<Result<HttpResponse>> serve_page(serving::ReadContext& reads,
                                               const ServedResources& served,
                                               Authorizer& authorizer, const Caller& caller,
                                               const HttpRequest& request, const Route& route) {
  if (!only_reads(request)) return std::nullopt;
  auto out = [&]() -> std::optional<Result<HttpResponse>> {
    if (route.path == kResources) return resources(served, authorizer, caller);
    if (route.path.starts_with(kRows)) return rows(reads, served, authorizer, caller, request);
    if (route.path.starts_with(kObject)) {
      return object(reads, served, authorizer, caller, request);
    }
    return std::nullopt;
  }();
  // Objects have text of others, which must not be taken for a page.
  if (out && *out) (*out)->headers.emplace_back("X-Content-Type-Options", "nosniff");
  return out;
}

}  // namespace kube::cacheserver
