// SPDX-License-Identifier: Apache-2.0
#include "reading/route.hpp"

#include <algorithm>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/percent.hpp>
#include <kube/names/go_text.hpp>

#include "documents/errors.hpp"
#include "kinds/kind.hpp"

namespace kube::serving {
namespace {

Result<std::vector<std::string>> split_path(std::string_view path) {
  std::vector<std::string> segments;
  for (const std::string_view part : go::split(path.substr(1), '/')) {
    auto segment = percent_decoded(part);
    if (!segment) return meta::bad_request_error("the path has an invalid URL escape");
    segments.push_back(std::move(*segment));
  }
  // A trailing slash has no meaning.
  while (!segments.empty() && segments.back().empty()) segments.pop_back();
  return segments;
}

// Parses the segments after the group and version.
void parse_resource(const std::vector<std::string>& segments, std::size_t at, Route& route) {
  if (at < segments.size() && segments[at] == "watch" && segments.size() > at + 1) {
    route.legacy_watch = true;
    ++at;
  }
  const std::size_t left = segments.size() - at;
  if (left == 0) return;
  route.is_resource = true;
  if (segments[at] == builtin::kNamespaces.resource && left >= 2) {
    // /namespaces/{name}, and /namespaces/{name}/status and /finalize, are about the namespace
    // itself; other segments after the name are a resource in it.
    const bool itself =
        left == 2 ||
        (left == 3 && (segments[at + 2] == "status" || segments[at + 2] == "finalize"));
    if (itself) {
      route.resource = builtin::kNamespaces.resource;
      route.name = segments[at + 1];
      if (left == 3) route.subresource = segments[at + 2];
      return;
    }
    route.namespace_ = segments[at + 1];
    at += 2;
  }
  route.resource = segments[at];
  if (at + 1 < segments.size()) route.name = segments[at + 1];
  if (at + 2 < segments.size()) route.subresource = segments[at + 2];
  route.deeper = at + 3 < segments.size();
}

std::optional<Verb> verb_of(std::string_view method, const Route& route) {
  const bool named = !route.name.empty();
  if (method == "GET" || method == "HEAD") {
    if (route.legacy_watch || (!named && is_true(route.query, "watch"))) return Verb::Watch;
    return named ? Verb::Get : Verb::List;
  }
  if (method == "POST") return Verb::Create;
  if (method == "PUT") return Verb::Update;
  if (method == "PATCH") return Verb::Patch;
  if (method == "DELETE") return named ? Verb::Delete : Verb::DeleteCollection;
  return std::nullopt;
}

}  // namespace

Result<Target> split_target(std::string_view target) {
  if (target.starts_with('/')) return Target{{}, target};
  const std::size_t scheme = std::min(target.find("://"), target.size());
  const std::string_view name = target.substr(0, scheme);
  if (scheme != target.size() &&
      (ascii::equal_ignoring_case(name, "http") || ascii::equal_ignoring_case(name, "https"))) {
    const std::string_view rest = target.substr(scheme + 3);
    const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
    const std::string_view authority = rest.substr(0, end);
    const std::string_view path = end == rest.size() ? "/" : rest.substr(end);
    // A user before the host would make another host of what looks like this one.
    if (!authority.empty() && authority.find('@') == std::string_view::npos &&
        path.starts_with('/')) {
      return Target{authority, path};
    }
  }
  return meta::bad_request_error(
      "the request target is not a path: expected /path or http://host/path");
}

Result<Route> parse_route(std::string_view method, std::string_view target) {
  const auto parts = split_target(target);
  if (!parts) return parts.error();
  const std::string_view text = parts->path;
  const std::size_t question = std::min(text.find('?'), text.size());
  const std::string_view path = text.substr(0, question);

  Route route;
  auto query = Query::parse(text.substr(std::min(question + 1, text.size())));
  if (!query) return query.error();
  route.query = *std::move(query);
  auto segments = split_path(path);
  if (!segments) return segments.error();
  for (const std::string& segment : *segments) route.path.append("/").append(segment);
  if (route.path.empty()) route.path = "/";

  if (segments->size() >= 2 && segments->front() == "api") {
    route.version = (*segments)[1];
    parse_resource(*segments, 2, route);
  } else if (segments->size() >= 3 && segments->front() == "apis") {
    route.group = (*segments)[1];
    route.version = (*segments)[2];
    parse_resource(*segments, 3, route);
  }
  route.verb = verb_of(method, route);
  return route;
}

}  // namespace kube::serving
