// SPDX-License-Identifier: Apache-2.0
//
// Admission webhooks.
#include <algorithm>

#include <kube/base/ascii.hpp>
#include <kube/names/go_text.hpp>

#include "validation/admission.hpp"
#include "validation/checks.hpp"
#include "validation/formats.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kSideEffects[] = {"None", "NoneOnDryRun"};
constexpr std::string_view kOperations[] = {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"};
constexpr std::string_view kScopes[] = {"*", "Cluster", "Namespaced"};
constexpr std::string_view kReviewVersions[] = {"v1", "v1beta1"};
constexpr std::string_view kReserved[] = {
    "true",     "false",   "null",      "in",       "as",  "break",  "const",
    "continue", "else",    "for",       "function", "if",  "import", "let",
    "loop",     "package", "namespace", "return",   "var", "void",   "while"};

bool has_text(const json::Array& list, std::string_view text) {
  return std::ranges::any_of(
      list, [&](const json::Value& each) { return each.string_or_empty() == text; });
}

void check_webhook_name(const Place& hook) {
  check_name(hook, "name", formats::fully_qualified_name);
}

void check_side_effects(const Place& hook) {
  if (!hook.has("sideEffects")) {
    hook.required("sideEffects", "must specify one of None, NoneOnDryRun");
  } else if (std::ranges::find(kSideEffects, hook.text("sideEffects")) == std::end(kSideEffects)) {
    hook.not_supported("sideEffects", kSideEffects);
  }
}

struct UrlParts {
  std::string_view scheme;
  std::string_view host;
  std::string_view user;
  bool has_user = false;
  std::string_view fragment;
  std::string_view query;
};

UrlParts split_url(std::string_view url) {
  UrlParts out;
  const std::size_t hash = url.find('#');
  if (hash != std::string_view::npos) {
    out.fragment = url.substr(hash + 1);
    url = url.substr(0, hash);
  }
  const std::size_t question = url.find('?');
  if (question != std::string_view::npos) {
    out.query = url.substr(question + 1);
    url = url.substr(0, question);
  }
  const std::size_t colon = url.find(':');
  const bool has_scheme = colon != std::string_view::npos && colon > 0 &&
                          url.substr(0, colon).find('/') == std::string_view::npos;
  if (has_scheme) {
    out.scheme = url.substr(0, colon);
    url.remove_prefix(colon + 1);
  }
  if (!url.starts_with("//")) return out;
  url.remove_prefix(2);
  out.host = url.substr(0, url.find('/'));
  const std::size_t at = out.host.rfind('@');
  if (at != std::string_view::npos) {
    out.has_user = true;
    out.user = out.host.substr(0, at);
    out.host.remove_prefix(at + 1);
  }
  return out;
}

// The port of "host:x" with its colon, if it is no number; an address in brackets has colons of its
// own.
std::string_view wrong_port(std::string_view host) {
  const std::size_t bracket = host.rfind(']');
  const std::size_t from = bracket == std::string_view::npos ? 0 : bracket;
  const std::size_t colon = host.find(':', from);
  if (colon == std::string_view::npos) return {};
  const std::string_view port = host.substr(colon);
  return std::ranges::all_of(port.substr(1), ascii::is_digit) ? std::string_view{} : port;
}

void check_webhook_url(const Place& config) {
  constexpr std::string_view kForm = "; desired format: https://host[/path]";
  const UrlParts parts = split_url(config.text("url"));
  if (const std::string_view port = wrong_port(parts.host); !port.empty()) {
    return config.required("url", "url must be a valid URL: parse " +
                                      go::quote(config.text("url")) + ": invalid port " +
                                      go::quote(port) + " after host" + std::string(kForm));
  }
  if (parts.scheme != "https")
    config.invalid("url", parts.scheme,
                   "'https' is the only allowed URL scheme" + std::string(kForm));
  if (parts.host.empty())
    config.invalid("url", parts.host, "host must be specified" + std::string(kForm));
  if (parts.has_user)
    config.invalid("url", parts.user, "user information is not permitted in the URL");
  if (!parts.fragment.empty())
    config.invalid("url", parts.fragment, "fragments are not permitted in the URL");
  if (!parts.query.empty())
    config.invalid("url", parts.query, "query parameters are not permitted in the URL");
}

void check_service_path(const Place& service) {
  std::string_view path = service.text("path");
  const std::string_view whole = path;
  if (path.empty() || path == "/") return;
  if (path == "//") return service.invalid("path", "segment[0] may not be empty");
  if (!path.starts_with('/')) service.invalid("path", "must start with a '/'");
  path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  const auto steps = go::split(path, '/');
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string segment = "segment[" + std::to_string(i) + "]";
    if (steps[i].empty()) {
      service.invalid("path", whole, segment + " may not be empty");
      continue;
    }
    for (const std::string& problem : meta::validate_dns1123_subdomain(steps[i]))
      service.invalid("path", whole, segment + ": " + problem);
  }
}

// The server looks at the names in the wrong order, which shows in the order of its errors.
void check_webhook_service(const Place& service) {
  for (const std::string_view field : {"namespace", "name"}) {
    if (!service.is_empty(field)) continue;
    service.required(field == "name" ? "namespace" : "name");
  }
  const std::int64_t port = service.number("port").value_or(443);
  for (const std::string& problem : formats::port_number(port))
    service.invalid("port", port, "port is not valid: " + problem);
  check_service_path(service);
}

void check_client_config(const Place& hook) {
  const json::Value* config = hook.find("clientConfig");
  const bool url = config != nullptr && config->at_path({"url"}) != nullptr;
  const bool service = config != nullptr && config->at_path({"service"}) != nullptr;
  if (url == service) {
    hook.required("clientConfig", "exactly one of url or service is required");
    return;
  }
  hook.each("clientConfig", [&](const Place& each) {
    if (url) check_webhook_url(each);
    each.each("service", check_webhook_service);
  });
}

void check_review_versions(const Place& hook) {
  const json::Array& versions = hook.list("admissionReviewVersions");
  if (versions.empty()) {
    hook.required("admissionReviewVersions", "must specify one of v1, v1beta1");
    return;
  }
  std::set<std::string_view> seen;
  bool accepted = false;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const std::string_view version = versions[i].string_or_empty();
    const FieldPath path = hook.path("admissionReviewVersions", i);
    if (!seen.insert(version).second) {
      hook.report(FieldError::invalid(path, version, "duplicate version"));
      continue;
    }
    report_problems(hook, path, version, meta::validate_dns1035_label(version));
    accepted = accepted || std::ranges::find(kReviewVersions, version) != std::end(kReviewVersions);
  }
  if (!accepted)
    hook.invalid("admissionReviewVersions", "must include at least one of v1, v1beta1");
}

void check_resources_of_rule(const Place& rule) {
  const json::Array& resources = rule.list("resources");
  if (resources.empty()) rule.required("resources");
  std::set<std::string_view> whole;   // Resources with all of their subresources.
  std::set<std::string_view> shared;  // Subresources of all resources.
  bool plain = false;
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const std::string_view each = resources[i].string_or_empty();
    const FieldPath path = rule.path("resources", i);
    if (each.empty()) {
      rule.report(FieldError::required(path, {}));
      continue;
    }
    const std::size_t slash = each.find('/');
    if (slash == std::string_view::npos) {
      plain = each != "*";
      continue;
    }
    const std::string_view resource = each.substr(0, slash);
    const std::string_view part = each.substr(slash + 1);
    const auto covered = [&](std::string_view by) {
      rule.report(FieldError::invalid(
          path, each,
          "if '" + std::string(by) + "' is present, must not specify " + std::string(each)));
    };
    if (whole.contains(resource)) covered(std::string(resource) + "/*");
    if (shared.contains(part)) covered("*/" + std::string(part));
    if (part == "*") whole.insert(resource);
    if (resource == "*") shared.insert(part);
  }
  if (resources.size() > 1 && has_text(resources, "*/*"))
    rule.invalid("resources", "if '*/*' is present, must not specify other resources");
  if (has_text(resources, "*") && plain)
    rule.invalid("resources",
                 "if '*' is present, must not specify other resources without subresources");
}

void check_alone(const Place& rule, std::string_view field, std::string_view what) {
  const json::Array& list = rule.list(field);
  if (list.empty()) rule.required(field);
  if (list.size() > 1 && has_text(list, "*"))
    rule.invalid(field, "if '*' is present, must not specify other " + std::string(what));
}

void check_admission_rule(const Place& rule) {
  check_alone(rule, "operations", "operations");
  const json::Array& operations = rule.list("operations");
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const std::string_view each = operations[i].string_or_empty();
    if (std::ranges::find(kOperations, each) == std::end(kOperations))
      rule.report(
          FieldError::not_supported(rule.path("operations", i), each, texts_of(kOperations)));
  }
  check_alone(rule, "apiGroups", "API groups");
  check_alone(rule, "apiVersions", "API versions");
  const json::Array& versions = rule.list("apiVersions");
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (versions[i].string_or_empty().empty())
      rule.report(FieldError::required(rule.path("apiVersions", i), {}));
  }
  check_resources_of_rule(rule);
}

void check_rule_names(const Place& rule) {
  const json::Array& names = rule.list("resourceNames");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view name = names[i].string_or_empty();
    const FieldPath path = rule.path("resourceNames", i);
    report_problems(rule, path, name, meta::validate_path_segment_name(name));
    if (!seen.insert(name).second) rule.report(FieldError::duplicate(path, name));
  }
}

void check_condition(const Place& condition) {
  if (is_blank(condition.text("expression"))) condition.required("expression");
  check_name(condition, "name", meta::validate_qualified_name);
}

// The versions of a webhook are looked at after all else, and then its name.
void check_webhooks(const Place& configuration) {
  std::set<std::string_view> names;
  configuration.each("webhooks", [&](const Place& hook) {
    hook.apply();
    check_review_versions(hook);
    const std::string_view name = hook.text("name");
    if (!name.empty() && !names.insert(name).second) hook.duplicate("name");
  });
}

constexpr Rule kConfigurationRules[] = {rules::call("webhooks", check_webhooks)};
constexpr Rule kValidatingHookRules[] = {
    rules::call(check_webhook_name),
    rules::into("rules"),
    rules::one_of_set("failurePolicy", kFailurePolicies),
    rules::one_of_set("matchPolicy", kMatchPolicies),
    rules::call(check_side_effects),
    rules::range("timeoutSeconds", 1, 30, "the timeout value must be between 1 and 30 seconds"),
    rules::into("namespaceSelector"),
    rules::into("objectSelector"),
    rules::call("clientConfig", check_client_config),
    rules::call("matchConditions", check_conditions)};
constexpr Rule kMutatingHookRules[] = {
    rules::call(check_webhook_name),
    rules::into("rules"),
    rules::one_of_set("failurePolicy", kFailurePolicies),
    rules::one_of_set("matchPolicy", kMatchPolicies),
    rules::call(check_side_effects),
    rules::range("timeoutSeconds", 1, 30, "the timeout value must be between 1 and 30 seconds"),
    rules::into("namespaceSelector"),
    rules::into("objectSelector"),
    rules::one_of_set("reinvocationPolicy", kReinvocations),
    rules::call("clientConfig", check_client_config),
    rules::call("matchConditions", check_conditions)};
constexpr Rule kAdmissionRuleRules[] = {rules::call(check_admission_rule),
                                        rules::one_of_set("scope", kScopes)};
constexpr Rule kNamedRuleRules[] = {rules::call(check_rule_names),
                                    rules::call(check_admission_rule),
                                    rules::one_of_set("scope", kScopes)};

constexpr TypeRules kWebhookTypes[] = {
    {"admissionregistration.v1.ValidatingWebhookConfiguration", kConfigurationRules},
    {"admissionregistration.v1.MutatingWebhookConfiguration", kConfigurationRules},
    {"admissionregistration.v1.ValidatingWebhook", kValidatingHookRules},
    {"admissionregistration.v1.MutatingWebhook", kMutatingHookRules},
    {"admissionregistration.v1.RuleWithOperations", kAdmissionRuleRules},
    {"admissionregistration.v1.NamedRuleWithOperations", kNamedRuleRules},
};

}  // namespace

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

void check_conditions(const Place& owner) {
  constexpr std::size_t kMax = 64;
  const std::size_t count = owner.list("matchConditions").size();
  if (count > kMax) owner.report(FieldError::too_many(owner.path("matchConditions"), count, kMax));
  std::set<std::string_view> names;
  owner.each("matchConditions", [&](const Place& condition) {
    check_condition(condition);
    const std::string_view name = condition.text("name");
    if (!name.empty() && !names.insert(name).second) condition.duplicate("name");
  });
}

std::span<const TypeRules> webhook_types() {
  return kWebhookTypes;
}

}  // namespace kube::apiserver
