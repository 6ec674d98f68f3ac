// SPDX-License-Identifier: Apache-2.0
#include "resources/custom_resources.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "documents/metadata.hpp"
#include "resources/table_columns.hpp"

namespace kube::serving {

std::string_view storage_version(const json::Value& definition) {
  for (const json::Value& version : definition.array_at({"spec", "versions"})) {
    if (version.true_at({"storage"})) return version.string_at({"name"});
  }
  return {};
}

namespace {

std::vector<std::string> texts(const json::Array& list) {
  std::vector<std::string> out;
  for (const json::Value& entry : list) out.emplace_back(entry.string_or_empty());
  return out;
}

// Returns the path without a leading dot.
std::string_view label_of(std::string_view path) {
  return path.starts_with('.') ? path.substr(1) : path;
}

constexpr VerbSet kPartVerbs = verb_bit(Verb::Get) | verb_bit(Verb::Patch) | verb_bit(Verb::Update);

std::shared_ptr<const meta::SchemaValidator> status_of(const json::Value& schema) {
  const json::Value* status = schema.at_path({"properties", "status"});
  if (status == nullptr) return nullptr;
  auto made = meta::SchemaValidator::create(*status);
  return made ? std::make_shared<const meta::SchemaValidator>(*std::move(made)) : nullptr;
}

std::shared_ptr<const CustomSchema> schema_of(const json::Value& version, bool with_status,
                                              const Resource* known,
                                              const std::string& stored_version) {
  const json::Value* content = version.at_path({"schema", "openAPIV3Schema"});
  json::Value source = content == nullptr ? json::Value{} : *content;
  if (known != nullptr && known->schema && known->schema->with_status == with_status &&
      known->schema->stored_version == stored_version && known->schema->source == source) {
    return known->schema;
  }
  // Definitions are validated before, so that the schema compiles.
  auto rules = meta::StructuralSchema::create(source);
  if (!rules) {
    rules = meta::StructuralSchema::create(
        json::Object{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}});
  }
  auto status = with_status ? status_of(source) : nullptr;
  return std::make_shared<const CustomSchema>(CustomSchema{
      std::move(source), *std::move(rules), with_status, stored_version, std::move(status)});
}

/// The properties that all versions of a definition share.
struct DefinitionFacts {
  Resource shape{};
  bool has_webhook = false;                 ///< For conversion.
  bool is_mixed = false;                    ///< As read_definition().
  std::vector<std::string> field_labels{};  ///< Selectable in any version, in order of storage.
};

DefinitionFacts read_facts(const json::Value& definition) {
  DefinitionFacts facts;
  Resource& shape = facts.shape;
  const std::string_view group = definition.string_at({"spec", "group"});
  shape.gvk.group = group;
  shape.gvk.kind = definition.string_at({"spec", "names", "kind"});
  shape.list_kind = definition.string_at({"spec", "names", "listKind"});
  shape.plural = definition.string_at({"spec", "names", "plural"});
  shape.singular = definition.string_at({"spec", "names", "singular"});
  shape.namespaced = definition.string_at({"spec", "scope"}) == "Namespaced";
  shape.short_names = texts(definition.array_at({"spec", "names", "shortNames"}));
  shape.categories = texts(definition.array_at({"spec", "names", "categories"}));
  for (std::size_t i = 0; i < kVerbNames.size(); ++i) {
    shape.verbs = static_cast<VerbSet>(shape.verbs | verb_bit(static_cast<Verb>(i)));
  }
  // A definition that is being deleted accepts no new objects.
  if (!metadata_text(definition, "deletionTimestamp").empty()) {
    shape.verbs = static_cast<VerbSet>(shape.verbs & ~verb_bit(Verb::Create));
  }
  shape.definition_uid = metadata_text(definition, "uid");
  shape.kind = &custom_kind();
  shape.has_generation = true;
  shape.storage = std::string(group) + "/" + shape.plural;
  shape.stored_gvk = shape.gvk;
  shape.stored_gvk.version = storage_version(definition);
  for (const json::Value& version : definition.array_at({"spec", "versions"})) {
    for (const json::Value& field : version.array_at({"selectableFields"})) {
      const std::string_view path = field.string_at({"jsonPath"});
      std::string label(label_of(path));
      if (std::ranges::find(facts.field_labels, label) != facts.field_labels.end()) continue;
      shape.stored_fields.push_back({field_path(label_of(path)), ""});
      facts.field_labels.push_back(std::move(label));
    }
  }
  facts.has_webhook = definition.string_at({"spec", "conversion", "strategy"}) == "Webhook";
  shape.storage_version_hash = storage_version_hash(shape.stored_gvk);
  return facts;
}

// Says that a version is deprecated, and which one to use: the newest of those that are newer.
std::string deprecation_of(const meta::GroupVersionKind& gvk, const json::Value& definition) {
  std::string_view newest;
  for (const json::Value& version : definition.array_at({"spec", "versions"})) {
    const std::string_view name = version.string_at({"name"});
    if (!version.true_at({"served"}) || version.true_at({"deprecated"})) continue;
    if (version_before(name, newest.empty() ? gvk.version : newest)) newest = name;
  }
  std::string out = gvk.api_version() + " " + gvk.kind + " is deprecated";
  if (newest.empty()) return out;
  return out.append("; use ").append(gvk.group).append("/").append(newest).append(" ").append(
      gvk.kind);
}

std::shared_ptr<const Resource> make_resource(const DefinitionFacts& facts,
                                              const json::Value& definition,
                                              const json::Value& version,
                                              const ResourceTable& before) {
  Resource out = facts.shape;
  out.gvk.version = version.string_at({"name"});
  out.needs_webhook = facts.has_webhook && (facts.is_mixed || out.gvk != out.stored_gvk);
  const bool with_status = version.at_path({"subresources", "status"}) != nullptr;
  if (with_status) out.subresources.push_back({"status", out.gvk, kPartVerbs});
  if (version.at_path({"subresources", "scale"}) != nullptr) {
    out.subresources.push_back({"scale", builtin::kScale.gvk(), kPartVerbs});
    out.scale = ScalePaths{
        field_path(label_of(version.string_at({"subresources", "scale", "specReplicasPath"}))),
        field_path(label_of(version.string_at({"subresources", "scale", "statusReplicasPath"}))),
        field_path(label_of(version.string_at({"subresources", "scale", "labelSelectorPath"})))};
  }
  for (const json::Value& field : version.array_at({"selectableFields"})) {
    const std::string_view path = field.string_at({"jsonPath"});
    const std::string_view label = label_of(path);
    const auto at = std::ranges::find(facts.field_labels, label);
    out.fields.push_back(
        {std::string(label), static_cast<std::size_t>(at - facts.field_labels.begin())});
  }
  if (version.true_at({"deprecated"})) {
    out.deprecation_warning = version.string_at({"deprecationWarning"});
    if (out.deprecation_warning.empty())
      out.deprecation_warning = deprecation_of(out.gvk, definition);
  }
  const auto known = before.find(out.gvk.group, out.gvk.version, out.plural);
  out.schema = schema_of(version, with_status, known.get(), out.stored_gvk.version);
  out.columns = TableColumns::of_definition(version);
  return std::make_shared<const Resource>(std::move(out));
}

}  // namespace

DefinedResources read_definition(const json::Value& definition, const ResourceTable& before,
                                 bool is_mixed) {
  DefinedResources out;
  DefinitionFacts facts = read_facts(definition);
  facts.is_mixed = is_mixed;
  out.group = facts.shape.gvk.group;
  out.storage = facts.shape.storage;
  for (const json::Value& version : definition.array_at({"spec", "versions"})) {
    if (version.true_at({"served"}))
      out.versions.push_back(make_resource(facts, definition, version, before));
  }
  return out;
}

std::vector<ServedGroup> custom_groups(const std::vector<const DefinedResources*>& definitions) {
  std::vector<ServedGroup> groups;
  std::map<std::string_view, std::size_t> places;
  for (const DefinedResources* definition : definitions) {
    if (definition->versions.empty()) continue;
    const auto [place, fresh] = places.emplace(definition->group, groups.size());
    if (fresh) groups.push_back({definition->group, {}});
    std::vector<ServedVersion>& versions = groups[place->second].versions;
    for (const auto& resource : definition->versions) {
      const std::string& name = resource->gvk.version;
      const auto known = std::ranges::find(versions, name, &ServedVersion::version);
      ServedVersion& version =
          known != versions.end() ? *known : versions.emplace_back(ServedVersion{name, {}});
      version.resources.push_back(resource);
    }
  }
  for (ServedGroup& group : groups)
    std::ranges::sort(group.versions, version_before, &ServedVersion::version);
  return groups;
}

}  // namespace kube::serving
