// SPDX-License-Identifier: Apache-2.0
//
// Reads the objects of manifests.
#include <utility>

#include <kube/base/file.hpp>
#include <kube/client/apply_manifest.hpp>
#include <kube/codec/codec.hpp>
#include <kube/codec/object_check.hpp>
#include <kube/json/yaml.hpp>

namespace kube {
namespace {

// `place_of` (line) -> what comes before "document 1".
template <class PlaceOf>
Result<std::vector<ManifestObject>> objects_of(std::vector<yaml::Document> documents,
                                               const PlaceOf& place_of) {
  std::vector<ManifestObject> objects;
  std::size_t number = 0;
  for (yaml::Document& document : documents) {
    const std::string where = place_of(document.line) + "document " + std::to_string(++number);
    std::vector<std::string> duplicates = document.json.empty()
                                              ? std::move(document.repeated_keys)
                                              : meta::duplicate_fields(document.json);
    const std::size_t first = objects.size();
    if (auto added = add_manifest_objects(std::move(document.value), where, objects); !added)
      return added.error();
    for (std::size_t i = first; i < objects.size(); ++i) objects[i].duplicate_fields = duplicates;
  }
  return objects;
}

}  // namespace

Result<void> add_manifest_objects(json::Value document, const std::string& where,
                                  std::vector<ManifestObject>& objects) {
  const auto fail = [&](const std::string& why) {
    return Error(ErrorCode::Decode, where + ": " + why);
  };
  if (auto valid = meta::check_kind(document); !valid) return fail(valid.error().message());
  if (auto valid = meta::check_metadata(document); !valid) return fail(valid.error().message());
  Unstructured object(std::move(document));
  if (object.kind() == "List" && !object.is_list()) {
    const json::Value* items = object.content.at_path({"items"});
    return fail("items: expected an array, found " +
                (items == nullptr ? std::string("none") : meta::described(*items)));
  }
  if (!object.is_list()) {
    if (object.name().empty()) return fail("metadata.name: expected a name, found none");
    objects.push_back({where, std::move(object)});
    return {};
  }
  auto items = object.items();
  if (!items) return fail(items.error().to_string());
  std::size_t index = 0;
  for (Unstructured& item : *items) {
    const std::string at = where + ": items[" + std::to_string(index++) + "]";
    if (item.is_list()) return Error(ErrorCode::Decode, at + ": a list in a list is not supported");
    if (auto added = add_manifest_objects(std::move(item.content), at, objects); !added)
      return added;
  }
  return {};
}

Result<std::vector<ManifestObject>> read_manifest(std::string_view text) {
  auto documents = yaml::read_documents(text);
  if (!documents) return documents.error();
  return objects_of(*std::move(documents), [](int) { return std::string(); });
}

Result<std::vector<ManifestObject>> read_manifest_file(const std::string& path,
                                                       std::stop_token stop) {
  const auto text = read_file(path, kMaxFileBytes, std::move(stop));
  if (!text) return text.error();
  auto documents = yaml::read_documents(*text);
  if (!documents) return documents.error().with_context(path);
  return objects_of(*std::move(documents),
                    [&](int line) { return path + ": line " + std::to_string(line) + ": "; });
}

}  // namespace kube
