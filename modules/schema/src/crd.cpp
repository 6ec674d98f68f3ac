// SPDX-License-Identifier: Apache-2.0
//
// Makes types from CustomResourceDefinitions.
#include <kube/schema/documents.hpp>

#include <algorithm>
#include <set>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/base/dns_names.hpp>
#include <kube/json/yaml.hpp>

#include "structural.hpp"
#include "type_builder.hpp"

namespace kube::schema {
namespace {

using json::Value;

constexpr std::string_view kApiGroup = "apiextensions.k8s.io/";
constexpr std::string_view kApiVersion = "apiextensions.k8s.io/v1";
constexpr std::string_view kKind = "CustomResourceDefinition";
constexpr std::string_view kListKind = "CustomResourceDefinitionList";

Package& package_of(std::vector<Package>& packages, const std::string& group,
                    const std::string& version, const std::string& source) {
  const auto found = std::ranges::find_if(packages, [&](const Package& package) {
    return package.group == group && package.version == version;
  });
  if (found != packages.end()) return *found;
  packages.push_back({.group = group, .version = version, .source = source});
  return packages.back();
}

Resource resource_of(const Node& spec, const Node& names, const Node& version) {
  Resource resource;
  resource.kind = names.required_text("kind");
  resource.plural = names.required_text("plural");
  resource.singular = names.text("singular");
  if (resource.singular.empty()) resource.singular = ascii::to_lower(resource.kind);
  resource.list_kind = names.text("listKind");
  if (resource.list_kind.empty()) resource.list_kind = resource.kind + "List";
  resource.short_names = names.texts("shortNames");
  resource.categories = names.texts("categories");
  const std::string scope = spec.required_text("scope");
  if (scope != "Namespaced" && scope != "Cluster")
    spec.fail("scope", "Unsupported value: \"" + scope +
                           "\": supported values: \"Cluster\", \"Namespaced\"");
  resource.namespaced = scope == "Namespaced";
  resource.served = version.flag("served");
  if (const auto subresources = version.child("subresources")) {
    for (const std::string_view name : {"status", "scale"}) {
      if (subresources->has(name)) resource.subresources.emplace_back(name);
    }
  }
  for (const Node& each : version.children("selectableFields"))
    resource.selectable_fields.push_back(each.required_text("jsonPath"));
  for (const Node& each : version.children("additionalPrinterColumns")) {
    resource.columns.push_back({.name = each.required_text("name"),
                                .type = each.required_text("type"),
                                .format = each.text("format"),
                                .priority = each.number("priority"),
                                .path = each.required_text("jsonPath")});
  }
  return resource;
}

void read_version(const Node& spec, const Node& names, const Node& version,
                  const std::string& source, std::vector<Package>& packages) {
  const std::string name = version.required_text("name");
  version.fail_for("name", dns1035_label_problems(version.text("name")));
  const auto schema = version.child("schema");
  const auto root = schema ? schema->child("openAPIV3Schema") : std::nullopt;
  if (!root)
    return version.fail("schema.openAPIV3Schema",
                        "Required value: schemas are required for all versions");
  check_structural(*root);
  Resource resource = resource_of(spec, names, version);
  if (spec.problem().error()) return;
  Package& package = package_of(packages, spec.text("group"), name, source);
  TypeBuilder builder(package, nullptr);
  for (const auto& [key, kind] :
       {std::pair("kind", resource.kind), std::pair("listKind", resource.list_kind)}) {
    if (builder.take_kind(kind)) continue;
    const Type* other = package.find(kind);
    return names.fail(key, "there are two kinds " + kind + " of " + package.group + "/" +
                               package.version +
                               (other == nullptr ? "" : ": the other one is in " + other->where));
  }
  builder.add_kind(*root, resource.kind);
  builder.add_list(resource.kind, resource.list_kind, names);
  package.resources.push_back(std::move(resource));
}

}  // namespace

Result<void> read_crd(const Value& definition, const std::string& where,
                      std::vector<Package>& packages) {
  const Value* name = definition.at_path({"metadata", "name"});
  const std::string source =
      where + ": CRD " + std::string(name == nullptr ? "without a name" : name->string_or_empty());
  Problem plain(where);
  const Node unnamed(definition, "", plain);
  const std::string kind = unnamed.text("kind");
  if (kind != kKind)
    unnamed.fail("kind", "expected \"" + std::string(kKind) + "\", found \"" + kind + "\"");
  if (plain.error()) return *plain.error();

  Problem problem(source);
  const Node root(definition, "", problem);
  const std::string api_version = root.text("apiVersion");
  if (api_version != kApiVersion)
    root.fail("apiVersion",
              "expected \"" + std::string(kApiVersion) + "\", found \"" + api_version + "\"");
  const auto spec = root.child("spec");
  if (!spec) root.fail("spec", "Required value: expected an object");
  if (problem.error()) return *problem.error();
  const std::string group = spec->required_text("group");
  spec->fail_for("group", dns1123_subdomain_problems(spec->text("group")));
  const auto names = spec->child("names");
  if (!names) spec->fail("names", "Required value: expected an object");
  if (problem.error()) return *problem.error();
  const std::string plural = names->required_text("plural");
  names->fail_for("plural", dns1035_label_problems(names->text("plural")));
  if (name == nullptr || name->string_or_empty() != plural + "." + group)
    root.fail("metadata.name", "must be spec.names.plural+\".\"+spec.group, which is \"" + plural +
                                   "." + group + "\"");
  const std::vector<Node> versions = spec->children("versions");
  if (versions.empty())
    spec->fail("versions",
               "Required value: must have exactly one version "
               "marked as storage version");
  if (problem.error()) return *problem.error();
  std::set<std::string> seen;
  std::vector<Package> made = packages;
  for (const Node& version : versions) {
    if (!seen.insert(version.text("name")).second)
      version.fail("name", "Duplicate value: \"" + version.text("name") + "\"");
    if (!problem.error()) read_version(*spec, *names, version, source, made);
    if (problem.error()) return *problem.error();
  }
  packages = std::move(made);
  return {};
}

namespace {

// Finds the definitions among the objects of a text.
class Manifest {
 public:
  // Adds a document, or an item of a list. `implied`: the list implies its kind.
  Result<void> add(Value object, const std::string& where, bool implied) {
    Problem problem(where);
    const Node node(object, "", problem);
    const std::string kind = node.text("kind");
    const std::string api_version = node.text("apiVersion");
    if (problem.error()) return *problem.error();
    if (kind == kListKind || (kind == "List" && api_version == "v1")) {
      if (kind == kListKind && api_version != kApiVersion)
        node.fail("apiVersion",
                  "expected \"" + std::string(kApiVersion) + "\", found \"" + api_version + "\"");
      const json::Array& items = node.list("items");
      if (problem.error()) return *problem.error();
      for (std::size_t i = 0; i < items.size(); ++i) {
        auto added = add(items[i], where + ": items[" + std::to_string(i) + "]", kind == kListKind);
        if (!added) return added;
      }
      return {};
    }
    const bool other = kind != kKind && !kind.empty() && !api_version.empty() &&
                       !api_version.starts_with(kApiGroup);
    if (other && !implied) {
      node.fail("kind", "expected \"" + std::string(kKind) + "\", found \"" + kind + "\"");
      if (!passed_over_) passed_over_ = problem.error();
      return {};
    }
    json::Object* members = object.if_object();
    if (implied && members != nullptr) {
      if (kind.empty()) members->set("kind", std::string(kKind));
      if (api_version.empty()) members->set("apiVersion", std::string(kApiVersion));
    }
    found_.push_back({std::move(object), where});
    return {};
  }

  // A text without a definition is an error.
  Result<std::vector<Definition>> finish(const std::string& file) && {
    if (!found_.empty()) return std::move(found_);
    if (passed_over_) return *passed_over_;
    return Error(ErrorCode::Decode, file + ": expected a CustomResourceDefinition, found nothing");
  }

 private:
  std::vector<Definition> found_;
  std::optional<Error> passed_over_;
};

}  // namespace

Result<std::vector<Definition>> find_crds(std::string_view text, const std::string& file) {
  auto documents = yaml::parse_all(text, {.reject_duplicate_keys = true});
  if (!documents) return documents.error().with_context(file);
  Manifest manifest;
  for (std::size_t i = 0; i < documents->size(); ++i) {
    auto added = manifest.add(std::move((*documents)[i]),
                              file + ": document " + std::to_string(i + 1), false);
    if (!added) return added.error();
  }
  return std::move(manifest).finish(file);
}

Result<void> read_crds(std::string_view text, const std::string& file,
                       std::vector<Package>& packages) {
  const auto definitions = find_crds(text, file);
  if (!definitions) return definitions.error();
  std::vector<Package> made = packages;
  for (const Definition& each : *definitions) {
    if (auto read = read_crd(each.value, each.where, made); !read) return read;
  }
  packages = std::move(made);
  return {};
}

}  // namespace kube::schema
