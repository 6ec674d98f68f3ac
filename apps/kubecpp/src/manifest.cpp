// SPDX-License-Identifier: Apache-2.0
#include "manifest.hpp"

#include <glob.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <kube/base/file.hpp>
#include <kube/client/apply_manifest.hpp>
#include <kube/codec/protobuf.hpp>
#include <kube/json/yaml.hpp>
#include <kube/transport/url.hpp>

#include "error_output.hpp"
#include "input_file.hpp"
#include "object_document.hpp"
#include "remote_file.hpp"

namespace kubecpp {
namespace {

using kube::Error;
using kube::ErrorCode;
using kube::Result;
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

std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> folders;
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error);
  for (const std::filesystem::directory_iterator end; !error && at != end; at.increment(error)) {
    std::error_code unknown;
    const bool is_folder = std::filesystem::is_directory(at->symlink_status(unknown));
    if (is_folder) folders.push_back(at->path().string());
  }
  return folders;
}

// Adds the files of a folder, with `recursive` those of its folders in their places by name. Links
// to folders are not followed.
Result<void> add_files_of(const std::string& folder, bool recursive,
                          std::vector<std::string>& files) {
  auto found = kube::manifest_files(folder);
  if (!found) return found.error();
  for (const std::string& skipped : found->skipped)
    std::fprintf(stderr, "Warning: %s: skipped: not a regular file\n", printable(skipped).c_str());
  const auto folders = recursive ? folders_in(folder) : std::vector<std::string>();
  std::vector<std::string> entries = std::move(found->files);
  entries.insert(entries.end(), folders.begin(), folders.end());
  std::ranges::sort(entries);
  for (std::string& entry : entries) {
    if (std::ranges::find(folders, entry) == folders.end()) {
      files.push_back(std::move(entry));
    } else if (auto added = add_files_of(entry, recursive, files); !added) {
      return added;
    }
  }
  return {};
}

// Returns the path, or what it matches as a pattern when there is no such file. kubectl reads such
// patterns, too, for shells that do not.
Result<std::vector<std::string>> paths_like(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::status(path, unknown).type() != std::filesystem::file_type::not_found)
    return std::vector<std::string>{path};
  ::glob_t matches{};
  std::vector<std::string> paths;
  if (::glob(path.c_str(), 0, nullptr, &matches) == 0)
    paths.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  ::globfree(&matches);
  if (paths.empty()) return Error(ErrorCode::Config, "the path \"" + path + "\" does not exist");
  return paths;
}

// Adds a file, the files of a folder, or standard input. `empty` receives the folders without any.
Result<void> add_files(const std::string& path, bool recursive, std::vector<std::string>& files,
                       std::string& empty) {
  std::error_code unknown;
  if (path == "-" || !std::filesystem::is_directory(path, unknown)) {
    files.push_back(path);
    return {};
  }
  const std::size_t before = files.size();
  if (auto added = add_files_of(path, recursive, files); !added) return added;
  if (files.size() == before) empty += (empty.empty() ? "" : " ") + path;
  return {};
}

// Replaces folders and patterns by their files.
Result<std::vector<std::string>> files_of(const std::vector<std::string>& paths, bool recursive) {
  std::vector<std::string> files;
  std::string empty;
  for (const std::string& path : paths) {
    if (is_url(path)) {
      files.push_back(path);
      continue;
    }
    const auto found = path == "-" ? std::vector<std::string>{path} : paths_like(path);
    if (!found) return found.error();
    for (const std::string& each : *found) {
      if (auto added = add_files(each, recursive, files, empty); !added) return added.error();
    }
  }
  if (files.empty()) {
    return Error(ErrorCode::Config, "error reading [" + empty +
                                        "]: recognized file extensions are [.json .yaml .yml]");
  }
  return files;
}

}  // namespace

Result<std::vector<Manifest>> read_manifests(const std::vector<std::string>& paths,
                                             const std::stop_token& stop, bool recursive) {
  const auto files = files_of(paths, recursive);
  if (!files) return files.error();
  std::vector<Manifest> manifests;
  for (const std::string& file : *files) {
    const bool remote = is_url(file);
    const std::string name = remote ? kube::transport::printable_url(file) : input_name(file);
    const auto text = remote ? read_url(file, stop) : read_input(file, stop);
    if (!text) return text.error();
    auto documents = documents_of(*text, name);
    if (!documents) return documents.error();
    std::vector<kube::ManifestObject> objects;
    const std::size_t count = documents->size();
    for (std::size_t i = 0; i < count; ++i) {
      const std::string where = count == 1 ? name : name + ": document " + std::to_string(i + 1);
      auto added = kube::add_manifest_objects(std::move((*documents)[i]), where, objects);
      if (!added) return added.error();
    }
    for (kube::ManifestObject& each : objects)
      manifests.push_back({file == "-" ? "STDIN" : name, std::move(each.object)});
  }
  return manifests;
}

Result<kube::labels::Selector> selector_of(const std::string& label_selector) {
  auto labels = kube::labels::parse(label_selector);
  if (labels) return labels;
  return Error(ErrorCode::InvalidArgument, "the provided selector \"" + label_selector +
                                               "\" is not valid: " + labels.error().message());
}

Result<void> keep_matching(const std::string& label_selector, std::vector<Manifest>& manifests) {
  const auto labels = selector_of(label_selector);
  if (!labels) return labels.error();
  std::erase_if(manifests, [&](const Manifest& manifest) {
    return !labels->matches(manifest.object.labels());
  });
  return {};
}

}  // namespace kubecpp
