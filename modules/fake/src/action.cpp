// SPDX-License-Identifier: Apache-2.0
#include <kube/fake/action.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <utility>
#include <vector>

#include <kube/base/ascii.hpp>
#include <kube/base/percent.hpp>
#include <kube/transport/url.hpp>

namespace kube::fake {
namespace {

// The client wrote the URL: its escapes are correct.
std::string unescaped(std::string_view text, Plus plus = Plus::Stays) {
  return percent_decoded(text, plus).value_or(std::string(text));
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end != begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string query_value(std::string_view query, std::string_view name) {
  for (const std::string_view part : parts_of(query, '&')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    if (part.substr(0, equals) == name)
      return unescaped(part.substr(std::min(equals + 1, part.size())), Plus::IsSpace);
  }
  return {};
}

// Fills in group, version, resource, namespace, name and subresource.
void read_path(std::string_view path, Action& action) {
  std::vector<std::string> parts;
  for (const std::string_view part : parts_of(path, '/')) parts.push_back(unescaped(part));
  std::size_t at = 0;
  const auto take = [&] { return at < parts.size() ? parts[at++] : std::string(); };
  const std::string root = take();
  if (root == "apis") action.group = take();
  if (root != "apis" && root != "api") return;
  action.version = take();
  // "/namespaces/x/pods" is about pods, "/namespaces/x/status" about a namespace.
  if (parts.size() > at + 2 && parts[at] == "namespaces" && parts[at + 2] != "status" &&
      parts[at + 2] != "finalize") {
    action.namespace_ = parts[at + 1];
    at += 2;
  }
  action.resource = take();
  action.name = take();
  while (at < parts.size()) action.subresource += (action.subresource.empty() ? "" : "/") + take();
  if (action.resource == "namespaces" && action.group.empty()) action.namespace_ = action.name;
}

std::string verb_of(const transport::HttpRequest& request, const Action& action,
                    std::string_view query) {
  const bool named = !action.name.empty() || action.resource.empty();
  if (request.method == "POST") return "create";
  if (request.method == "PUT") return "update";
  if (request.method == "PATCH") return "patch";
  if (request.method == "DELETE") return named ? "delete" : "delete-collection";
  const std::string watch = query_value(query, "watch");
  if (watch == "true" || watch == "1") return "watch";
  return named ? "get" : "list";
}

}  // namespace

Action action_of(const transport::HttpRequest& request) {
  Action action;
  const auto url = transport::parse_url(request.url);
  if (!url) return action;
  action.path = url->path;
  read_path(url->path, action);
  action.verb = verb_of(request, action, url->query);
  action.label_selector = query_value(url->query, "labelSelector");
  action.field_selector = query_value(url->query, "fieldSelector");
  action.resource_version = query_value(url->query, "resourceVersion");
  action.content_type = request.headers.find("Content-Type").value_or("");
  if (auto body = json::parse(request.body)) action.object = *std::move(body);
  return action;
}

bool reacts_to(const Action& action, std::string_view verb, std::string_view resource) {
  if (verb != "*" && verb != action.verb) return false;
  if (resource == "*" || resource == action.resource) return true;
  return !action.subresource.empty() && resource == action.resource + "/" + action.subresource;
}

bool Action::matches(std::string_view verb_text, std::string_view resource_text) const {
  if (ascii::to_lower(verb_text) != ascii::to_lower(verb)) return false;
  const std::size_t slash = resource_text.find('/');
  if (ascii::to_lower(resource_text.substr(0, slash)) != ascii::to_lower(resource)) return false;
  return slash == std::string_view::npos ||
         ascii::to_lower(resource_text.substr(slash + 1)) == ascii::to_lower(subresource);
}

}  // namespace kube::fake
