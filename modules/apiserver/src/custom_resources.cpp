// SPDX-License-Identifier: Apache-2.0
#include "custom_resources.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <kube/base/ascii.hpp>
#include <kube/meta/validation.hpp>

#include "custom_schema.hpp"
#include "metadata.hpp"
#include "table_columns.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldErrors;
using meta::FieldPath;

std::vector<std::string> texts(const json::Array& list) {
  std::vector<std::string> out;
  for (const json::Value& entry : list) out.emplace_back(entry.string_or_empty());
  return out;
}

void set_condition(json::Array& conditions, std::string_view type, std::string_view reason,
                   std::string_view message, const std::string& now) {
  for (const json::Value& condition : conditions) {
    if (condition.string_at({"type"}) == type && condition.string_at({"status"}) == "True") return;
  }
  std::erase_if(conditions, [&](const json::Value& condition) {
    return condition.string_at({"type"}) == type;
  });
  conditions.emplace_back(json::Object{{"type", type},
                                       {"status", "True"},
                                       {"lastTransitionTime", now},
                                       {"reason", reason},
                                       {"message", message}});
}

void check_problems(const meta::Problems& problems, const FieldPath& path, std::string_view value,
                    FieldErrors& errors) {
  for (const std::string& problem : problems) {
    errors.push_back(FieldError::invalid(path, value, problem));
  }
}

void validate_names(const json::Value& definition, FieldErrors& errors) {
  const FieldPath names = FieldPath("spec").child("names");
  for (const std::string_view field : {"plural", "singular"}) {
    const std::string_view value = definition.string_at({"spec", "names", field});
    if (value.empty()) {
      errors.push_back(FieldError::required(names.child(field), ""));
    } else {
      check_problems(meta::validate_dns1035_label(value), names.child(field), value, errors);
    }
  }
  for (const std::string_view field : {"kind", "listKind"}) {
    const std::string_view value = definition.string_at({"spec", "names", field});
    if (value.empty()) {
      errors.push_back(FieldError::required(names.child(field), ""));
    } else {
      check_problems(meta::validate_dns1035_label(ascii::to_lower(value)), names.child(field),
                     value, errors);
    }
  }
  if (const std::string_view kind = definition.string_at({"spec", "names", "kind"});
      !kind.empty() && kind == definition.string_at({"spec", "names", "listKind"})) {
    errors.push_back(FieldError::invalid(names.child("listKind"), kind,
                                         "kind and listKind may not be the same"));
  }
  const json::Array& shorts = list_at(definition, {"spec", "names", "shortNames"});
  for (std::size_t i = 0; i < shorts.size(); ++i) {
    const std::string_view value = shorts[i].string_or_empty();
    check_problems(meta::validate_dns1035_label(value), names.child("shortNames").index(i), value,
                   errors);
  }
}

void check_scale_path(const json::Value& scale, std::string_view field,
                      std::initializer_list<std::string_view> below, std::string_view problem,
                      const FieldPath& at, FieldErrors& errors) {
  const std::string_view path = scale.string_at({field});
  if (!path.starts_with('.')) {
    errors.push_back(
        FieldError::invalid(at.child(field), path, "must be a simple json path starting with ."));
  } else if (std::ranges::none_of(below, [&](auto prefix) { return path.starts_with(prefix); })) {
    errors.push_back(FieldError::invalid(at.child(field), path, std::string(problem)));
  }
}

void validate_scale(const json::Value& scale, const FieldPath& at, FieldErrors& errors) {
  if (scale.string_at({"specReplicasPath"}).empty()) {
    errors.push_back(FieldError::required(at.child("specReplicasPath"), ""));
  } else {
    check_scale_path(scale, "specReplicasPath", {".spec."}, "should be a json path under .spec", at,
                     errors);
  }
  if (scale.string_at({"statusReplicasPath"}).empty()) {
    errors.push_back(FieldError::required(at.child("statusReplicasPath"), ""));
  } else {
    check_scale_path(scale, "statusReplicasPath", {".status."},
                     "should be a json path under .status", at, errors);
  }
  if (!scale.string_at({"labelSelectorPath"}).empty()) {
    check_scale_path(scale, "labelSelectorPath", {".spec.", ".status."},
                     "should be a json path under either .spec or .status", at, errors);
  }
}

void validate_versions(const json::Value& definition, FieldErrors& errors) {
  const FieldPath path = FieldPath("spec").child("versions");
  const json::Array& versions = list_at(definition, {"spec", "versions"});
  if (versions.empty()) {
    errors.push_back(FieldError::required(path, "must have at least one version"));
    return;
  }
  std::size_t storage = 0;
  meta::PatternAllowance patterns;
  std::vector<std::string_view> seen;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const json::Value& version = versions[i];
    const std::string_view name = version.string_at({"name"});
    check_problems(meta::validate_dns1035_label(name), path.index(i).child("name"), name, errors);
    if (std::ranges::find(seen, name) != seen.end()) {
      errors.push_back(FieldError::duplicate(path.index(i).child("name"), name));
    }
    seen.push_back(name);
    if (bool_at(version, {"storage"})) ++storage;
    const FieldPath schema = path.index(i).child("schema").child("openAPIV3Schema");
    const json::Value* content = version.at_path({"schema", "openAPIV3Schema"});
    if (content == nullptr) {
      errors.push_back(FieldError::required(schema, "schemas are required"));
    } else {
      std::ranges::move(validate_schema(*content, schema, patterns), std::back_inserter(errors));
    }
    if (const json::Value* scale = version.at_path({"subresources", "scale"}); scale != nullptr) {
      validate_scale(*scale, path.index(i).child("subresources").child("scale"), errors);
    }
  }
  if (storage != 1) {
    errors.push_back(
        FieldError::invalid(path, static_cast<std::int64_t>(storage),
                            "must have exactly one version marked as storage version"));
  }
}

bool has_version(const json::Value& definition, std::string_view name) {
  return std::ranges::any_of(list_at(definition, {"spec", "versions"}),
                             [&](const json::Value& v) { return v.string_at({"name"}) == name; });
}

void validate_definition_change(const json::Value& definition, const json::Value& before,
                                FieldErrors& errors) {
  const FieldPath spec("spec");
  const auto same = [&](std::initializer_list<std::string_view> path, const FieldPath& at) {
    const std::string_view value = definition.string_at(path);
    if (value != before.string_at(path)) {
      errors.push_back(FieldError::invalid(at, value, "field is immutable"));
    }
  };
  same({"spec", "group"}, spec.child("group"));
  same({"spec", "names", "plural"}, spec.child("names").child("plural"));
  same({"spec", "scope"}, spec.child("scope"));
  same({"spec", "names", "kind"}, spec.child("names").child("kind"));
  const json::Array& stored = list_at(before, {"status", "storedVersions"});
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::string_view name = stored[i].string_or_empty();
    if (!has_version(definition, name)) {
      errors.push_back(FieldError::invalid(FieldPath("status").child("storedVersions").index(i),
                                           name,
                                           "missing from spec.versions; it must be kept "
                                           "because objects are stored in it"));
    }
  }
}

std::vector<std::string> split_field_path(std::string_view path) {
  std::vector<std::string> out;
  if (path.starts_with('.')) path.remove_prefix(1);
  while (!path.empty()) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    out.emplace_back(path.substr(0, dot));
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return out;
}

constexpr VerbSet part_verbs = verb_bit(Verb::Get) | verb_bit(Verb::Patch) | verb_bit(Verb::Update);

std::shared_ptr<const CustomSchema> schema_of(const json::Value& version, bool with_status,
                                              const Resource* known) {
  const json::Value* content = version.at_path({"schema", "openAPIV3Schema"});
  json::Value source = content == nullptr ? json::Value{} : *content;
  if (known != nullptr && known->schema && known->schema->with_status() == with_status &&
      known->schema->source() == source) {
    return known->schema;
  }
  return std::make_shared<const CustomSchema>(std::move(source), with_status);
}

/// What all versions of a definition have in common.
struct DefinitionFacts {
  Resource shape{};
  std::vector<std::string> field_labels{};  ///< Selectable in any version, in order of storage.
};

DefinitionFacts read_definition(const json::Value& definition) {
  DefinitionFacts facts;
  Resource& shape = facts.shape;
  const std::string_view group = definition.string_at({"spec", "group"});
  shape.gvk.group = group;
  shape.gvk.kind = definition.string_at({"spec", "names", "kind"});
  shape.list_kind = definition.string_at({"spec", "names", "listKind"});
  shape.plural = definition.string_at({"spec", "names", "plural"});
  shape.singular = definition.string_at({"spec", "names", "singular"});
  shape.namespaced = definition.string_at({"spec", "scope"}) == "Namespaced";
  shape.short_names = texts(list_at(definition, {"spec", "names", "shortNames"}));
  shape.categories = texts(list_at(definition, {"spec", "names", "categories"}));
  for (std::size_t i = 0; i < verb_names.size(); ++i) {
    shape.verbs = static_cast<VerbSet>(shape.verbs | verb_bit(static_cast<Verb>(i)));
  }
  // While it is being deleted nothing new is taken.
  if (!metadata_text(definition, "deletionTimestamp").empty()) {
    shape.verbs = static_cast<VerbSet>(shape.verbs & ~verb_bit(Verb::Create));
  }
  shape.policy.has_generation = true;
  shape.policy.unconditional_update = false;
  shape.storage = std::string(group) + "/" + shape.plural;
  shape.stored_gvk = shape.gvk;
  for (const json::Value& version : list_at(definition, {"spec", "versions"})) {
    if (bool_at(version, {"storage"})) shape.stored_gvk.version = version.string_at({"name"});
    for (const json::Value& field : list_at(version, {"selectableFields"})) {
      const std::string_view path = field.string_at({"jsonPath"});
      std::string label(path.starts_with('.') ? path.substr(1) : path);
      if (std::ranges::find(facts.field_labels, label) != facts.field_labels.end()) continue;
      shape.stored_fields.push_back({split_field_path(path), ""});
      facts.field_labels.push_back(std::move(label));
    }
  }
  shape.storage_version_hash = storage_version_hash(shape.stored_gvk);
  return facts;
}

std::shared_ptr<const Resource> make_resource(const DefinitionFacts& facts,
                                              const json::Value& version,
                                              const ResourceTable& before) {
  Resource out = facts.shape;
  out.gvk.version = version.string_at({"name"});
  const bool with_status = version.at_path({"subresources", "status"}) != nullptr;
  if (with_status) out.subresources.push_back({"status", out.gvk, part_verbs});
  if (version.at_path({"subresources", "scale"}) != nullptr) {
    out.subresources.push_back({"scale", {"autoscaling", "v1", "Scale"}, part_verbs});
    out.scale = ScalePaths{
        split_field_path(version.string_at({"subresources", "scale", "specReplicasPath"})),
        split_field_path(version.string_at({"subresources", "scale", "statusReplicasPath"})),
        split_field_path(version.string_at({"subresources", "scale", "labelSelectorPath"}))};
  }
  for (const json::Value& field : list_at(version, {"selectableFields"})) {
    const std::string_view path = field.string_at({"jsonPath"});
    const std::string_view label = path.starts_with('.') ? path.substr(1) : path;
    const auto at = std::ranges::find(facts.field_labels, label);
    out.fields.push_back(
        {std::string(label), static_cast<std::size_t>(at - facts.field_labels.begin())});
  }
  if (bool_at(version, {"deprecated"})) {
    out.deprecation_warning = version.string_at({"deprecationWarning"});
    if (out.deprecation_warning.empty()) {
      out.deprecation_warning = out.gvk.api_version() + " " + out.gvk.kind + " is deprecated";
    }
  }
  const auto known = before.find(out.gvk.group, out.gvk.version, out.plural);
  out.schema = schema_of(version, with_status, known.get());
  out.columns = TableColumns::of_definition(version);
  return std::make_shared<const Resource>(std::move(out));
}

ServedVersion& version_of(ServedGroup& group, std::string_view name) {
  const auto found = std::ranges::find(group.versions, name, &ServedVersion::version);
  if (found != group.versions.end()) return *found;
  group.versions.push_back({std::string(name), {}});
  return group.versions.back();
}

}  // namespace

bool is_definition(const Resource& resource) {
  return resource.gvk.group == "apiextensions.k8s.io" &&
         resource.plural == "customresourcedefinitions";
}

void prepare_definition(json::Value& definition, const json::Value* before,
                        const std::string& now) {
  json::Value& names_value = definition.ensure_path({"spec", "names"});
  if (!names_value.is_object()) names_value = json::Object{};
  json::Object& names = *names_value.if_object();
  const std::string kind(definition.string_at({"spec", "names", "kind"}));
  set_default(names, "singular", ascii::to_lower(kind));
  set_default(names, "listKind", kind + "List");
  set_default(*definition.ensure_path({"spec"}).if_object(), "conversion",
              json::Object{{"strategy", "None"}});
  if (before == nullptr) {
    std::vector<std::string> finalizers = finalizers_of(definition);
    if (std::ranges::find(finalizers, cleanup_finalizer) == finalizers.end()) {
      finalizers.emplace_back(cleanup_finalizer);
      set_finalizers(definition, finalizers);
    }
  }
  // The names are accepted in the same write: only one definition can be at work at a time.
  definition.ensure_path({"status", "acceptedNames"}) = *definition.at_path({"spec", "names"});
  json::Value& conditions = definition.ensure_path({"status", "conditions"});
  if (!conditions.is_array()) conditions = json::Array{};
  set_condition(*conditions.if_array(), "NamesAccepted", "NoConflicts", "no conflicts found", now);
  set_condition(*conditions.if_array(), "Established", "InitialNamesAccepted",
                "the initial names have been accepted", now);
  json::Value& stored = definition.ensure_path({"status", "storedVersions"});
  if (!stored.is_array()) stored = json::Array{};
  for (const json::Value& version : list_at(definition, {"spec", "versions"})) {
    if (!bool_at(version, {"storage"})) continue;
    const json::Value name(version.string_at({"name"}));
    json::Array& list = *stored.if_array();
    if (std::ranges::find(list, name) == list.end()) list.push_back(name);
  }
}

FieldErrors validate_definition(const json::Value& definition, const json::Value* before) {
  FieldErrors errors;
  const FieldPath spec("spec");
  const std::string_view group = definition.string_at({"spec", "group"});
  const std::string_view plural = definition.string_at({"spec", "names", "plural"});
  const std::string expected = std::string(plural) + "." + std::string(group);
  if (const std::string_view name = metadata_text(definition, "name"); name != expected) {
    errors.push_back(FieldError::invalid(FieldPath("metadata").child("name"), name,
                                         "must be spec.names.plural+\".\"+spec.group"));
  }
  if (group.empty()) {
    errors.push_back(FieldError::required(spec.child("group"), ""));
  } else {
    check_problems(meta::validate_dns1123_subdomain(group), spec.child("group"), group, errors);
    if (group.find('.') == std::string_view::npos) {
      errors.push_back(FieldError::invalid(spec.child("group"), group,
                                           "should be a domain with at least one dot"));
    }
  }
  const std::string_view scope = definition.string_at({"spec", "scope"});
  if (scope.empty()) {
    errors.push_back(FieldError::required(spec.child("scope"), ""));
  } else if (scope != "Namespaced" && scope != "Cluster") {
    errors.push_back(
        FieldError::not_supported(spec.child("scope"), scope, {"Cluster", "Namespaced"}));
  }
  if (const std::string_view strategy = definition.string_at({"spec", "conversion", "strategy"});
      strategy != "None") {
    errors.push_back(
        FieldError::not_supported(spec.child("conversion").child("strategy"), strategy, {"None"}));
  }
  validate_names(definition, errors);
  validate_versions(definition, errors);
  if (before != nullptr) validate_definition_change(definition, *before, errors);
  return errors;
}

std::vector<ServedGroup> custom_groups(const std::vector<json::Value>& definitions,
                                       const ResourceTable& before) {
  std::vector<ServedGroup> groups;
  for (const json::Value& definition : definitions) {
    const DefinitionFacts facts = read_definition(definition);
    auto group = std::ranges::find(groups, facts.shape.gvk.group, &ServedGroup::name);
    if (group == groups.end()) {
      groups.push_back({facts.shape.gvk.group, {}});
      group = std::prev(groups.end());
    }
    for (const json::Value& version : list_at(definition, {"spec", "versions"})) {
      if (!bool_at(version, {"served"})) continue;
      version_of(*group, version.string_at({"name"}))
          .resources.push_back(make_resource(facts, version, before));
    }
  }
  std::erase_if(groups, [](const ServedGroup& group) { return group.versions.empty(); });
  for (ServedGroup& group : groups) {
    std::ranges::sort(group.versions, version_before, &ServedVersion::version);
  }
  return groups;
}

}  // namespace kube::apiserver
