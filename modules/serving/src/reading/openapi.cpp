// SPDX-License-Identifier: Apache-2.0
#include "reading/openapi.hpp"

#include <algorithm>
#include <utility>

#include <kube/validation/openapi.hpp>

#include "documents/digest.hpp"
#include "documents/metadata.hpp"

namespace kube::serving {
namespace {

json::Object gvk_extension(const meta::GroupVersionKind& gvk) {
  return {{"group", gvk.group}, {"kind", gvk.kind}, {"version", gvk.version}};
}

// Returns the name of a kind's schema.
std::string schema_name(const Resource& resource) {
  if (resource.is_typed()) return meta::openapi_schema_name(*resource.type);
  return resource.gvk.group + "." + resource.gvk.version + "." + resource.gvk.kind;
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
  const std::string reference = "#/components/schemas/" + schema_name(resource);
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
    // A client that prepares a strategic merge needs the merge keys in the schema.
    on_item.set("patch",
                resource.is_typed()
                    ? operation("patch", resource,
                                {"application/json-patch+json", "application/merge-patch+json",
                                 "application/strategic-merge-patch+json"})
                    : operation("patch", resource,
                                {"application/json-patch+json", "application/merge-patch+json"}));
  }
  if (on_item.empty()) return;
  parameters.insert(parameters.begin(), path_parameter("name"));
  on_item.set("parameters", std::move(parameters));
  paths.set(collection + "/{name}", std::move(on_item));
}

void add_schema(const Resource& resource, json::Object& schemas) {
  if (resource.is_typed()) return meta::add_openapi_schemas(*resource.type, schemas);
  json::Object schema{{"type", "object"}};
  if (resource.schema && resource.schema->source.is_object()) {
    schema = *resource.schema->source.if_object();
  }
  json::Value& properties = schema["properties"];
  if (!properties.is_object()) properties = json::Object{};
  for (const std::string_view name : {"apiVersion", "kind"}) {
    set_default(*properties.if_object(), name, json::Object{{"type", "string"}});
  }
  set_default(*properties.if_object(), "metadata", json::Object{{"type", "object"}});
  schema.set("x-kubernetes-group-version-kind", json::Array{gvk_extension(resource.gvk)});
  schemas.set(schema_name(resource), std::move(schema));
}

json::Value make_document(const ServedVersion& version, const std::string& path) {
  json::Object paths;
  json::Object schemas;
  for (const auto& resource : version.resources) {
    add_paths(*resource, "/" + path, paths);
    add_schema(*resource, schemas);
  }
  return json::Object{{"openapi", "3.0.0"},
                      {"info", json::Object{{"title", "Kubernetes"}, {"version", "unversioned"}}},
                      {"paths", std::move(paths)},
                      {"components", json::Object{{"schemas", std::move(schemas)}}}};
}

OpenApiV2 make_v2(const ResourceTable& table) {
  json::Object schemas;
  for (const auto& resource : table.resources()) add_schema(*resource, schemas);
  const json::Value document = meta::make_openapi_v2(schemas);
  OpenApiV2 out;
  out.json = json::dump(document) + "\n";
  out.protobuf = meta::openapi_v2_message(document);
  out.hash = sha256_hex(out.json);
  return out;
}

OpenApiDocuments make_documents(const ResourceTable& table) {
  OpenApiDocuments out;
  json::Object paths;
  for (const ServedGroup& group : table.groups()) {
    for (const ServedVersion& version : group.versions) {
      OpenApiDocument document;
      document.path = (group.name.empty() ? "api/" : "apis/" + group.name + "/") + version.version;
      document.body = json::dump(make_document(version, document.path)) + "\n";
      document.hash = sha256_hex(document.body);
      paths.append(document.path,
                   json::Object{{"serverRelativeURL",
                                 "/openapi/v3/" + document.path + "?hash=" + document.hash}});
      out.documents.push_back(std::move(document));
    }
  }
  out.index = json::dump(json::Object{{"paths", std::move(paths)}}) + "\n";
  return out;
}

}  // namespace

const OpenApiDocument* OpenApiDocuments::find(std::string_view path) const {
  const auto found = std::ranges::find(documents, path, &OpenApiDocument::path);
  return found == documents.end() ? nullptr : &*found;
}

std::shared_ptr<const OpenApiV2> OpenApi::v2_of(const std::shared_ptr<const ResourceTable>& table) {
  return v2_.of(table, make_v2);
}

std::shared_ptr<const OpenApiDocuments> OpenApi::of(
    const std::shared_ptr<const ResourceTable>& table) {
  return v3_.of(table, make_documents);
}

}  // namespace kube::serving
