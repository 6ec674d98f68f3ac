// SPDX-License-Identifier: Apache-2.0
//
// Reads the discovery documents of a server.
#include "discovery_documents.hpp"

#include "media_type.hpp"

namespace kube {
namespace {

std::string text(const json::Value& object, std::string_view key) {
  const json::Value* member = object.at_path({key});
  return member == nullptr ? std::string() : std::string(member->string_or_empty());
}

std::vector<std::string> texts(const json::Value& object, std::string_view key) {
  std::vector<std::string> out;
  const json::Value* member = object.at_path({key});
  const json::Array* array = member == nullptr ? nullptr : member->if_array();
  if (array == nullptr) return out;
  for (const json::Value& element : *array) out.emplace_back(element.string_or_empty());
  return out;
}

// Returns the elements of a list member; none when it is missing or null.
Result<const json::Array*> elements(const json::Value& object, std::string_view key) {
  static const json::Array none;
  if (object.if_object() == nullptr) {
    return Error(ErrorCode::Decode, "expected an object, got " + std::string(object.type_name()));
  }
  const json::Value* member = object.at_path({key});
  if (member == nullptr || member->is_null()) return &none;
  if (const json::Array* array = member->if_array()) return array;
  return Error(ErrorCode::Decode,
               std::string(key) + ": expected an array, got " + std::string(member->type_name()));
}

meta::GroupVersionKind read_kind(const json::Value& object, std::string_view key) {
  const json::Value* kind = object.at_path({key});
  if (kind == nullptr) return {};
  return {.group = text(*kind, "group"),
          .version = text(*kind, "version"),
          .kind = text(*kind, "kind")};
}

// A kind without group or version has those of the list.
void complete(meta::GroupVersionKind& kind, const meta::GroupVersion& version) {
  if (!kind.group.empty() || !kind.version.empty()) return;
  kind.group = version.group;
  kind.version = version.version;
}

void add_subresources(const json::Value& parent, const ApiResource& like,
                      const meta::GroupVersion& version, std::vector<ApiResource>& out) {
  const Result<const json::Array*> subresources = elements(parent, "subresources");
  if (!subresources) return;
  for (const json::Value& entry : **subresources) {
    ApiResource resource;
    resource.kind = read_kind(entry, "responseKind");
    if (resource.kind.kind.empty()) continue;
    complete(resource.kind, version);
    resource.name = like.name + "/" + text(entry, "subresource");
    resource.singular_name = like.singular_name;
    resource.namespaced = like.namespaced;
    resource.verbs = texts(entry, "verbs");
    out.push_back(std::move(resource));
  }
}

Result<ApiResourceList> read_aggregated_version(const json::Value& entry,
                                                const meta::GroupVersion& version) {
  ApiResourceList list;
  list.group_version = version;
  const Result<const json::Array*> resources = elements(entry, "resources");
  if (!resources) return resources.error();
  for (const json::Value& item : **resources) {
    ApiResource resource;
    resource.name = text(item, "resource");
    resource.singular_name = text(item, "singularResource");
    resource.namespaced = text(item, "scope") == "Namespaced";
    resource.kind = read_kind(item, "responseKind");
    resource.verbs = texts(item, "verbs");
    resource.short_names = texts(item, "shortNames");
    resource.categories = texts(item, "categories");
    const ApiResource parent = resource;
    // A virtual parent has no objects of its own, only subresources.
    if (!resource.kind.kind.empty()) {
      complete(resource.kind, version);
      list.resources.push_back(std::move(resource));
    }
    add_subresources(item, parent, version, list.resources);
  }
  return list;
}

Result<void> add_aggregated_group(const json::Value& item, ServerResources& out) {
  ApiGroup group;
  if (const json::Value* name = item.at_path({"metadata", "name"})) {
    group.name = name->string_or_empty();
  }
  const Result<const json::Array*> versions = elements(item, "versions");
  if (!versions) return versions.error();
  for (const json::Value& entry : **versions) {
    const meta::GroupVersion version{.group = group.name, .version = text(entry, "version")};
    if (text(entry, "freshness") == "Stale") {
      out.failed.emplace(version, Error(ErrorCode::Server,
                                        "stale GroupVersion discovery: " + version.to_string()));
      continue;
    }
    Result<ApiResourceList> list = read_aggregated_version(entry, version);
    if (!list) return list.error();
    group.versions.push_back(version.version);
    out.resources.push_back(*std::move(list));
  }
  if (!group.versions.empty()) group.preferred_version = group.versions.front();
  out.groups.push_back(std::move(group));
  return {};
}

}  // namespace

bool is_aggregated(std::string_view content_type) {
  const Result<rest::MediaType> media = rest::parse_media_type(content_type);
  return media && media->type == "application/json" &&
         media->parameter("g") == "apidiscovery.k8s.io" && media->parameter("v") == "v2" &&
         media->parameter("as") == "APIGroupDiscoveryList";
}

Result<ServerResources> read_aggregated(const json::Value& document) {
  const Result<const json::Array*> items = elements(document, "items");
  if (!items) return items.error();
  ServerResources out;
  for (const json::Value& item : **items) {
    if (auto added = add_aggregated_group(item, out); !added) return added.error();
  }
  return out;
}

Result<ApiGroup> read_api_versions(const json::Value& document) {
  if (const auto versions = elements(document, "versions"); !versions) return versions.error();
  ApiGroup group;
  group.versions = texts(document, "versions");
  if (!group.versions.empty()) group.preferred_version = group.versions.front();
  return group;
}

Result<std::vector<ApiGroup>> read_api_group_list(const json::Value& document) {
  const Result<const json::Array*> items = elements(document, "groups");
  if (!items) return items.error();
  std::vector<ApiGroup> groups;
  for (const json::Value& item : **items) {
    ApiGroup group;
    group.name = text(item, "name");
    const Result<const json::Array*> versions = elements(item, "versions");
    if (!versions) return versions.error();
    for (const json::Value& version : **versions) {
      group.versions.push_back(text(version, "version"));
    }
    if (const json::Value* preferred = item.at_path({"preferredVersion", "version"})) {
      group.preferred_version = preferred->string_or_empty();
    }
    if (group.preferred_version.empty() && !group.versions.empty()) {
      group.preferred_version = group.versions.front();
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

Result<ApiResourceList> read_api_resource_list(const json::Value& document,
                                               const meta::GroupVersion& version) {
  const Result<const json::Array*> items = elements(document, "resources");
  if (!items) return items.error();
  ApiResourceList list;
  list.group_version = version;
  for (const json::Value& item : **items) {
    ApiResource resource;
    resource.name = text(item, "name");
    resource.singular_name = text(item, "singularName");
    if (const json::Value* namespaced = item.at_path({"namespaced"})) {
      resource.namespaced = namespaced->if_bool() != nullptr && *namespaced->if_bool();
    }
    resource.kind = {
        .group = text(item, "group"), .version = text(item, "version"), .kind = text(item, "kind")};
    complete(resource.kind, version);
    resource.verbs = texts(item, "verbs");
    resource.short_names = texts(item, "shortNames");
    resource.categories = texts(item, "categories");
    list.resources.push_back(std::move(resource));
  }
  return list;
}

}  // namespace kube
