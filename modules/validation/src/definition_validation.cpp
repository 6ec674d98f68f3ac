// SPDX-License-Identifier: Apache-2.0
//
// The rules of a CustomResourceDefinition except those of its schemas.
#include <kube/validation/definition_validation.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <kube/base/ascii.hpp>
#include <kube/names/validation.hpp>

#include "conversion_validation.hpp"
#include "definition_versions.hpp"

namespace kube::meta {
namespace {

using detail::check_count;
using detail::check_problems;

// Discovery repeats the names for each version. The reference server lacks this limit.
constexpr std::size_t kMaxNames = 100;

void validate_names(const json::Value& definition, FieldErrors& errors) {
  const FieldPath names = FieldPath("spec").child("names");
  const auto text = [&](std::string_view field) {
    return definition.string_at({"spec", "names", field});
  };
  for (const std::string_view field : {"plural", "singular", "kind", "listKind"}) {
    if (text(field).empty()) errors.push_back(FieldError::required(names.child(field), ""));
  }
  for (const std::string_view field : {"plural", "singular"}) {
    if (!text(field).empty())
      check_problems(validate_dns1035_label(text(field)), names.child(field), text(field), errors);
  }
  for (const std::string_view field : {"kind", "listKind"}) {
    Problems problems = validate_dns1035_label(ascii::to_lower(text(field)));
    if (text(field).empty() || problems.empty()) continue;
    problems.front().insert(0, "may have mixed case, but should otherwise match: ");
    check_problems(problems, names.child(field), text(field), errors);
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
  same({"spec", "scope"}, spec.child("scope"));
  same({"spec", "names", "kind"}, spec.child("names").child("kind"));
  same({"spec", "group"}, spec.child("group"));
  same({"spec", "names", "plural"}, spec.child("names").child("plural"));
  const json::Array& stored = before.array_at({"status", "storedVersions"});
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const std::string_view name = stored[i].string_or_empty();
    if (const std::string version(name); !has_version(definition, name)) {
      errors.push_back(FieldError::invalid(
          FieldPath("status").child("storedVersions").index(i), name,
          "missing from spec.versions; " + version +
              " was previously a storage version, and must remain "
              "in spec.versions until a storage migration ensures "
              "no data remains persisted in " +
              version + " and removes " + version + " from status.storedVersions"));
    }
  }
}

// A new definition has the first storage version in its status.
void check_stored(const json::Value& definition, bool has_storage, FieldErrors& errors) {
  const FieldPath path = FieldPath("status").child("storedVersions");
  const json::Array& stored = definition.array_at({"status", "storedVersions"});
  if (stored.empty()) {
    if (has_storage) return;
    errors.push_back(FieldError::invalid(path, nullptr, "must have at least one stored version"));
  }
  for (const json::Value& version : definition.array_at({"spec", "versions"})) {
    const std::string_view name = version.string_at({"name"});
    const bool is_stored = std::ranges::find(stored, json::Value(name)) != stored.end();
    if (!version.true_at({"storage"}) || is_stored) continue;
    errors.push_back(
        FieldError::invalid(path, stored, "must have the storage version " + std::string(name)));
  }
}

enum class Approval { Missing, Invalid, Given };

Approval approval_of(std::string_view annotation) {
  if (annotation.empty()) return Approval::Missing;
  if (annotation.starts_with("unapproved")) return Approval::Given;
  const std::size_t scheme = annotation.find("://");
  const bool is_url = scheme != 0 && scheme != std::string_view::npos &&
                      annotation.find_first_of(" \t") == std::string_view::npos &&
                      annotation.size() > scheme + 3 && annotation[scheme + 3] != '/';
  return is_url ? Approval::Given : Approval::Invalid;
}

// Groups of the Kubernetes community need its approval; a definition keeps the state that it has.
void check_approval(const json::Value& definition, const json::Value* before, FieldErrors& errors) {
  constexpr std::string_view kAnnotation = "api-approved.kubernetes.io";
  if (!is_community_group(definition.string_at({"spec", "group"}))) return;
  const auto annotation = [&](const json::Value& of) {
    return of.string_at({"metadata", "annotations", kAnnotation});
  };
  const Approval approval = approval_of(annotation(definition));
  if (approval == Approval::Given) return;
  if (before != nullptr && approval_of(annotation(*before)) == approval) return;
  const FieldPath at = FieldPath("metadata").child("annotations").key(kAnnotation);
  const std::string why =
      "protected groups must have approval annotation \"" + std::string(kAnnotation) + "\"";
  const std::string see = ", see https://github.com/kubernetes/enhancements/pull/1111";
  errors.push_back(
      approval == Approval::Missing
          ? FieldError::required(at, why + see)
          : FieldError::invalid(
                at, annotation(definition),
                why + " with either a URL or a reason starting with \"unapproved\"" + see));
}

// Checks the spec; returns whether a version is for storage.
bool check_spec(const json::Value& definition, FieldErrors& errors) {
  const FieldPath spec("spec");
  const std::string_view group = definition.string_at({"spec", "group"});
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
  detail::VersionsCheck versions(definition.at_path({"spec", "versions"}), errors);
  versions.check_each();
  validate_names(definition, errors);
  versions.check_shared();
  check_conversion(definition, errors);
  return versions.has_storage();
}

bool has_same_spec(const json::Value& definition, const json::Value& before) {
  const json::Value* spec = definition.at_path({"spec"});
  const json::Value* old = before.at_path({"spec"});
  return spec != nullptr && old != nullptr && *spec == *old;
}

/// Returns the value at a path as normalize_to_type() writes it, in which names may have dots; null
/// when there is none.
json::Value* find_value(json::Value& value, std::string_view path) {
  if (path.empty()) return &value;
  if (json::Array* items = value.if_array()) {
    const std::size_t end = path.find(']');
    if (path.front() != '[' || end == std::string_view::npos) return nullptr;
    std::size_t at = items->size();
    std::from_chars(path.data() + 1, path.data() + end, at);
    return at < items->size() ? find_value((*items)[at], path.substr(end + 1)) : nullptr;
  }
  json::Object* members = value.if_object();
  if (members == nullptr) return nullptr;
  if (path.front() == '.') path.remove_prefix(1);
  for (auto& [name, member] : *members) {
    if (!path.starts_with(name)) continue;
    const std::string_view rest = path.substr(name.size());
    if (!rest.empty() && rest.front() != '.' && rest.front() != '[') continue;
    if (json::Value* found = find_value(member, rest)) return found;
  }
  return nullptr;
}

FieldErrors find_errors(const json::Value& definition, const json::Value* before) {
  FieldErrors errors;
  const std::string expected = std::string(definition.string_at({"spec", "names", "plural"})) +
                               "." + std::string(definition.string_at({"spec", "group"}));
  // That there is no name is said elsewhere; later it does not change.
  const std::string_view name = definition.string_at({"metadata", "name"});
  if (before == nullptr && !name.empty() && name != expected) {
    errors.push_back(FieldError::invalid(FieldPath("metadata").child("name"), name,
                                         "must be spec.names.plural+\".\"+spec.group"));
  }
  bool has_storage = true;
  // Writes of a status repeat a spec whose patterns took time to compile.
  if (before == nullptr || !has_same_spec(definition, *before))
    has_storage = check_spec(definition, errors);
  if (before != nullptr) validate_definition_change(definition, *before, errors);
  if (before == nullptr) check_stored(definition, has_storage, errors);
  check_approval(definition, before, errors);
  if (definition.true_at({"spec", "preserveUnknownFields"})) {
    errors.push_back(FieldError::invalid(
        FieldPath("spec").child("preserveUnknownFields"), true,
        "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
        "spec.versions[*].schema instead"));
  }
  return errors;
}

}  // namespace

bool is_community_group(std::string_view group) {
  return group == "k8s.io" || group.ends_with(".k8s.io") || group == "kubernetes.io" ||
         group.ends_with(".kubernetes.io");
}

FieldErrors validate_definition(const json::Value& definition, const json::Value* before,
                                std::span<const std::string> emptied) {
  constexpr std::string_view kVersions = "spec.versions";
  constexpr std::string_view kDependencies = ".dependencies";
  const auto is_seen = [&](const std::string& path) {
    return path == kVersions || path.ends_with(kDependencies);
  };
  if (std::ranges::none_of(emptied, is_seen)) return find_errors(definition, before);
  // What a client sent empty is back in its place: errors show the versions, and schemas may not
  // have dependencies, not even none.
  json::Value sent = definition;
  for (const std::string_view path : emptied) {
    if (path == kVersions) sent.ensure_path({"spec", "versions"}) = json::Array{};
    if (!path.ends_with(kDependencies)) continue;
    json::Value* schema = find_value(sent, path.substr(0, path.size() - kDependencies.size()));
    if (schema != nullptr && schema->is_object())
      schema->if_object()->set(kDependencies.substr(1), json::Object{});
  }
  return find_errors(sent, before);
}

}  // namespace kube::meta
