// SPDX-License-Identifier: Apache-2.0
#include "requests/loader.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include <kube/base/file.hpp>
#include <kube/json/yaml.hpp>
#include <kube/meta/errors.hpp>

#include "documents/metadata.hpp"
#include "requests/field_validation.hpp"

namespace kube::apiserver {
namespace {

bool is_list(const Unstructured& document) {
  return document.kind().ends_with("List") && document.is_list();
}

std::string title(const json::Value& document) {
  std::string out(document.string_at({"kind"}));
  const std::string_view name = metadata_text(document, "name");
  const std::string_view base = metadata_text(document, "generateName");
  if (name.empty() && !base.empty()) out += " of generateName";
  return out.append(" \"").append(name.empty() ? base : name).append("\"");
}

// An error of validation begins with the kind and the name, which may be generated.
Error titled(const Error& error, const json::Value& document) {
  return is_invalid(error) ? error : error.with_context(title(document));
}

std::string place_of(const std::string& place, const std::string& part) {
  return place.empty() ? part : place + ": " + part;
}

Error at(const Error& error, const std::string& place) {
  return place.empty() ? error : error.with_context(place);
}

// Definitions of resources are loaded first, then namespaces, then the rest.
int rank(const json::Value& document) {
  const std::string_view kind = document.string_at({"kind"});
  const std::string_view api_version = document.string_at({"apiVersion"});
  const auto version = meta::parse_group_version(api_version);
  if (!version) return 2;
  if (kind == builtin::kDefinitions.kind && version->group == builtin::kDefinitions.group) return 0;
  return kind == builtin::kNamespaces.kind && version->group == builtin::kNamespaces.group ? 1 : 2;
}

// A cluster-scoped kind has no namespace: objects do not differ in it.
std::string identity(const json::Value& document) {
  const std::string_view api_version = document.string_at({"apiVersion"});
  const std::size_t slash = api_version.find('/');
  std::string out(slash == std::string_view::npos ? "" : api_version.substr(0, slash));
  std::string_view space = metadata_text(document, "namespace");
  if (space.empty()) space = "default";
  return out.append("/")
      .append(document.string_at({"kind"}))
      .append("/")
      .append(space)
      .append("/")
      .append(metadata_text(document, "name"));
}

}  // namespace

Result<std::shared_ptr<const Resource>> resource_of_object(const ResourceTable& table,
                                                           const json::Value& object) {
  const std::string_view api_version = object.string_at({"apiVersion"});
  const std::string_view kind = object.string_at({"kind"});
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
  const auto namespaces = registry_.table()->find(builtin::kNamespaces);
  if (objects_.collection(*namespaces).get(name)) return {};
  json::Value object = json::Object{{"metadata", json::Object{{"name", name}}}};
  const auto created = objects_.create(*namespaces, "", std::move(object));
  if (!created && !is_already_exists(created.error())) return created.error();
  return {};
}

Result<void> Loader::put(Document document) {
  json::Value& object = document.content;
  const auto resource = resource_of_object(*registry_.table(), object);
  if (!resource) return resource.error();
  if ((*resource)->needs_webhook)
    return webhook_failed((*resource)->gvk).with_context(title(object));
  std::string namespace_;
  if ((*resource)->namespaced) {
    namespace_ = metadata_text(object, "namespace");
    if (namespace_.empty()) namespace_ = "default";
    metadata_of(object).set("namespace", namespace_);
    if (auto ready = ensure_namespace(namespace_); !ready) return ready.error();
  } else {
    metadata_of(object).erase("namespace");
  }
  const json::Value named = json::Object{
      {"kind", object.string_at({"kind"})},
      {"metadata", json::Object{{"name", metadata_text(object, "name")},
                                {"generateName", metadata_text(object, "generateName")}}}};
  FieldValidation fields("Warn");
  if (auto fits = fields.check(**resource, object); !fits) return titled(fits.error(), named);
  if (warn_) {
    for (const std::string& warning : fields.warnings()) warn_(place_of(document.place, warning));
  }
  const auto stored = objects_.put(**resource, namespace_, std::move(object));
  if (!stored) return titled(stored.error(), named);
  return {};
}

Result<std::size_t> Loader::load(Documents documents) {
  std::unordered_map<std::string, const std::string*> places;
  for (const Document& document : documents) {
    if (metadata_text(document.content, "name").empty()) continue;
    const auto [first, is_new] = places.try_emplace(identity(document.content), &document.place);
    if (is_new) continue;
    return at(
        Error(ErrorCode::InvalidArgument,
              title(document.content) + " occurs twice; the first one is in " + *first->second),
        document.place);
  }
  std::ranges::stable_sort(documents, {},
                           [](const Document& document) { return rank(document.content); });
  for (Document& document : documents) {
    const std::string place = document.place;
    if (auto loaded = put(std::move(document)); !loaded) return at(loaded.error(), place);
  }
  return documents.size();
}

Result<std::size_t> Loader::load(const json::Value& document) {
  Documents documents;
  if (auto added = add(Unstructured(document), "", documents); !added) return added.error();
  return load(std::move(documents));
}

// Adds the items of a list one by one, also those of nested lists.
Result<void> Loader::add(Unstructured document, const std::string& place, Documents& into) {
  if (!is_list(document)) {
    into.push_back({std::move(document.content), place});
    return {};
  }
  auto items = document.items();
  if (!items) return at(items.error(), place);
  for (std::size_t i = 0; i < items->size(); ++i) {
    auto added =
        add(std::move((*items)[i]), place_of(place, "items[" + std::to_string(i) + "]"), into);
    if (!added) return added;
  }
  return {};
}

Result<void> Loader::read_text(std::string_view text, const std::string& file, Documents& into) {
  auto documents = yaml::parse_all(text);
  if (!documents) return at(documents.error(), file);
  for (std::size_t i = 0; i < documents->size(); ++i) {
    auto added = add(Unstructured(std::move((*documents)[i])),
                     place_of(file, "document " + std::to_string(i + 1)), into);
    if (!added) return added;
  }
  return {};
}

Result<std::size_t> Loader::load_text(std::string_view text) {
  Documents documents;
  if (auto read = read_text(text, "", documents); !read) return read.error();
  return load(std::move(documents));
}

Result<void> Loader::read_file(const std::filesystem::path& path, const std::stop_token& stop,
                               Documents& into) {
  const auto text = kube::read_file(path.string(), kMaxFileBytes, stop);
  if (!text) {
    if (text.error().code() == ErrorCode::Cancelled) return text.error();
    return Error(ErrorCode::InvalidArgument, "can't read " + text.error().message());
  }
  return read_text(*text, path.string(), into);
}

Result<void> Loader::read_path(const std::filesystem::path& path, const std::stop_token& stop,
                               Documents& into) const {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return read_file(path, stop, into);
  const auto files = manifest_files(path.string());
  if (!files) {
    return Error(ErrorCode::InvalidArgument, "can't read the directory " + files.error().message());
  }
  if (warn_) {
    for (const std::string& skipped : files->skipped)
      warn_(skipped + ": skipped: not a regular file");
  }
  for (const std::string& file : files->files) {
    if (auto read = read_file(file, stop, into); !read) return read.error();
  }
  return {};
}

Result<std::size_t> Loader::load_paths(std::span<const std::filesystem::path> paths,
                                       const std::stop_token& stop) {
  Documents documents;
  for (const auto& path : paths) {
    if (auto read = read_path(path, stop, documents); !read) return read.error();
  }
  return load(std::move(documents));
}

}  // namespace kube::apiserver
