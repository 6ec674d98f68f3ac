// SPDX-License-Identifier: Apache-2.0
//
// Custom resource definitions: their defaults and status.
#include <algorithm>
#include <string>
#include <string_view>

#include <kube/base/join.hpp>
#include <kube/names/go_text.hpp>
#include <kube/validation/definition_validation.hpp>

#include "documents/conditions.hpp"
#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/definition.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

void prepare_definition(json::Value& definition, const json::Value* /*before*/,
                        const std::string& /*now*/) {
  json::Value& stored = definition.ensure_path({"status", "storedVersions"});
  if (!stored.is_array()) stored = json::Array{};
  for (const json::Value& version : definition.array_at({"spec", "versions"})) {
    if (!version.true_at({"storage"})) continue;
    const json::Value name(version.string_at({"name"}));
    json::Array& list = *stored.if_array();
    if (std::ranges::find(list, name) == list.end()) list.push_back(name);
    return;  // one alone may be for storage
  }
}

// What keeps a definition until its objects are gone is there from its deletion on.
void mark_definition(json::Value& definition) {
  std::vector<std::string> finalizers = finalizers_of(definition);
  if (std::ranges::find(finalizers, kCleanupFinalizer) == finalizers.end()) {
    finalizers.emplace_back(kCleanupFinalizer);
    set_finalizers(definition, finalizers);
  }
  const std::string since(metadata_text(definition, "deletionTimestamp"));
  set_condition(definition,
                {"Terminating", "True", "InstanceDeletionPending",
                 "CustomResourceDefinition marked for deletion; CustomResource deletion will begin "
                 "soon"},
                since);
}

json::Value definition_versions(const CellInput& input) {
  std::vector<std::string> names;
  for (const json::Value& version : input.object.array_at({"spec", "versions"})) {
    if (!version.true_at({"served"})) continue;
    names.push_back(std::string(version.string_at({"name"})) +
                    (version.true_at({"storage"}) ? "(storage)" : ""));
  }
  std::ranges::sort(names);
  return join(names, ",");
}

json::Value established(const CellInput& input) {
  return is_established(input.object);
}

constexpr Cell kDefinitionCells[] = {
    {"Versions", definition_versions},
    {"ShortNames", cells::list},
    {"Established", established},
};

constexpr KindRules kDefinitionRules[] = {
    {.group = "apiextensions.k8s.io",
     .resource = "customresourcedefinitions",
     .status_metadata = {},
     .unconditional_update = false,
     .cells = kDefinitionCells,
     .prepare = prepare_definition,
     .validate = meta::validate_definition,
     .mark_deleted = mark_definition},
};

// A definition of the Kubernetes community says who has approved it.
void say_approval(json::Value& definition, const std::string& now) {
  const std::string approval(
      definition.string_at({"metadata", "annotations", "api-approved.kubernetes.io"}));
  if (approval.empty() || !meta::is_community_group(definition.string_at({"spec", "group"})))
    return;
  constexpr std::string_view kType = "KubernetesAPIApprovalPolicyConformant";
  if (approval.starts_with("unapproved")) {
    set_condition(definition,
                  {kType, "False", "UnapprovedAnnotation", "not approved: " + go::quote(approval)},
                  now);
  } else {
    set_condition(definition, {kType, "True", "ApprovedAnnotation", "approved in " + approval},
                  now);
  }
}

}  // namespace

void establish(json::Value& definition, const std::string& now) {
  definition.ensure_path({"status", "acceptedNames"}) = *definition.at_path({"spec", "names"});
  say_approval(definition, now);
  set_condition(definition, {"NamesAccepted", "True", "NoConflicts", "no conflicts found"}, now);
  set_condition(
      definition,
      {"Established", "True", "InitialNamesAccepted", "the initial names have been accepted"}, now);
}

bool is_established(const json::Value& definition) {
  return is_condition_true(definition, "Established");
}

Kinds definition_kinds() {
  return kDefinitionRules;
}

}  // namespace kube::serving
