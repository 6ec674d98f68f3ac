// SPDX-License-Identifier: Apache-2.0
#include "openapi.hpp"

#include <utility>

#include "custom_schema.hpp"
#include "digest.hpp"

namespace kube::apiserver {
namespace {

json::Object gvk_extension(const meta::GroupVersionKind& gvk) {
  return {{"group", gvk.group}, {"kind", gvk.kind}, {"version", gvk.version}};
}

// The name under which a kind's schema stands: the reversed group, version and kind.
std::string schema_name(const meta::GroupVersionKind& gvk) {
  std::string name = "io.k8s.api.";
  name += gvk.group.empty() ? "core" : gvk.group;
  return name + "." + gvk.version + "." + gvk.kind;
}

json::Object query_parameter(std::string_view name, std::string_view type) {
  return {{"name", name},
          {"in", "query"},
          {"schema", json::Object{{"type", type}, {"uniqueItems", true}}}};
}

json::Array write_parameters() {
  return {query_parameter("dryRun", "string"), query_parameter("fieldManager", "string"),
          query_parameter("fieldValidation", "string"), query_parameter("pretty", "string")};
}

json::Object content(std::initializer_list<std::string_view> types, const std::string& reference) {
  json::Object out;
  for (const std::string_view type : types) {
    out.set(type, json::Object{{"schema", json::Object{{"$ref", reference}}}});
  }
  return out;
}

json::Object operation(std::string_view action, const Resource& resource,
                       std::initializer_list<std::string_view> body_types) {
  const std::string reference = "#/components/schemas/" + schema_name(resource.gvk);
  json::Object out{{"x-kubernetes-action", action},
                   {"x-kubernetes-group-version-kind", gvk_extension(resource.gvk)}};
  if (body_types.size() != 0) {
    out.set("parameters", write_parameters());
    out.set("requestBody", json::Object{{"content", content(body_types, reference)}});
  }
  out.set("responses",
          json::Object{
              {"200", json::Object{{"description", "OK"},
                                   {"content", content({"application/json", "application/yaml"},
                                                       reference)}}}});
  return out;
}

json::Object path_parameter(std::string_view name) {
  return {{"name", name},
          {"in", "path"},
          {"required", true},
          {"schema", json::Object{{"type", "string"}, {"uniqueItems", true}}}};
}

void add_paths(const Resource& resource, const std::string& root, json::Object& paths) {
  const std::string collection =
      root + (resource.namespaced ? "/namespaces/{namespace}/" : "/") + resource.plural;
  json::Array parameters;
  if (resource.namespaced) parameters.emplace_back(path_parameter("namespace"));
  json::Object on_collection;
  if (contains(resource.verbs, Verb::List))
    on_collection.set("get", operation("list", resource, {}));
  if (contains(resource.verbs, Verb::Create)) {
    on_collection.set("post", operation("post", resource, {"*/*"}));
  }
  if (!on_collection.empty()) {
    if (!parameters.empty()) on_collection.set("parameters", parameters);
    paths.set(collection, std::move(on_collection));
  }
  json::Object on_item;
  if (contains(resource.verbs, Verb::Get)) on_item.set("get", operation("get", resource, {}));
  if (contains(resource.verbs, Verb::Update)) {
    on_item.set("put", operation("put", resource, {"*/*"}));
  }
  if (contains(resource.verbs, Verb::Patch)) {
    on_item.set("patch",
                resource.is_custom()
                    ? operation("patch", resource,
                                {"application/json-patch+json", "application/merge-patch+json"})
                    : operation("patch", resource,
                                {"application/json-patch+json", "application/merge-patch+json",
                                 "application/strategic-merge-patch+json"}));
  }
  if (on_item.empty()) return;
  parameters.insert(parameters.begin(), path_parameter("name"));
  on_item.set("parameters", std::move(parameters));
  paths.set(collection + "/{name}", std::move(on_item));
}

json::Object kind_schema(const Resource& resource) {
  json::Object schema{{"type", "object"}};
  if (resource.schema && resource.schema->source().is_object()) {
    schema = *resource.schema->source().if_object();
  }
  schema.set("x-kubernetes-group-version-kind", json::Array{gvk_extension(resource.gvk)});
  return schema;
}

}  // namespace

std::string openapi_path(std::string_view group, std::string_view version) {
  std::string path = group.empty() ? "api/" : "apis/" + std::string(group) + "/";
  return path.append(version);
}

std::optional<json::Value> openapi_document(const ResourceTable& table, std::string_view path) {
  for (const ServedGroup& group : table.groups()) {
    for (const ServedVersion& version : group.versions) {
      const std::string name = openapi_path(group.name, version.version);
      if (name != path) continue;
      json::Object paths;
      json::Object schemas;
      for (const auto& resource : version.resources) {
        add_paths(*resource, "/" + name, paths);
        schemas.set(schema_name(resource->gvk), kind_schema(*resource));
      }
      return json::Object{
          {"openapi", "3.0.0"},
          {"info", json::Object{{"title", "Kubernetes"}, {"version", "unversioned"}}},
          {"paths", std::move(paths)},
          {"components", json::Object{{"schemas", std::move(schemas)}}}};
    }
  }
  return std::nullopt;
}

std::string openapi_hash(const json::Value& document) {
  return sha256_hex(json::dump(document));
}

json::Value openapi_index(const ResourceTable& table) {
  json::Object paths;
  for (const ServedGroup& group : table.groups()) {
    for (const ServedVersion& version : group.versions) {
      const std::string path = openapi_path(group.name, version.version);
      const auto document = openapi_document(table, path);
      if (!document) continue;
      paths.set(path, json::Object{{"serverRelativeURL",
                                    "/openapi/v3/" + path + "?hash=" + openapi_hash(*document)}});
    }
  }
  return json::Object{{"paths", std::move(paths)}};
}

}  // namespace kube::apiserver
