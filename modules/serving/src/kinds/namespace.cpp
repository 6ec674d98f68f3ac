// SPDX-License-Identifier: Apache-2.0
//
// Namespaces.
#include <algorithm>
#include <string>

#include "documents/errors.hpp"
#include "documents/metadata.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

// Without it a namespace would be removed at once, and its objects would stay.
void add_kubernetes_finalizer(json::Object& spec) {
  json::Value& finalizers = spec["finalizers"];
  if (!finalizers.is_array()) finalizers = json::Array{};
  json::Array& names = *finalizers.if_array();
  const json::Value own = "kubernetes";
  if (std::ranges::find(names, own) == names.end()) names.push_back(own);
}

void prepare_namespace(json::Value& object) {
  add_kubernetes_finalizer(spec_in(object));
  object.if_object()->set("status", json::Object{{"phase", "Active"}});
}

void prepare_loaded_namespace(json::Value& object) {
  add_kubernetes_finalizer(spec_in(object));
  set_default(child(*object.if_object(), "status"), "phase", "Active");
}

// Only the subresource finalize changes them.
void keep_namespace(const json::Value& before, json::Value& after) {
  copy_member(spec_of(before), spec_in(after), "finalizers");
}

void mark_namespace(json::Value& object) {
  object.ensure_path({"status", "phase"}) = "Terminating";
}

bool is_namespace_held(const json::Value& object) {
  return !object.array_at({"spec", "finalizers"}).empty();
}

// A terminating namespace without finalizers is removed.
Result<json::Value> finalize(const json::Value& object, const json::Value& document,
                             const std::string& /*now*/) {
  const std::string_view version = metadata_text(document, "resourceVersion");
  if (!version.empty() && version != metadata_text(object, "resourceVersion")) {
    return meta::optimistic_lock_error(builtin::kNamespaces.group_resource(),
                                       metadata_text(object, "name"));
  }
  json::Value next = object;
  next.ensure_path({"spec", "finalizers"}) = document.array_at({"spec", "finalizers"});
  return next;
}

constexpr SubresourceRules kNamespaceSubresources[] = {
    {.name = "finalize", .form = SubresourceForm::Replace, .change = finalize}};

constexpr std::string_view kProtectedNamespaces[] = {"default", "kube-system", "kube-public"};

constexpr KindRules kNamespaceRules[] = {
    {.group = "",
     .resource = "namespaces",
     .name_rule = meta::NameRule::DnsLabel,
     .generation = Generation::Never,
     .returns_deleted_object = true,
     .protected_names = kProtectedNamespaces,
     .subresources = kNamespaceSubresources,
     .prepare_create = prepare_namespace,
     .prepare_load = prepare_loaded_namespace,
     .keep_main = keep_namespace,
     .mark_deleted = mark_namespace,
     .is_held = is_namespace_held},
};

}  // namespace

Kinds namespace_kinds() {
  return kNamespaceRules;
}

}  // namespace kube::serving
