// SPDX-License-Identifier: Apache-2.0
#include "manifest.hpp"

#include <cstdio>
#include <filesystem>
#include <utility>

#include <kube/base/file.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/json/yaml.hpp>

#include "error_output.hpp"
#include "input_file.hpp"
#include "object_check.hpp"
#include "object_document.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
using kube::Unstructured;
namespace json = kube::json;

Result<std::vector<json::Value>> documents_of(const std::string& text, const std::string& name) {
  if (!kube::meta::is_protobuf(text)) {
    auto values = kube::yaml::parse_all(text);
    if (!values) return Error(ErrorCode::Decode, name + ": " + values.error().to_string());
    return values;
  }
  const auto file = read_objects(text, name);
  if (!file) return file.error();
  std::vector<json::Value> values;
  for (const ObjectDocument& document : file->documents) {
    auto value = document.to_apply();
    if (!value) return value.error();
    values.push_back(*std::move(value));
  }
  return values;
}

Result<void> add(json::Value value, const std::string& file, const std::string& where,
                 std::vector<Manifest>& manifests) {
  const auto fail = [&](const std::string& why) {
    return Error(ErrorCode::Decode, where + ": " + why);
  };
  if (auto valid = check_kind(value); !valid) return fail(valid.error().message());
  if (auto valid = check_metadata(value); !valid) return fail(valid.error().message());
  Unstructured object(std::move(value));
  if (object.kind() == "List" && !object.is_list()) {
    const json::Value* items = object.content.at_path({"items"});
    return fail("items: expected an array, found " +
                (items == nullptr ? std::string("none") : described(*items)));
  }
  if (!object.is_list()) {
    if (object.name().empty()) return fail("metadata.name: expected a name, found none");
    manifests.push_back({file, std::move(object)});
    return {};
  }
  auto items = object.items();
  if (!items) return fail(items.error().to_string());
  std::size_t index = 0;
  for (Unstructured& item : *items) {
    const std::string at = where + ": items[" + std::to_string(index++) + "]";
    if (item.is_list()) {
      return Error(ErrorCode::Decode, at + ": a list in a list is not supported");
    }
    if (auto added = add(std::move(item.content), file, at, manifests); !added) return added;
  }
  return {};
}

// Replaces folders by their files.
Result<std::vector<std::string>> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  std::string empty;
  for (const std::string& path : paths) {
    std::error_code unknown;
    if (path == "-" || !std::filesystem::is_directory(path, unknown)) {
      files.push_back(path);
      continue;
    }
    const auto found = kube::manifest_files(path);
    if (!found) return found.error();
    for (const std::string& skipped : found->skipped)
      std::fprintf(stderr, "Warning: %s: skipped: not a regular file\n",
                   printable(skipped).c_str());
    if (found->files.empty()) empty += (empty.empty() ? "" : " ") + path;
    files.insert(files.end(), found->files.begin(), found->files.end());
  }
  if (files.empty()) {
    return Error(ErrorCode::Config, "error reading [" + empty +
                                        "]: recognized file extensions are [.json .yaml .yml]");
  }
  return files;
}

}  // namespace

Result<std::vector<Manifest>> read_manifests(const std::vector<std::string>& paths,
                                             const std::stop_token& stop) {
  const auto files = files_of(paths);
  if (!files) return files.error();
  std::vector<Manifest> manifests;
  for (const std::string& file : *files) {
    const std::string name = input_name(file);
    const auto text = read_input(file, stop);
    if (!text) return text.error();
    auto documents = documents_of(*text, name);
    if (!documents) return documents.error();
    const std::size_t count = documents->size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string where = count == 1 ? name : name + ": document " + std::to_string(i + 1);
      auto added = add(std::move((*documents)[i]), name, where, manifests);
      if (!added) return added.error();
    }
  }
  if (manifests.empty())
    return Error(ErrorCode::Decode, "expected objects in the files of -f, found none");
  return manifests;
}

}  // namespace kubecpp
