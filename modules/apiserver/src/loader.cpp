// SPDX-License-Identifier: Apache-2.0
#include "loader.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include <kube/json/yaml.hpp>
#include <kube/meta/errors.hpp>

#include "field_validation.hpp"
#include "metadata.hpp"

namespace kube::apiserver {
namespace {

bool is_list(const json::Value& document) {
  const json::Value* items = document.at_path({"items"});
  return text_at(document, {"kind"}).ends_with("List") && items != nullptr && items->is_array();
}

// The items of a typed list say neither kind nor apiVersion.
json::Value item_of(const json::Value& list, const json::Value& item) {
  json::Value out = item;
  const std::string_view kind = text_at(list, {"kind"});
  if (!out.is_object() || kind == "List") return out;
  set_default(*out.if_object(), "kind", kind.substr(0, kind.size() - 4));
  set_default(*out.if_object(), "apiVersion", text_at(list, {"apiVersion"}));
  return out;
}

std::string title(const json::Value& document) {
  std::string out(text_at(document, {"kind"}));
  return out.append(" \"").append(metadata_text(document, "name")).append("\"");
}

}  // namespace

Result<std::shared_ptr<const Resource>> resource_of_object(const ResourceTable& table,
                                                           const json::Value& object) {
  const std::string_view api_version = text_at(object, {"apiVersion"});
  const std::string_view kind = text_at(object, {"kind"});
  if (api_version.empty() || kind.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "an object needs the strings apiVersion and kind; one of them is missing");
  }
  const auto group_version = meta::parse_group_version(api_version);
  if (!group_version) return group_version.error();
  auto resource =
      table.find_kind({group_version->group, group_version->version, std::string(kind)});
  if (!resource || !contains(resource->verbs, Verb::Get)) {
    return Error(ErrorCode::InvalidArgument,
                 "no resource of kind " + std::string(kind) + " in " + std::string(api_version));
  }
  return resource;
}

Result<void> Loader::ensure_namespace(const std::string& name) {
  const auto namespaces = registry_.table()->find("", "v1", "namespaces");
  if (objects_.collection(*namespaces).get(name)) return {};
  json::Value object = json::Object{{"metadata", json::Object{{"name", name}}}};
  const auto created = objects_.create(*namespaces, "", std::move(object));
  if (!created && !is_already_exists(created.error())) return created.error();
  return {};
}

Result<std::size_t> Loader::load(const json::Value& document) {
  if (is_list(document)) {
    std::size_t count = 0;
    const json::Array& items = *document.at_path({"items"})->if_array();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto loaded = load(item_of(document, items[i]));
      if (!loaded) return loaded.error().with_context("items[" + std::to_string(i) + "]");
      count += *loaded;
    }
    return count;
  }
  const auto resource = resource_of_object(*registry_.table(), document);
  if (!resource) return resource.error();
  json::Value object = document;
  std::string namespace_;
  if ((*resource)->namespaced) {
    namespace_ = metadata_text(object, "namespace");
    if (namespace_.empty()) namespace_ = "default";
    metadata_of(object).set("namespace", namespace_);
    if (auto ready = ensure_namespace(namespace_); !ready) return ready.error();
  } else {
    metadata_of(object).erase("namespace");
  }
  if (auto fits = FieldValidation("Ignore").check(**resource, object); !fits) {
    return fits.error().with_context(title(document));
  }
  const auto stored = objects_.put(**resource, namespace_, std::move(object));
  if (!stored) return stored.error().with_context(title(document));
  return std::size_t{1};
}

Result<std::size_t> Loader::load_text(std::string_view text) {
  const auto documents = yaml::parse_all(text);
  if (!documents) return documents.error();
  std::size_t count = 0;
  for (std::size_t i = 0; i < documents->size(); ++i) {
    const auto loaded = load((*documents)[i]);
    if (!loaded) return loaded.error().with_context("document " + std::to_string(i + 1));
    count += *loaded;
  }
  return count;
}

Result<std::size_t> Loader::load_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) return Error(ErrorCode::InvalidArgument, "can't read " + path.string());
  return load_text(text.str()).with_context(path.string());
}

Result<std::size_t> Loader::load_path(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return load_file(path);
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator at(path, error), end; !error && at != end;
       at.increment(error)) {
    const auto extension = at->path().extension();
    if (extension == ".json" || extension == ".yaml" || extension == ".yml") {
      files.push_back(at->path());
    }
  }
  if (error) {
    return Error(ErrorCode::InvalidArgument,
                 "can't read the folder " + path.string() + ": " + error.message());
  }
  std::ranges::sort(files);
  std::size_t count = 0;
  for (const auto& file : files) {
    const auto loaded = load_file(file);
    if (!loaded) return loaded.error();
    count += *loaded;
  }
  return count;
}

}  // namespace kube::apiserver
