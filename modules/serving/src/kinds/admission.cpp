// SPDX-License-Identifier: Apache-2.0
//
// Admission webhooks and policies, which are stored but not executed.
#include <string>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

json::Value param_kind(const CellInput& input) {
  return text_or(pair_at(input.object, {"spec", "paramKind"}, "apiVersion", "kind"), "<unset>");
}

json::Value param_reference(const CellInput& input) {
  if (input.found.empty()) return "<unset>";
  const json::Value& reference = *input.found.front();
  if (const std::string_view name = reference.string_at({"name"}); !name.empty()) {
    return text_or(reference.string_at({"namespace"}), "*") + "/" + std::string(name);
  }
  const json::Value* wanted = reference.at_path({"selector"});
  if (wanted == nullptr) return "<unset>";
  return shown_selector(*wanted);
}

constexpr Cell kWebhookCells[] = {
    {"Webhooks", cells::count},
};
constexpr Cell kValidatingPolicyCells[] = {
    {"Validations", cells::count},
    {"ParamKind", param_kind},
};
constexpr Cell kMutatingPolicyCells[] = {
    {"Mutations", cells::count},
    {"ParamKind", param_kind},
};
constexpr Cell kPolicyBindingCells[] = {
    {"ParamRef", param_reference},
};

constexpr KindRules admission_rules(std::string_view resource, std::span<const Cell> cells) {
  return {.group = "admissionregistration.k8s.io",
          .resource = resource,
          .generation = Generation::Always,
          .unconditional_update = false,
          .cells = cells};
}

constexpr KindRules webhook_rules(std::string_view resource) {
  KindRules rules = admission_rules(resource, kWebhookCells);
  rules.counts_emptied = "webhooks";
  return rules;
}

constexpr KindRules kAdmissionList[] = {
    webhook_rules("mutatingwebhookconfigurations"),
    webhook_rules("validatingwebhookconfigurations"),
    admission_rules("mutatingadmissionpolicies", kMutatingPolicyCells),
    admission_rules("validatingadmissionpolicies", kValidatingPolicyCells),
    admission_rules("mutatingadmissionpolicybindings", kPolicyBindingCells),
    admission_rules("validatingadmissionpolicybindings", kPolicyBindingCells),
};

}  // namespace

Kinds admission_kinds() {
  return kAdmissionList;
}

}  // namespace kube::serving
