// SPDX-License-Identifier: Apache-2.0
#include "manifest_files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <kube/json/yaml.hpp>

namespace kubecpp {
namespace {

namespace fs = std::filesystem;
using kube::Error;
using kube::ErrorCode;
using kube::Result;

bool is_manifest(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".json" || extension == ".yaml" || extension == ".yml";
}

Result<void> add_document(kube::json::Value document, const std::string& origin,
                          std::vector<ManifestObject>& objects) {
  if (!document.is_object()) {
    return Error(ErrorCode::Config, origin + ": expected an object, found a " +
                                        std::string(document.type_name()));
  }
  kube::Unstructured object(std::move(document));
  if (object.kind().empty() || object.api_version().empty()) {
    return Error(ErrorCode::Config, origin + ": expected apiVersion and kind");
  }
  const kube::json::Value* items = object.content.at_path({"items"});
  if (items == nullptr || !items->is_array() || !object.kind().ends_with("List")) {
    objects.push_back({std::move(object), origin});
    return {};
  }
  // The items of a typed list carry neither kind nor version.
  const kube::meta::GroupVersionKind list = object.gvk();
  const std::string item_kind = list.kind.substr(0, list.kind.size() - std::strlen("List"));
  std::size_t number = 0;
  for (const kube::json::Value& item : *items->if_array()) {
    ++number;
    kube::Unstructured one(item);
    if (one.content.is_object() && one.kind().empty() && !item_kind.empty()) {
      one.set_gvk({list.group, list.version, item_kind});
    }
    if (auto added = add_document(std::move(one.content), origin + ", item " + std::to_string(number),
                                  objects);
        !added) {
      return added;
    }
  }
  return {};
}

Result<void> add_file(const fs::path& path, std::vector<ManifestObject>& objects) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf() || in.peek() == std::ifstream::traits_type::eof())) {
    return Error(ErrorCode::Config, path.string() + ": cannot be read: " + std::strerror(errno));
  }
  auto documents = kube::yaml::parse_all(text.str());
  if (!documents) return documents.error().with_context(path.string());
  std::size_t number = 0;
  for (kube::json::Value& document : *documents) {
    ++number;
    std::string origin = path.string();
    if (documents->size() > 1) origin += ", document " + std::to_string(number);
    if (auto added = add_document(std::move(document), origin, objects); !added) return added;
  }
  return {};
}

}  // namespace

Result<std::vector<ManifestObject>> read_manifests(const std::string& file_or_folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  const fs::file_status status = fs::status(file_or_folder, failed);
  if (!fs::exists(status)) {
    return Error(ErrorCode::Config, file_or_folder + ": no such file or folder");
  }
  if (fs::is_directory(status)) {
    fs::recursive_directory_iterator entries(file_or_folder, failed);
    for (const auto end = fs::recursive_directory_iterator(); !failed && entries != end;
         entries.increment(failed)) {
      if (entries->is_regular_file() && is_manifest(entries->path())) files.push_back(entries->path());
    }
    if (failed) {
      return Error(ErrorCode::Config, file_or_folder + ": cannot be read: " + failed.message());
    }
    if (files.empty()) {
      return Error(ErrorCode::Config, file_or_folder + ": expected .json, .yaml or .yml files in it");
    }
    std::sort(files.begin(), files.end());
  } else {
    files.emplace_back(file_or_folder);
  }
  std::vector<ManifestObject> objects;
  for (const fs::path& file : files) {
    if (auto added = add_file(file, objects); !added) return added.error();
  }
  return objects;
}

}  // namespace kubecpp
