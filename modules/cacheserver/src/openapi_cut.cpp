// SPDX-License-Identifier: Apache-2.0
#include "openapi_cut.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reading/route.hpp"

namespace kube::cacheserver {
namespace {

constexpr std::string_view kSchemas = "#/components/schemas/";
/// The methods of OpenAPI, and those of HTTP.
constexpr std::pair<std::string_view, std::string_view> kMethods[] = {
    {"get", "GET"},       {"put", "PUT"},   {"post", "POST"},      {"patch", "PATCH"},
    {"delete", "DELETE"}, {"head", "HEAD"}, {"options", "OPTIONS"}};

bool is_served(std::string_view method, std::string_view path,
               const serving::ResourceTable& table) {
  const auto route = serving::parse_route(method, path);
  if (!route || !route->verb) return false;
  if (!route->is_resource) return true;  // discovery
  const auto resource = table.find(route->group, route->version, route->resource);
  if (!resource || route->deeper) return false;
  if (route->subresource.empty()) return contains(resource->verbs, *route->verb);
  const serving::Subresource* sub = resource->find_subresource(route->subresource);
  return sub != nullptr && contains(sub->verbs, *route->verb);
}

/// Returns what is served of a path; empty when nothing is.
json::Object cut_path(const json::Object& item, std::string_view path,
                      const serving::ResourceTable& table) {
  json::Object out = item;
  bool has_any = false;
  for (const auto& [member, method] : kMethods) {
    if (!item.contains(member)) continue;
    if (is_served(method, path, table)) {
      has_any = true;
    } else {
      out.erase(member);
    }
  }
  return has_any ? out : json::Object{};
}

/// Adds the names of schemas that a part of a document refers to.
void collect_references(const json::Value& part, std::vector<std::string>& out) {
  if (const json::Object* object = part.if_object()) {
    for (const auto& [member, value] : *object) {
      const std::string* target = value.if_string();
      if (member == "$ref" && target != nullptr && target->starts_with(kSchemas)) {
        out.push_back(target->substr(kSchemas.size()));
      } else {
        collect_references(value, out);
      }
    }
  } else if (const json::Array* array = part.if_array()) {
    for (const json::Value& each : *array) collect_references(each, out);
  }
}

}  // namespace

json::Value cut_openapi(const json::Value& document, const serving::ResourceTable& table) {
  json::Object paths;
  if (const json::Value* all = document.at_path({"paths"}); all != nullptr && all->is_object()) {
    for (const auto& [path, item] : *all->if_object()) {
      if (!item.is_object()) continue;
      json::Object served = cut_path(*item.if_object(), path, table);
      if (!served.empty()) paths.set(path, std::move(served));
    }
  }
  json::Value kept(std::move(paths));
  json::Object schemas;
  const json::Value* all = document.at_path({"components", "schemas"});
  std::vector<std::string> wanted;
  collect_references(kept, wanted);
  while (!wanted.empty() && all != nullptr && all->is_object()) {
    const std::string name = std::move(wanted.back());
    wanted.pop_back();
    const json::Value* schema = all->if_object()->find(name);
    if (schema == nullptr || schemas.contains(name)) continue;
    schemas.set(name, *schema);
    collect_references(*schema, wanted);
  }
  json::Object out = document.is_object() ? *document.if_object() : json::Object{};
  out.set("paths", std::move(kept));
  out.set("components", json::Object{{"schemas", std::move(schemas)}});
  return out;
}

}  // namespace kube::cacheserver
