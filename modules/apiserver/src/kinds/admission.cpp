// SPDX-License-Identifier: Apache-2.0
//
// Webhooks and policies of admission, which are stored and not run.
#include <string>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::apiserver {
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

constexpr Cell webhook_cells[] = {
    {"Webhooks", cells::count},
};
constexpr Cell validating_policy_cells[] = {
    {"Validations", cells::count},
    {"ParamKind", param_kind},
};
constexpr Cell mutating_policy_cells[] = {
    {"Mutations", cells::count},
    {"ParamKind", param_kind},
};
constexpr Cell policy_binding_cells[] = {
    {"ParamRef", param_reference},
};

constexpr KindRules admission_rules(std::string_view resource, std::span<const Cell> cells,
                                    bool create_on_update) {
  return {.group = "admissionregistration.k8s.io",
          .resource = resource,
          .generation = Generation::Always,
          .create_on_update = create_on_update,
          .cells = cells};
}

constexpr KindRules admission_list[] = {
    admission_rules("mutatingwebhookconfigurations", webhook_cells, false),
    admission_rules("validatingwebhookconfigurations", webhook_cells, false),
    admission_rules("mutatingadmissionpolicies", mutating_policy_cells, true),
    admission_rules("validatingadmissionpolicies", validating_policy_cells, true),
    admission_rules("mutatingadmissionpolicybindings", policy_binding_cells, true),
    admission_rules("validatingadmissionpolicybindings", policy_binding_cells, true),
};

}  // namespace

Kinds admission_kinds() {
  return admission_list;
}

}  // namespace kube::apiserver
