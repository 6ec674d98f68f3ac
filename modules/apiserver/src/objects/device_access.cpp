// SPDX-License-Identifier: Apache-2.0
#include "objects/device_access.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "documents/metadata.hpp"

namespace kube::apiserver {
namespace {

constexpr std::string_view kAccessLabel = "resource.kubernetes.io/admin-access";

using meta::FieldPath;

// A request has it in its member `exactly`, whose name errors leave out.
std::optional<FieldPath> asked_access(const json::Value& spec) {
  const json::Array& requests = spec.array_at({"devices", "requests"});
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].true_at({"exactly", "adminAccess"}))
      return FieldPath("spec").child("devices").child("requests").index(i);
  }
  return std::nullopt;
}

std::optional<FieldPath> given_access(const json::Value& claim) {
  const json::Array& results = claim.array_at({"status", "allocation", "devices", "results"});
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].true_at({"adminAccess"}))
      return FieldPath("status").child("allocation").child("devices").child("results").index(i);
  }
  return std::nullopt;
}

// Specs do not change after the create.
std::optional<FieldPath> new_access(const Write& write, const json::Value& object) {
  const Resource& resource = write.resource;
  const bool is_claim = builtin::kResourceClaims.is(resource.gvk.group, resource.plural);
  const bool is_template = builtin::kResourceClaimTemplates.is(resource.gvk.group, resource.plural);
  if (write.loaded || (!is_claim && !is_template)) return std::nullopt;
  if (write.before != nullptr) {
    const bool may_give = is_claim && is_of_status(write.part) && !given_access(*write.before);
    return may_give ? given_access(object) : std::nullopt;
  }
  const json::Value* spec = is_claim ? object.at_path({"spec"}) : object.at_path({"spec", "spec"});
  return spec == nullptr ? std::nullopt : asked_access(*spec);
}

bool allows_access(Store& store, std::string_view namespace_) {
  const ObjectPtr found = store.collection(builtin::kNamespaces.storage()).get(namespace_);
  return found && std::ranges::any_of(found->labels, [](const auto& label) {
           return label.first == kAccessLabel && label.second == "true";
         });
}

}  // namespace

meta::FieldErrors device_access_errors(const Write& write, Store& store,
                                       const json::Value& object) {
  const auto at = new_access(write, object);
  if (!at || allows_access(store, metadata_text(object, "namespace"))) return {};
  return {meta::FieldError::forbidden(at->child("adminAccess"),
                                      "admin access to devices requires the `" +
                                          std::string(kAccessLabel) +
                                          ": true` label on the containing namespace")};
}

}  // namespace kube::apiserver
