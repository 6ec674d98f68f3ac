// SPDX-License-Identifier: Apache-2.0
#include "reading/discovery.hpp"

#include <algorithm>
#include <vector>

namespace kube::serving {
namespace {

json::Array verb_list(VerbSet verbs) {
  json::Array out;
  for (std::size_t i = 0; i < kVerbNames.size(); ++i) {
    if (contains(verbs, static_cast<Verb>(i))) out.emplace_back(kVerbNames[i]);
  }
  return out;
}

json::Array text_list(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

json::Object version_entry(std::string_view group, std::string_view version) {
  const meta::GroupVersion name{std::string(group), std::string(version)};
  return {{"groupVersion", name.to_string()}, {"version", version}};
}

json::Object group_entry(const ServedGroup& group) {
  json::Array versions;
  for (const ServedVersion& version : group.versions) {
    versions.emplace_back(version_entry(group.name, version.version));
  }
  json::Value preferred = versions.front();
  return {{"name", group.name},
          {"versions", std::move(versions)},
          {"preferredVersion", std::move(preferred)}};
}

void add_resource(const Resource& resource, json::Array& out) {
  json::Object entry{{"name", resource.plural},
                     {"singularName", resource.singular},
                     {"namespaced", resource.namespaced},
                     {"kind", resource.gvk.kind},
                     {"verbs", verb_list(resource.verbs)}};
  if (!resource.short_names.empty()) entry.set("shortNames", text_list(resource.short_names));
  if (!resource.categories.empty()) entry.set("categories", text_list(resource.categories));
  if (!resource.storage_version_hash.empty()) {
    entry.set("storageVersionHash", resource.storage_version_hash);
  }
  out.emplace_back(std::move(entry));
  for (const Subresource& sub : resource.subresources) {
    json::Object sub_entry{{"name", resource.plural + "/" + sub.name},
                           {"singularName", ""},
                           {"namespaced", resource.namespaced}};
    if (sub.gvk.group_version() != resource.group_version()) {
      if (!sub.gvk.group.empty()) sub_entry.set("group", sub.gvk.group);
      sub_entry.set("version", sub.gvk.version);
    }
    sub_entry.set("kind", sub.gvk.kind);
    sub_entry.set("verbs", verb_list(sub.verbs));
    out.emplace_back(std::move(sub_entry));
  }
}

json::Object kind_entry(const meta::GroupVersionKind& gvk) {
  return {{"group", gvk.group}, {"version", gvk.version}, {"kind", gvk.kind}};
}

json::Object aggregated_resource(const Resource& resource) {
  json::Object entry{{"resource", resource.plural},
                     {"responseKind", kind_entry(resource.gvk)},
                     {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
                     {"singularResource", resource.singular},
                     {"verbs", verb_list(resource.verbs)}};
  if (!resource.short_names.empty()) entry.set("shortNames", text_list(resource.short_names));
  if (!resource.categories.empty()) entry.set("categories", text_list(resource.categories));
  if (!resource.subresources.empty()) {
    json::Array subresources;
    for (const Subresource& sub : resource.subresources) {
      subresources.emplace_back(json::Object{{"subresource", sub.name},
                                             {"responseKind", kind_entry(sub.gvk)},
                                             {"verbs", verb_list(sub.verbs)}});
    }
    entry.set("subresources", std::move(subresources));
  }
  return entry;
}

}  // namespace

json::Value core_versions(std::string_view server_address) {
  return json::Object{
      {"kind", "APIVersions"},
      {"versions", json::Array{"v1"}},
      {"serverAddressByClientCIDRs",
       json::Array{json::Object{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", server_address}}}}};
}

json::Value group_list(const ResourceTable& table) {
  json::Array groups;
  for (const ServedGroup& group : table.groups()) {
    if (!group.name.empty()) groups.emplace_back(group_entry(group));
  }
  return json::Object{
      {"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
}

std::optional<json::Value> group_document(const ResourceTable& table, std::string_view group) {
  const ServedGroup* found = group.empty() ? nullptr : table.find_group(group);
  if (found == nullptr) return std::nullopt;
  json::Object out{{"kind", "APIGroup"}, {"apiVersion", "v1"}};
  for (auto& [key, value] : group_entry(*found)) out.set(key, value);
  return out;
}

std::optional<json::Value> resource_list(const ResourceTable& table, std::string_view group,
                                         std::string_view version) {
  const ServedVersion* found = table.find_version(group, version);
  if (found == nullptr) return std::nullopt;
  json::Array resources;
  for (const auto& resource : found->resources) add_resource(*resource, resources);
  const meta::GroupVersion name{std::string(group), std::string(version)};
  return json::Object{{"kind", "APIResourceList"},
                      {"apiVersion", "v1"},
                      {"groupVersion", name.to_string()},
                      {"resources", std::move(resources)}};
}

json::Value aggregated_discovery(const ResourceTable& table, bool core, std::string_view version) {
  json::Array items;
  for (const ServedGroup& group : table.groups()) {
    if (group.name.empty() != core) continue;
    json::Array versions;
    for (const ServedVersion& served : group.versions) {
      json::Array resources;
      for (const auto& resource : served.resources) {
        resources.emplace_back(aggregated_resource(*resource));
      }
      versions.emplace_back(json::Object{{"version", served.version},
                                         {"resources", std::move(resources)},
                                         {"freshness", "Current"}});
    }
    json::Object metadata;
    if (!group.name.empty()) metadata.set("name", group.name);
    metadata.set("creationTimestamp", nullptr);
    items.emplace_back(
        json::Object{{"metadata", std::move(metadata)}, {"versions", std::move(versions)}});
  }
  return json::Object{{"kind", "APIGroupDiscoveryList"},
                      {"apiVersion", "apidiscovery.k8s.io/" + std::string(version)},
                      {"metadata", json::Object{}},
                      {"items", std::move(items)}};
}

json::Value root_paths(const ResourceTable& table) {
  std::vector<std::string> paths = {"/api",        "/api/v1",     "/apis",   "/healthz", "/livez",
                                    "/openapi/v2", "/openapi/v3", "/readyz", "/version"};
  for (const ServedGroup& group : table.groups()) {
    if (group.name.empty()) continue;
    paths.push_back("/apis/" + group.name);
    for (const ServedVersion& version : group.versions) {
      paths.push_back("/apis/" + group.name + "/" + version.version);
    }
  }
  std::ranges::sort(paths);
  return json::Object{{"paths", text_list(paths)}};
}

}  // namespace kube::serving
