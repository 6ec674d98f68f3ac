// SPDX-License-Identifier: Apache-2.0
//
// The rules of a CustomResourceDefinition except those of its schemas.
#include <kube/validation/definition_validation.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include <kube/base/ascii.hpp>
#include <kube/names/validation.hpp>
#include <kube/validation/structural_schema.hpp>

namespace kube::meta {
namespace {

void check_problems(const Problems& problems, const FieldPath& path, std::string_view value,
                    FieldErrors& errors) {
  for (const std::string& problem : problems) {
    errors.push_back(FieldError::invalid(path, value, problem));
  }
}

// Discovery repeats the names for each version, and a table each column for each object. The
// reference server lacks these limits; they prevent responses of gigabytes from small definitions.
constexpr std::size_t kMaxNames = 100;
constexpr std::size_t kMaxVersions = 100;
constexpr std::size_t kMaxColumns = 64;

void check_count(const json::Array& list, std::size_t most, const FieldPath& path,
                 FieldErrors& errors) {
  if (list.size() > most) errors.push_back(FieldError::too_many(path, list.size(), most));
}

void validate_names(const json::Value& definition, FieldErrors& errors) {
  const FieldPath names = FieldPath("spec").child("names");
  for (const std::string_view field : {"plural", "singular"}) {
    const std::string_view value = definition.string_at({"spec", "names", field});
    if (value.empty()) {
      errors.push_back(FieldError::required(names.child(field), ""));
    } else {
      check_problems(validate_dns1035_label(value), names.child(field), value, errors);
    }
  }
  for (const std::string_view field : {"kind", "listKind"}) {
    const std::string_view value = definition.string_at({"spec", "names", field});
    if (value.empty()) {
      errors.push_back(FieldError::required(names.child(field), ""));
    } else {
      check_problems(validate_dns1035_label(ascii::to_lower(value)), names.child(field), value,
                     errors);
    }
  }
  if (const std::string_view kind = definition.string_at({"spec", "names", "kind"});
      !kind.empty() && kind == definition.string_at({"spec", "names", "listKind"})) {
    errors.push_back(FieldError::invalid(names.child("listKind"), kind,
                                         "kind and listKind may not be the same"));
  }
  for (const std::string_view field : {"shortNames", "categories"}) {
    const json::Array& list = definition.array_at({"spec", "names", field});
    check_count(list, kMaxNames, names.child(field), errors);
    for (std::size_t i = 0; i < list.size() && !has_enough(errors); ++i) {
      const std::string_view value = list[i].string_or_empty();
      check_problems(validate_dns1035_label(value), names.child(field).index(i), value, errors);
    }
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

void check_deprecation(const json::Value& version, const FieldPath& at, FieldErrors& errors) {
  const json::Value* warning = version.at_path({"deprecationWarning"});
  if (warning == nullptr) return;
  const std::string_view text = warning->string_or_empty();
  const auto wrong = [&](std::string_view why) {
    errors.push_back(FieldError::invalid(at, text, std::string(why)));
  };
  if (!version.true_at({"deprecated"})) return wrong("can only be set for deprecated versions");
  if (text.size() > 256) wrong("must be <= 256 characters long");
  if (text.empty()) wrong("must not be an empty string");
}

// Only the reference server checks what a path leads to.
void check_selectable(const json::Value& version, const FieldPath& at, FieldErrors& errors) {
  constexpr std::size_t kMax = 8;
  std::set<std::string_view> paths;
  const json::Array& fields = version.array_at({"selectableFields"});
  for (std::size_t i = 0; i < fields.size() && !has_enough(errors); ++i) {
    const std::string_view path = fields[i].string_at({"jsonPath"});
    const FieldPath here = at.index(i).child("jsonPath");
    if (path.empty()) {
      errors.push_back(FieldError::required(here, ""));
    } else if (!paths.insert(path).second) {
      errors.push_back(FieldError::duplicate(here, path));
    }
  }
  if (paths.size() > kMax) errors.push_back(FieldError::too_many(at, paths.size(), kMax));
}

void validate_versions(const json::Value& definition, FieldErrors& errors) {
  const FieldPath path = FieldPath("spec").child("versions");
  const json::Array& versions = definition.array_at({"spec", "versions"});
  if (versions.empty()) {
    errors.push_back(FieldError::required(path, "must have at least one version"));
    return;
  }
  check_count(versions, kMaxVersions, path, errors);
  std::size_t storage = 0;
  PatternAllowance patterns;
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < versions.size() && !has_enough(errors); ++i) {
    const json::Value& version = versions[i];
    const std::string_view name = version.string_at({"name"});
    check_problems(validate_dns1035_label(name), path.index(i).child("name"), name, errors);
    if (!seen.insert(name).second) {
      errors.push_back(FieldError::duplicate(path.index(i).child("name"), name));
    }
    if (version.true_at({"storage"})) ++storage;
    const FieldPath schema = path.index(i).child("schema").child("openAPIV3Schema");
    const json::Value* content = version.at_path({"schema", "openAPIV3Schema"});
    if (content == nullptr) {
      errors.push_back(FieldError::required(schema, "schemas are required"));
    } else {
      std::ranges::move(StructuralSchema::check(*content, {.path = schema, .allowance = &patterns}),
                        std::back_inserter(errors));
    }
    check_count(version.array_at({"additionalPrinterColumns"}), kMaxColumns,
                path.index(i).child("additionalPrinterColumns"), errors);
    check_deprecation(version, path.index(i).child("deprecationWarning"), errors);
    check_selectable(version, path.index(i).child("selectableFields"), errors);
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
  return std::ranges::any_of(definition.array_at({"spec", "versions"}),
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
  const json::Array& stored = before.array_at({"status", "storedVersions"});
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

}  // namespace

FieldErrors validate_definition(const json::Value& definition, const json::Value* before) {
  FieldErrors errors;
  const FieldPath spec("spec");
  const std::string_view group = definition.string_at({"spec", "group"});
  const std::string_view plural = definition.string_at({"spec", "names", "plural"});
  const std::string expected = std::string(plural) + "." + std::string(group);
  if (const std::string_view name = definition.string_at({"metadata", "name"}); name != expected) {
    errors.push_back(FieldError::invalid(FieldPath("metadata").child("name"), name,
                                         "must be spec.names.plural+\".\"+spec.group"));
  }
  if (group.empty()) {
    errors.push_back(FieldError::required(spec.child("group"), ""));
  } else {
    check_problems(validate_dns1123_subdomain(group), spec.child("group"), group, errors);
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

}  // namespace kube::meta
