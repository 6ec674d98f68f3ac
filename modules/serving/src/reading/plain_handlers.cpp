// SPDX-License-Identifier: Apache-2.0
#include "reading/plain_handlers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <kube/names/go_text.hpp>

#include "documents/digest.hpp"
#include "documents/errors.hpp"
#include "forms/negotiation.hpp"
#include "reading/discovery.hpp"
#include "reading/path_check.hpp"
#include "reading/responses.hpp"

namespace kube::serving {
namespace {

HttpResponse json_document(const HttpRequest& request, const json::Value& document) {
  const auto accepted = negotiate(request.accept, ResponseShape::Plain, false);
  if (!accepted) return error_response(accepted.error(), request.accept);
  return document_response(200, document, accepted->media);
}

/// Adds the tag of a body, and removes the body for a client that already has it.
HttpResponse tagged(HttpResponse response, const HttpRequest& request, std::string_view hash) {
  const std::string tag = "\"" + std::string(hash) + "\"";
  response.headers.emplace_back("ETag", tag);
  response.headers.emplace_back("Vary", "Accept");
  if (request.if_none_match == tag) {
    response.status = 304;
    response.body.clear();
  }
  return response;
}

HttpResponse discovery_root(ReadContext& api, const HttpRequest& request, bool core) {
  const auto table = api.registry.table();
  const std::string_view version = wanted_discovery(request.accept);
  if (version.empty()) {
    return json_document(request, core ? core_versions(request.host) : group_list(*table));
  }
  HttpResponse document =
      document_response(200, aggregated_discovery(*table, core, version), MediaType::Json);
  document.content_type = "application/json;g=apidiscovery.k8s.io;v=" + std::string(version) +
                          ";as=APIGroupDiscoveryList";
  const std::string hash = sha256_hex(document.body.text);
  HttpResponse response = tagged(std::move(document), request, hash);
  response.headers.emplace_back("Cache-Control", "public");
  return response;
}

HttpResponse json_text(std::string body) {
  HttpResponse response;
  response.content_type = to_string(MediaType::Json);
  response.body = std::move(body);
  return response;
}

HttpResponse openapi(ReadContext& api, const HttpRequest& request, const Route& route,
                     std::string_view path) {
  const auto documents = api.openapi.of(api.registry.table());
  if (path.empty()) return json_text(documents->index);
  const OpenApiDocument* document = documents->find(path.substr(1));
  return document == nullptr ? page_not_found() : openapi_response(request, route, *document);
}

HttpResponse openapi_v2(ReadContext& api, const HttpRequest& request) {
  // Without the "@v1.0" of the clients' Accept header: they refuse that as a content type.
  constexpr std::string_view kBinary = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
  const auto documents = api.openapi.v2_of(api.registry.table());
  const bool wants_binary = request.accept.find("proto-openapi.spec.v2") != std::string::npos;
  HttpResponse response = json_text(wants_binary ? documents->protobuf : documents->json);
  if (wants_binary) response.content_type = kBinary;
  return tagged(std::move(response), request, documents->hash);
}

json::Value version_document(const std::string& version) {
  // "v1.37.1+x" gives major 1 and minor 37.
  std::array<std::string, 2> parts{"1", "0"};
  std::size_t at = version.starts_with('v') ? 1 : 0;
  for (std::string& part : parts) {
    const std::size_t dot = std::min(version.find('.', at), version.size());
    part = version.substr(at, dot - at);
    at = std::min(dot + 1, version.size());
  }
  return json::Object{
      {"major", parts[0]},   {"minor", parts[1]},       {"gitVersion", version},
      {"gitCommit", ""},     {"gitTreeState", "clean"}, {"buildDate", "1970-01-01T00:00:00Z"},
      {"goVersion", "none"}, {"compiler", "c++"},       {"platform", "linux/amd64"}};
}

constexpr std::array<std::string_view, 2> kChecks = {"ping", "storage"};

HttpResponse health(const Route& route, std::string_view endpoint, std::string_view check) {
  if (!check.empty()) {
    const bool known = std::ranges::find(kChecks, check.substr(1)) != kChecks.end();
    return known ? text_response(200, "ok") : page_not_found();
  }
  if (!route.query.has("verbose")) return text_response(200, "ok");
  const auto excluded = route.query.all("exclude");
  std::string text;
  for (const std::string_view name : kChecks) {
    const bool skip = std::ranges::find(excluded, name) != excluded.end();
    text.append("[+]").append(name).append(skip ? " excluded: ok\n" : " ok\n");
  }
  return text_response(200, text.append(endpoint).append(" check passed\n"));
}

HttpResponse optional_document(const HttpRequest& request, std::optional<json::Value> document) {
  return document ? json_document(request, *document) : page_not_found();
}

// Of a version that a group of built-in kinds does not have, the reference server says so in a
// Status.
HttpResponse resources_of(const HttpRequest& request, const ResourceTable& table,
                          std::string_view group, std::string_view version) {
  if (auto document = resource_list(table, group, version))
    return json_document(request, *document);
  return is_builtin_group(table, group) ? error_response(no_such_resource(), request.accept)
                                        : page_not_found();
}

}  // namespace

HttpResponse page_not_found() {
  return text_response(404, "404 page not found\n");
}

HttpResponse openapi_response(const HttpRequest& request, const Route& route,
                              const OpenApiDocument& document) {
  const std::string_view wanted = route.query.get("hash");
  if (!wanted.empty() && wanted != document.hash) {
    HttpResponse moved;
    moved.status = 301;
    moved.headers.emplace_back("Location",
                               "/openapi/v3/" + document.path + "?hash=" + document.hash);
    return moved;
  }
  HttpResponse response = tagged(json_text(document.body), request, document.hash);
  response.headers.emplace_back("Cache-Control",
                                wanted.empty() ? "no-cache, private" : "public, immutable");
  return response;
}

HttpResponse serve_plain(ReadContext& api, const HttpRequest& request, const Route& route) {
  const std::string_view path = route.path;
  const auto table = api.registry.table();
  for (const std::string_view endpoint : {"healthz", "livez", "readyz"}) {
    if (!path.substr(1).starts_with(endpoint)) continue;
    const std::string_view rest = path.substr(1 + endpoint.size());
    if (rest.empty() || rest.starts_with('/')) return health(route, endpoint, rest);
  }
  constexpr std::string_view kOpenapiRoot = "/openapi/v3";
  if (path.starts_with(kOpenapiRoot)) {
    const std::string_view rest = path.substr(kOpenapiRoot.size());
    if (rest.empty() || rest.starts_with('/')) return openapi(api, request, route, rest);
  }
  if (request.method != "GET" && request.method != "HEAD") {
    return path == "/" || path.starts_with("/api")
               ? error_response(method_not_allowed(), request.accept)
               : page_not_found();
  }
  if (path == "/") return json_document(request, root_paths(*table));
  if (path == "/openapi/v2") return openapi_v2(api, request);
  if (path == "/version") return json_document(request, version_document(api.version));
  const auto segments = go::split(path.substr(1), '/');
  if (segments[0] == "api") {
    if (segments.size() == 1) return discovery_root(api, request, true);
    if (segments.size() == 2) return resources_of(request, *table, "", segments[1]);
  } else if (segments[0] == "apis") {
    if (segments.size() == 1) return discovery_root(api, request, false);
    if (segments.size() == 2)
      return optional_document(request, group_document(*table, segments[1]));
    if (segments.size() == 3) return resources_of(request, *table, segments[1], segments[2]);
  }
  return page_not_found();
}

}  // namespace kube::serving
