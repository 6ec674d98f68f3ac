// SPDX-License-Identifier: Apache-2.0
//
// Writes what discovery returned as the documents that kubectl keeps, and reads them.
#include "discovery_documents.hpp"

namespace kube {
namespace {

Result<void> expect_kind(const json::Value& document, std::string_view kind) {
  if (document.string_at({"kind"}) == kind && document.string_at({"apiVersion"}) == "v1") return {};
  return Error(ErrorCode::Decode, "expected a document of kind " + std::string(kind));
}

json::Value version_entry(const ApiGroup& group, const std::string& version) {
  const meta::GroupVersion full{group.name, version};
  return json::Object{{"groupVersion", version.empty() ? "" : full.to_string()},
                      {"version", version}};
}

json::Array text_array(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

Result<std::vector<ApiGroup>> read_stored_group_list(const json::Value& document) {
  if (auto kind = expect_kind(document, "APIGroupList"); !kind) return kind.error();
  Result<std::vector<ApiGroup>> groups = read_api_group_list(document);
  if (groups && groups->empty()) return Error(ErrorCode::Decode, "expected groups");
  return groups;
}

Result<ApiResourceList> read_stored_resource_list(const json::Value& document,
                                                  const meta::GroupVersion& version) {
  if (auto kind = expect_kind(document, "APIResourceList"); !kind) return kind.error();
  if (document.string_at({"groupVersion"}) != version.to_string()) {
    return Error(ErrorCode::Decode, "expected the resources of " + version.to_string());
  }
  Result<ApiResourceList> list = read_api_resource_list(document, version);
  if (list && list->resources.empty()) return Error(ErrorCode::Decode, "expected resources");
  return list;
}

json::Value write_api_group_list(const std::vector<ApiGroup>& groups) {
  json::Array items;
  for (const ApiGroup& group : groups) {
    json::Array versions;
    for (const std::string& version : group.versions) {
      versions.push_back(version_entry(group, version));
    }
    items.push_back(
        json::Object{{"name", group.name},
                     {"versions", std::move(versions)},
                     {"preferredVersion", version_entry(group, group.preferred_version)}});
  }
  return json::Object{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(items)}};
}

json::Value write_api_resource_list(const ApiResourceList& list) {
  json::Array items;
  for (const ApiResource& resource : list.resources) {
    json::Object item{{"name", resource.name},
                      {"singularName", resource.singular_name},
                      {"namespaced", resource.namespaced}};
    // As kubectl 1.37 does: those of the list are left out.
    if (resource.kind.group_version() != list.group_version) {
      if (!resource.kind.group.empty()) item.set("group", resource.kind.group);
      if (!resource.kind.version.empty()) item.set("version", resource.kind.version);
    }
    item.set("kind", resource.kind.kind);
    item.set("verbs", text_array(resource.verbs));
    if (!resource.short_names.empty()) item.set("shortNames", text_array(resource.short_names));
    if (!resource.categories.empty()) item.set("categories", text_array(resource.categories));
    items.push_back(std::move(item));
  }
  return json::Object{{"kind", "APIResourceList"},
                      {"apiVersion", "v1"},
                      {"groupVersion", list.group_version.to_string()},
                      {"resources", std::move(items)}};
}

}  // namespace kube
