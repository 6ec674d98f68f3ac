// SPDX-License-Identifier: Apache-2.0
//
// Admission policies and their bindings. Expressions are not compiled.
#include <algorithm>

#include <kube/base/ascii.hpp>
#include <kube/base/join.hpp>

#include "validation/admission.hpp"
#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kReasons[] = {"Forbidden", "Invalid", "RequestEntityTooLarge"};
constexpr std::string_view kActions[] = {"Audit", "Deny", "Warn"};
constexpr std::string_view kNotFoundActions[] = {"Deny", "Allow"};
constexpr std::string_view kPatchTypes[] = {"ApplyConfiguration", "JSONPatch"};

void check_param_kind(const Place& kind) {
  const std::string_view version = kind.text("apiVersion");
  if (version.empty()) {
    kind.required("apiVersion");
  } else if (std::ranges::count(version, '/') > 1) {
    kind.invalid("apiVersion", "unexpected GroupVersion string: " + std::string(version));
  } else {
    const std::size_t slash = version.find('/');
    const std::string_view group =
        slash == std::string_view::npos ? std::string_view{} : version.substr(0, slash);
    const std::string_view name = version.substr(slash == std::string_view::npos ? 0 : slash + 1);
    const meta::Problems wrong_group =
        group.empty() ? meta::Problems{} : meta::validate_dns1123_subdomain(group);
    if (!wrong_group.empty()) kind.invalid("apiVersion", group, join(wrong_group, ","));
    const meta::Problems wrong_name = meta::validate_dns1035_label(name);
    if (name.empty()) {
      kind.invalid("apiVersion", "version must be specified");
    } else if (!wrong_name.empty()) {
      kind.invalid("apiVersion", name, join(wrong_name, ","));
    }
  }
  if (kind.is_empty("kind")) return kind.required("kind");
  const meta::Problems problems = meta::validate_dns1035_label(ascii::to_lower(kind.text("kind")));
  if (!problems.empty())
    kind.invalid("kind", "may have mixed case, but should otherwise match: " + join(problems, ","));
}

void check_constraints(const Place& spec) {
  if (!spec.has("matchConstraints")) {
    spec.required("matchConstraints");
    return;
  }
  spec.into("matchConstraints");
  if (spec.value().array_at({"matchConstraints", "resourceRules"}).empty())
    spec.report(FieldError::required(spec.path("matchConstraints").child("resourceRules"), {}));
}

// What is deleted is not changed.
void check_mutated_operations(const Place& spec, std::string_view resources) {
  constexpr std::string_view kMutated[] = {"*", "CONNECT", "CREATE", "UPDATE"};
  const FieldPath path = spec.path(resources).child("resourceRules").child("operations");
  for (const json::Value& rule : spec.value().array_at({resources, "resourceRules"})) {
    for (const json::Value& each : rule.array_at({"operations"})) {
      const std::string_view operation = each.string_or_empty();
      if (std::ranges::find(kMutated, operation) == std::end(kMutated))
        spec.report(FieldError::not_supported(path, operation, texts_of(kMutated)));
    }
  }
}

void check_mutated_constraints(const Place& spec) {
  check_constraints(spec);
  check_mutated_operations(spec, "matchConstraints");
}

void check_mutated_resources(const Place& spec) {
  spec.into("matchResources");
  check_mutated_operations(spec, "matchResources");
}

void check_message(const Place& validation) {
  if (!validation.is_empty("messageExpression") && is_blank(validation.text("messageExpression")))
    validation.invalid("messageExpression", "must be non-empty if specified");
  const std::string_view message = validation.text("message");
  if (message.empty()) return;
  if (is_blank(message)) {
    validation.invalid("message", "must be non-empty if specified");
    return;
  }
  const std::size_t first = message.find_first_not_of(" \t\r\n");
  const std::size_t last = message.find_last_not_of(" \t\r\n");
  if (message.substr(first, last - first + 1).find_first_of("\r\n") != std::string_view::npos)
    validation.invalid("message", "must not contain line breaks");
}

void check_expression(const Place& validation) {
  if (is_blank(validation.text("expression")))
    validation.required("expression", "expression is not specified");
}

void check_variable(const Place& variable) {
  constexpr std::string_view kReserved[] = {
      "true",     "false",   "null",      "in",       "as",  "break",  "const",
      "continue", "else",    "for",       "function", "if",  "import", "let",
      "loop",     "package", "namespace", "return",   "var", "void",   "while"};
  const std::string_view name = variable.text("name");
  const auto is_inner = [](char c) { return ascii::is_alnum(c) || c == '_'; };
  if (is_blank(name)) {
    variable.required("name", "name is not specified");
  } else if (ascii::is_digit(name.front()) || !std::ranges::all_of(name, is_inner) ||
             std::ranges::find(kReserved, name) != std::end(kReserved)) {
    variable.invalid("name", "must be a valid CEL identifier");
  }
  check_expression(variable);
}

void check_audit_annotations(const Place& spec) {
  const std::string name(spec.root().value().string_at({"metadata", "name"}));
  constexpr std::size_t kMaxAnnotations = 20;
  std::set<std::string_view> keys;
  if (spec.list("auditAnnotations").size() > kMaxAnnotations)
    spec.invalid(
        "auditAnnotations", spec.shown_own("auditAnnotations"),
        "must not have more than " + std::to_string(kMaxAnnotations) + " auditAnnotations");
  spec.each("auditAnnotations", [&](const Place& annotation) {
    const std::string key = name + "/" + std::string(annotation.text("key"));
    report_problems(annotation, annotation.path("key"), key, meta::validate_qualified_name(key));
    if (is_blank(annotation.text("valueExpression")))
      annotation.required("valueExpression", "valueExpression is not specified");
    if (!keys.insert(annotation.text("key")).second) annotation.duplicate("key");
  });
}

void check_validations(const Place& spec) {
  if (!spec.is_empty("validations") || !spec.is_empty("auditAnnotations")) {
    spec.into("validations");
    check_audit_annotations(spec);
    return;
  }
  for (const std::string_view field : {"validations", "auditAnnotations"})
    spec.required(field, "validations or auditAnnotations must contain at least one item");
}

void check_policy_name(const Place& spec) {
  if (spec.is_empty("policyName")) {
    spec.required_late("policyName");
  } else {
    spec.problems("policyName", meta::validate_dns1123_subdomain(spec.text("policyName")));
  }
}

void check_mutating_policy_name(const Place& spec) {
  if (spec.is_empty("policyName")) {
    spec.required("policyName");
  } else {
    check_policy_name(spec);
  }
}

void check_param_reference(const Place& reference) {
  constexpr std::string_view kExclusive = "name and selector are mutually exclusive";
  const std::string_view name = reference.text("name");
  const bool selects = reference.has("selector");
  if (!name.empty()) {
    reference.problems("name", meta::validate_path_segment_name(name));
    if (selects) reference.forbidden("name", std::string(kExclusive));
  }
  reference.into("selector");
  if (selects && !name.empty()) reference.forbidden("selector", std::string(kExclusive));
  if (name.empty() && !selects)
    reference.report(
        FieldError::required(reference.path(), "one of name or selector must be specified"));
}

void check_actions(const Place& spec) {
  const json::Array& actions = spec.list("validationActions");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const std::string_view action = actions[i].string_or_empty();
    const FieldPath path = spec.path("validationActions", i);
    if (std::ranges::find(kActions, action) == std::end(kActions))
      spec.report(FieldError::not_supported(path, action, texts_of(kActions)));
    if (!seen.insert(action).second) spec.report(FieldError::duplicate(path, action));
  }
  if (seen.contains("Deny") && seen.contains("Warn"))
    spec.invalid("validationActions",
                 "must not contain both Deny and Warn (repeating the same validation failure "
                 "information in the API response and headers serves no purpose)");
  if (actions.empty()) spec.required_late("validationActions");
}

void check_mutation_form(const Place& mutation, std::string_view type, std::string_view field,
                         std::string_view other) {
  if (!mutation.has(field))
    mutation.required(field, "must be specified when patchType is " + std::string(type));
  mutation.each(field, [](const Place& form) {
    if (is_blank(form.text("expression"))) form.required("expression");
  });
  if (mutation.has(other))
    mutation.invalid(other, "{" + std::string(other) + "}",
                     "must not be specified when patchType is " + std::string(type));
}

void check_mutation(const Place& mutation) {
  const std::string_view type = mutation.text("patchType");
  if (type.empty()) {
    mutation.required("patchType");
  } else if (type == "JSONPatch") {
    check_mutation_form(mutation, type, "jsonPatch", "applyConfiguration");
  } else if (type == "ApplyConfiguration") {
    check_mutation_form(mutation, type, "applyConfiguration", "jsonPatch");
  } else {
    mutation.not_supported("patchType", kPatchTypes);
  }
}

constexpr Rule kPolicyRules[] = {rules::one_of_set("failurePolicy", kFailurePolicies),
                                 rules::into("paramKind"),
                                 rules::call("matchConstraints", check_constraints),
                                 rules::call("matchConditions", check_conditions),
                                 rules::into("variables"),
                                 rules::call("validations", check_validations),
                                 rules::skip("auditAnnotations")};
constexpr Rule kMutatingPolicyRules[] = {
    rules::one_of_set("failurePolicy", kFailurePolicies),
    rules::into("paramKind"),
    rules::call("matchConstraints", check_mutated_constraints),
    rules::call("matchConditions", check_conditions),
    rules::into("variables"),
    rules::required("mutations", "mutations must contain at least one item"),
    rules::into("mutations"),
    rules::any_of("reinvocationPolicy", kReinvocations)};
constexpr Rule kMutationRules[] = {rules::call(check_mutation)};
constexpr Rule kParamKindRules[] = {rules::call(check_param_kind)};
constexpr Rule kMatchRules[] = {rules::one_of_set("matchPolicy", kMatchPolicies),
                                rules::into("namespaceSelector"), rules::into("objectSelector"),
                                rules::into("resourceRules"), rules::into("excludeResourceRules")};
constexpr Rule kValidationRules[] = {rules::call(check_expression), rules::call(check_message),
                                     rules::one_of_set("reason", kReasons)};
constexpr Rule kVariableRules[] = {rules::call(check_variable)};
constexpr Rule kPolicyBindingRules[] = {rules::call(check_policy_name), rules::into("paramRef"),
                                        rules::into("matchResources"), rules::call(check_actions)};
constexpr Rule kMutatingBindingRules[] = {rules::call(check_mutating_policy_name),
                                          rules::into("paramRef"),
                                          rules::call("matchResources", check_mutated_resources)};
constexpr Rule kParamReferenceRules[] = {
    rules::call("selector", check_param_reference),
    rules::any_of("parameterNotFoundAction", kNotFoundActions)};

constexpr TypeRules kPolicyTypeRules[] = {
    {"admissionregistration.v1.ValidatingAdmissionPolicySpec", kPolicyRules},
    {"admissionregistration.v1.MutatingAdmissionPolicySpec", kMutatingPolicyRules},
    {"admissionregistration.v1.Mutation", kMutationRules},
    {"admissionregistration.v1.ParamKind", kParamKindRules},
    {"admissionregistration.v1.MatchResources", kMatchRules},
    {"admissionregistration.v1.Validation", kValidationRules},
    {"admissionregistration.v1.Variable", kVariableRules},
    {"admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec", kPolicyBindingRules},
    {"admissionregistration.v1.MutatingAdmissionPolicyBindingSpec", kMutatingBindingRules},
    {"admissionregistration.v1.ParamRef", kParamReferenceRules},
};

}  // namespace

std::span<const TypeRules> policy_types() {
  return kPolicyTypeRules;
}

}  // namespace kube::apiserver
