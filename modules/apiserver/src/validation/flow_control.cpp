// SPDX-License-Identifier: Apache-2.0
//
// FlowSchemas and priority levels of requests.
#include <algorithm>
#include <cmath>

#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kDistinguishers[] = {"ByNamespace", "ByUser"};
constexpr std::string_view kFlowSubjects[] = {"Group", "ServiceAccount", "User"};
constexpr std::string_view kFlowVerbs[] = {"create", "delete", "deletecollection", "get",  "list",
                                           "patch",  "proxy",  "update",           "watch"};
constexpr std::string_view kLevelTypes[] = {"Exempt", "Limited"};
constexpr std::string_view kResponseTypes[] = {"Queue", "Reject"};

struct SubjectField {
  std::string_view kind;
  std::string_view field;
};

constexpr SubjectField kSubjectFields[] = {
    {"ServiceAccount", "serviceAccount"}, {"User", "user"}, {"Group", "group"}};

bool has_star(const json::Array& list) {
  return std::ranges::any_of(list,
                             [](const json::Value& each) { return each.string_or_empty() == "*"; });
}

void check_flow_schema(const Place& spec) {
  constexpr std::int64_t kMax = 10'000;
  const std::int64_t precedence = spec.number("matchingPrecedence").value_or(1000);
  if (precedence <= 0) spec.invalid("matchingPrecedence", precedence, "must be a positive value");
  if (precedence > kMax)
    spec.invalid("matchingPrecedence", precedence, "must not be greater than 10000");
  if (precedence == 1 && spec.root().value().string_at({"metadata", "name"}) != "exempt")
    spec.invalid("matchingPrecedence", precedence,
                 "only the schema named 'exempt' may have matchingPrecedence 1");
  spec.each("distinguisherMethod", [](const Place& method) {
    if (std::ranges::find(kDistinguishers, method.text("type")) == std::end(kDistinguishers))
      method.report(FieldError::not_supported(method.path("type"), method.shown_whole(),
                                              texts_of(kDistinguishers)));
  });
  const std::string_view level = spec.value().string_at({"priorityLevelConfiguration", "name"});
  const meta::FieldPath path = spec.path("priorityLevelConfiguration").child("name");
  if (level.empty()) {
    spec.report(FieldError::required(path, "must reference a priority level"));
  } else {
    report_problems(spec, path, level, meta::validate_dns1123_subdomain(level));
  }
}

void check_flow_account(const Place& account) {
  const std::string_view name = account.text("name");
  if (name.empty()) {
    account.required("name");
  } else if (name != "*") {
    account.problems("name", meta::validate_dns1123_subdomain(name));
  }
  if (account.is_empty("namespace")) {
    account.required("namespace", "must specify namespace for service account");
  } else {
    account.problems("namespace", meta::validate_dns1123_label(account.text("namespace")));
  }
}

void check_flow_name(const Place& subject) {
  if (subject.is_empty("name")) subject.required("name");
}

void check_flow_subject(const Place& subject) {
  const std::string_view kind = subject.text("kind");
  if (std::ranges::find(kFlowSubjects, kind) == std::end(kFlowSubjects)) {
    subject.report(FieldError::not_supported(subject.path("kind"), kind, texts_of(kFlowSubjects)));
    return;
  }
  for (const SubjectField& each : kSubjectFields) {
    if (each.kind != kind) continue;
    if (!subject.has(each.field))
      subject.required(each.field, std::string(each.field) + " is required when subject kind is '" +
                                       std::string(kind) + "'");
    subject.each(each.field, kind == "ServiceAccount" ? check_flow_account : check_flow_name);
  }
  for (const SubjectField& each : kSubjectFields) {
    if (each.kind != kind && subject.has(each.field))
      subject.forbidden(each.field, std::string(each.field) +
                                        " is forbidden when subject kind is not '" +
                                        std::string(each.kind) + "'");
  }
}

void check_flow_rule(const Place& rule) {
  if (rule.is_empty("subjects"))
    rule.required("subjects", "subjects must contain at least one value");
  rule.each("subjects", check_flow_subject);
  if (rule.is_empty("resourceRules") && rule.is_empty("nonResourceRules"))
    rule.report(FieldError::required(
        rule.path(), "at least one of resourceRules and nonResourceRules has to be non-empty"));
}

// A list that is not empty, and has no other members beside "*".
void check_star_alone(const Place& rule, std::string_view field, std::string_view missing,
                      std::string_view others) {
  const json::Array& list = rule.list(field);
  if (list.empty()) {
    rule.required(field, std::string(missing));
  } else if (list.size() > 1 && has_star(list)) {
    rule.invalid(field, "if '*' is present, must not specify other " + std::string(others));
  }
}

void check_flow_verbs(const Place& rule) {
  check_star_alone(rule, "verbs", "verbs must contain at least one value", "verbs");
  const json::Array& verbs = rule.list("verbs");
  if (has_star(verbs)) return;
  const auto is_known = [](const json::Value& verb) {
    return std::ranges::find(kFlowVerbs, verb.string_or_empty()) != std::end(kFlowVerbs);
  };
  if (!std::ranges::all_of(verbs, is_known)) rule.not_supported("verbs", kFlowVerbs);
}

void check_flow_resources(const Place& rule) {
  check_flow_verbs(rule);
  check_star_alone(rule, "apiGroups", "resource rules must supply at least one api group",
                   "api groups");
  check_star_alone(rule, "resources", "resource rules must supply at least one resource",
                   "resources");
  if (!rule.is_true("clusterScope") || !rule.is_empty("namespaces"))
    check_star_alone(
        rule, "namespaces",
        "resource rules that are not cluster scoped must supply at least one namespace",
        "namespaces");
  const json::Array& namespaces = rule.list("namespaces");
  if (has_star(namespaces)) return;
  for (std::size_t i = 0; i < namespaces.size(); ++i) {
    const std::string_view name = namespaces[i].string_or_empty();
    for (const std::string& problem : meta::validate_dns1123_label(name))
      rule.report(FieldError::invalid(
          rule.path("namespaces", i), name,
          "each member of this list must be '*' or a DNS-1123 label; " + problem));
  }
}

std::string_view url_problem(std::string_view url) {
  if (url.empty()) return "must not be empty";
  if (!url.starts_with('/')) return "must start with slash";
  if (url.find(' ') != std::string_view::npos) return "must not contain white-space";
  if (url.find("//") != std::string_view::npos) return "must not contain double slash";
  const auto stars = std::ranges::count(url, '*');
  if (stars > 1 || (stars == 1 && !url.ends_with("/*")))
    return "wildcard can only do suffix matching";
  return {};
}

void check_flow_urls(const Place& rule) {
  check_flow_verbs(rule);
  check_star_alone(rule, "nonResourceURLs", "nonResourceURLs must contain at least one value",
                   "non-resource URLs");
  const json::Array& urls = rule.list("nonResourceURLs");
  if (has_star(urls)) return;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    const std::string_view url = urls[i].string_or_empty();
    const std::string_view problem = url_problem(url);
    if (!problem.empty())
      rule.report(FieldError::invalid(rule.path("nonResourceURLs", i), url, std::string(problem)));
  }
}

void forbid_late(const Place& place, const FieldPath& path) {
  place.report_late(FieldError::forbidden(path, {}));
}

// The declarative rules look at all members, whatever the type of the level is.
void check_level_members(const Place& spec) {
  const std::string_view type = spec.text("type");
  if (type != "Exempt" && spec.has("exempt")) forbid_late(spec, spec.path("exempt"));
  if (type != "Limited" && spec.has("limited")) forbid_late(spec, spec.path("limited"));
  if (type == "Limited" && !spec.has("limited")) spec.required_late("limited");
  if (type.empty()) spec.required_late("type");
  spec.each("limited", [](const Place& limited) {
    const FieldPath path = limited.path("limitResponse");
    const std::string_view response = limited.value().string_at({"limitResponse", "type"});
    const json::Value* queuing = limited.value().at_path({"limitResponse", "queuing"});
    const bool queues = queuing != nullptr && !queuing->is_null();
    if (response != "Queue" && queues) forbid_late(limited, path.child("queuing"));
    if (response == "Queue" && !queues)
      limited.report_late(FieldError::required(path.child("queuing"), {}));
    if (response.empty()) limited.report_late(FieldError::required(path.child("type"), {}));
  });
}

void check_level_type(const Place& spec) {
  const std::string_view type = spec.text("type");
  const bool exempt_name = spec.root().value().string_at({"metadata", "name"}) == "exempt";
  if (exempt_name != (type == "Exempt"))
    spec.invalid("type", type, "must be 'Exempt' if and only if `name` is 'exempt'");
  if (type == "Exempt") {
    spec.into("exempt");
  } else if (type == "Limited") {
    spec.into("limited");
  } else if (!type.empty()) {
    spec.not_supported("type", kLevelTypes);
  }
  check_level_members(spec);
}

void check_queuing(const Place& queuing) {
  constexpr std::int64_t kMaxQueues = 10'000'000;
  constexpr double kMaxBits = 60;  // What a hash of a flow has for the hand of its queues.
  // An absent one, and 0, are the default.
  const auto number = [&queuing](std::string_view field, std::int64_t absent) {
    const std::int64_t given = queuing.number(field).value_or(0);
    return given == 0 ? absent : given;
  };
  const std::int64_t queues = number("queues", 64);
  const std::int64_t hand = number("handSize", 8);
  if (number("queueLengthLimit", 50) < 0) queuing.invalid("queueLengthLimit", "must be positive");
  if (queues < 0) {
    queuing.invalid("queues", "must be positive");
  } else if (queues > kMaxQueues) {
    queuing.invalid("queues", "must not be greater than 10000000");
  }
  if (hand < 0) {
    queuing.invalid("handSize", "must be positive");
  } else if (hand > queues) {
    queuing.invalid("handSize", hand,
                    "should not be greater than queues (" + std::to_string(queues) + ")");
  } else if (const double bits =
                 std::ceil(std::log2(static_cast<double>(queues)) * static_cast<double>(hand));
             bits > kMaxBits) {
    queuing.invalid("handSize", hand,
                    "required entropy bits of deckSize " + std::to_string(queues) +
                        " and handSize " + std::to_string(hand) + " should not be greater than 60");
  }
}

void check_response(const Place& response) {
  const std::string_view type = response.text("type");
  if (type == "Queue") {
    response.into("queuing");
  } else if (!type.empty() && type != "Reject") {
    response.not_supported("type", kResponseTypes);
  }
}

/// An object that the server has to have, and whose spec is known but for a member.
struct FixedSpec {
  std::string_view name;
  std::string_view spec;
  std::string_view free{};
};

constexpr FixedSpec kFixedSchemas[] = {
    {"exempt",
     R"({"priorityLevelConfiguration":{"name":"exempt"},"matchingPrecedence":1,"rules":[{)"
     R"("subjects":[{"kind":"Group","group":{"name":"system:masters"}}],)"
     R"("resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,)"
     R"("namespaces":["*"]}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]})"},
    {"catch-all",
     R"({"priorityLevelConfiguration":{"name":"catch-all"},"matchingPrecedence":10000,)"
     R"("distinguisherMethod":{"type":"ByUser"},"rules":[{)"
     R"("subjects":[{"kind":"Group","group":{"name":"system:unauthenticated"}},)"
     R"({"kind":"Group","group":{"name":"system:authenticated"}}],)"
     R"("resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"clusterScope":true,)"
     R"("namespaces":["*"]}],"nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}]}]})"}};
constexpr FixedSpec kFixedLevels[] = {
    {"exempt", R"({"type":"Exempt"})", "exempt"},
    {"catch-all", R"({"type":"Limited","limited":{"nominalConcurrencyShares":5,)"
                  R"("limitResponse":{"type":"Reject"},"lendablePercent":0}})"}};

void check_fixed_spec(const Place& object, std::span<const FixedSpec> known) {
  const std::string_view name = object.value().string_at({"metadata", "name"});
  const auto found = std::ranges::find(known, name, &FixedSpec::name);
  if (found == known.end()) return;
  object.each("spec", [&](const Place& spec) {
    json::Value compared = spec.value();
    if (json::Object* members = compared.if_object()) members->erase(found->free);
    const auto fixed = json::parse(found->spec);
    if (fixed && *fixed == compared) return;
    spec.report(FieldError::invalid(
        spec.path(), spec.shown_whole(),
        "spec of '" + std::string(name) + "'" +
            (found->free.empty() ? std::string()
                                 : " except the 'spec." + std::string(found->free) + "' field") +
            " must equal the fixed value"));
  });
}

void check_fixed_schema(const Place& schema) {
  check_fixed_spec(schema, kFixedSchemas);
}

void check_fixed_level(const Place& level) {
  check_fixed_spec(level, kFixedLevels);
}

constexpr Rule kSchemaRules[] = {rules::into("spec"), rules::call(check_fixed_schema)};
constexpr Rule kPriorityLevelRules[] = {rules::into("spec"), rules::call(check_fixed_level)};
constexpr Rule kFlowSchemaRules[] = {rules::call(check_flow_schema), rules::into("rules")};
constexpr Rule kFlowRuleRules[] = {rules::call("subjects", check_flow_rule),
                                   rules::into("resourceRules"), rules::into("nonResourceRules")};
constexpr Rule kFlowResourceRules[] = {rules::call(check_flow_resources)};
constexpr Rule kFlowUrlRules[] = {rules::call(check_flow_urls)};
constexpr Rule kLevelRules[] = {rules::call("limited", check_level_type), rules::skip("exempt")};
constexpr Rule kLimitedRules[] = {
    rules::at_least("nominalConcurrencyShares", 0, "must be a non-negative integer"),
    rules::into("limitResponse"), rules::range("lendablePercent", 0, 100),
    rules::at_least("borrowingLimitPercent", 0, "if specified, must be a non-negative integer")};
constexpr Rule kExemptRules[] = {
    rules::at_least("nominalConcurrencyShares", 0, "must be a non-negative integer"),
    rules::range("lendablePercent", 0, 100)};
constexpr Rule kResponseRules[] = {rules::call("queuing", check_response)};
constexpr Rule kQueuingRules[] = {rules::call(check_queuing)};

constexpr TypeRules kFlowTypes[] = {
    {"flowcontrol.v1.FlowSchema", kSchemaRules},
    {"flowcontrol.v1.PriorityLevelConfiguration", kPriorityLevelRules},
    {"flowcontrol.v1.FlowSchemaSpec", kFlowSchemaRules},
    {"flowcontrol.v1.PolicyRulesWithSubjects", kFlowRuleRules},
    {"flowcontrol.v1.ResourcePolicyRule", kFlowResourceRules},
    {"flowcontrol.v1.NonResourcePolicyRule", kFlowUrlRules},
    {"flowcontrol.v1.PriorityLevelConfigurationSpec", kLevelRules},
    {"flowcontrol.v1.LimitedPriorityLevelConfiguration", kLimitedRules},
    {"flowcontrol.v1.ExemptPriorityLevelConfiguration", kExemptRules},
    {"flowcontrol.v1.LimitResponse", kResponseRules},
    {"flowcontrol.v1.QueuingConfiguration", kQueuingRules},
};

}  // namespace

std::span<const TypeRules> flow_types() {
  return kFlowTypes;
}

}  // namespace kube::apiserver
