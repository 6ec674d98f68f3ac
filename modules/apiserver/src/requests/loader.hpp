// SPDX-License-Identifier: Apache-2.0
//
// Fills the server from documents: objects saved from a cluster or written by hand.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/json/value.hpp>

#include "names/serving_names.hpp"
#include "objects/object_service.hpp"
#include "resources/resource_table.hpp"

namespace kube::apiserver {

class Loader {
 public:
  /// `warn` reports fields that are dropped and files that are skipped; it may be empty, and
  /// outlives this object.
  Loader(ResourceRegistry& registry, ObjectService& objects,
         const std::function<void(std::string_view)>& warn)
      : registry_(registry), objects_(objects), warn_(warn) {}

  /// Loads an object, or the items of a List of any kind. Returns the number of objects.
  Result<std::size_t> load(const json::Value& document);
  Result<std::size_t> load_text(std::string_view text);
  Result<std::size_t> load_paths(std::span<const std::filesystem::path> paths,
                                 const std::stop_token& stop);

 private:
  // An object and its place: "a.yaml: document 2: items[0]".
  struct Document {
    json::Value content;
    std::string place;
  };
  using Documents = std::vector<Document>;

  static Result<void> add(Unstructured document, const std::string& place, Documents& into);
  static Result<void> read_text(std::string_view text, const std::string& file, Documents& into);
  static Result<void> read_file(const std::filesystem::path& path, const std::stop_token& stop,
                                Documents& into);
  Result<void> read_path(const std::filesystem::path& path, const std::stop_token& stop,
                         Documents& into) const;
  Result<std::size_t> load(Documents documents);
  Result<void> put(Document document);
  Result<void> ensure_namespace(const std::string& name);

  ResourceRegistry& registry_;
  ObjectService& objects_;
  const std::function<void(std::string_view)>& warn_;
};

/// Returns the served resource of an object's apiVersion and kind. Fails with InvalidArgument,
/// which names what is missing or unknown.
Result<std::shared_ptr<const Resource>> resource_of_object(const ResourceTable& table,
                                                           const json::Value& object);

}  // namespace kube::apiserver
