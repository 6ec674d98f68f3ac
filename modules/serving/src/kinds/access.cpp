// SPDX-License-Identifier: Apache-2.0
//
// Roles, service accounts and certificates.
#include <cstdint>
#include <string>
#include <utility>

#include <kube/base/join.hpp>
#include <kube/names/time.hpp>

#include "documents/metadata.hpp"
#include "kinds/cells.hpp"
#include "kinds/fields.hpp"
#include "kinds/kind_lists.hpp"

namespace kube::serving {
namespace {

json::Value role_reference(const CellInput& input) {
  return pair_at(input.object, {"roleRef"}, "kind", "name");
}

json::Value subjects(const CellInput& input) {
  std::vector<std::string> parts;
  for (const json::Value* subject : input.found) {
    parts.push_back(std::string(subject->string_at({"namespace"})) + "/" +
                    std::string(subject->string_at({"name"})));
  }
  return join(parts, ", ");
}

json::Value as_duration(const CellInput& input) {
  if (input.found.empty() || !input.found.front()->is_int()) return "<none>";
  return meta::human_duration(std::chrono::seconds(*input.found.front()->if_int()));
}

json::Value signing_condition(const CellInput& input) {
  const auto has = [&](std::string_view type) {
    return find_condition(input.object, type) != nullptr;
  };
  std::string out = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  if (has("Failed")) out += ",Failed";
  if (!input.object.string_at({"status", "certificate"}).empty()) out += ",Issued";
  return out;
}

json::Value certificate_state(const CellInput& input) {
  return first_true(input.object, {"Issued", "Denied", "Failed"}, "Pending");
}

constexpr Cell kBindingCells[] = {
    {"Role", role_reference},
    {"Users", cells::spaced_list},
    {"Groups", cells::spaced_list},
    {"ServiceAccounts", subjects},
};
// An account names its secrets, no more.
void keep_names_of_secrets(json::Value& account, const json::Value* /*before*/,
                           const std::string& /*now*/) {
  for_each_object(*account.if_object(), "secrets", [](json::Object& secret) {
    secret.erase_if([](const std::string& member, const json::Value&) { return member != "name"; });
  });
}

// A condition says since when it is there, and since when it is so.
void date_conditions(json::Value& request, const json::Value* before, const std::string& now) {
  json::Value* status = request.if_object()->find("status");
  if (before == nullptr || status == nullptr || !status->is_object()) return;
  for_each_object(*status->if_object(), "conditions", [&](json::Object& condition) {
    set_default(condition, "lastUpdateTime", now);
    json::Value since = now;
    for (const json::Value& old : before->array_at({"status", "conditions"})) {
      const std::string_view had = old.string_at({"lastTransitionTime"});
      const bool same = old.at_path({"type"}) != nullptr && old.at_path({"status"}) != nullptr &&
                        *old.at_path({"type"}) == condition["type"] &&
                        *old.at_path({"status"}) == condition["status"];
      if (same && !had.empty()) since = had;
    }
    set_default(condition, "lastTransitionTime", std::move(since));
  });
}

// What was asked for does not change.
void keep_request(const json::Value& before, json::Value& after) {
  copy_member(*before.if_object(), *after.if_object(), "spec");
}

constexpr Cell kSigningCells[] = {
    {"SignerName", cells::text, "<none>"},
    {"RequestedDuration", as_duration},
    {"Condition", signing_condition},
};
constexpr Cell kBundleCells[] = {
    {"SignerName", cells::text, "<none>"},
};
constexpr Cell kCertificateCells[] = {
    {"State", certificate_state},
    {"UnverifiedUserAnnotations", cells::labels},
};

// The token names its account but grants nothing: this server does not accept it.
meta::FieldErrors validate_token(const json::Value& request) {
  const std::int64_t seconds = request.int_at({"spec", "expirationSeconds"}).value_or(3600);
  if (seconds >= 600) return {};
  return {meta::FieldError::invalid(meta::FieldPath("spec").child("expirationSeconds"), seconds,
                                    "may not specify a duration less than 10 minutes")};
}

void issue_token(json::Value& request, const IssueInput& input) {
  const std::int64_t seconds = request.int_at({"spec", "expirationSeconds"}).value_or(3600);
  request.ensure_path({"spec", "expirationSeconds"}) = seconds;
  if (request.array_at({"spec", "audiences"}).empty()) {
    request.ensure_path({"spec", "audiences"}) = json::Array{"https://kubernetes.default.svc"};
  }
  json::Object& spec = spec_in(request);
  set_default(spec, "boundObjectRef", nullptr);
  request.ensure_path({"status", "token"}) =
      "kubecpp-" + input.namespace_ + "-" + input.name + "-" + input.uid;
  request.ensure_path({"status", "expirationTimestamp"}) =
      format_time(deadline_after(input.now, clamped(std::chrono::seconds(seconds))));
}

constexpr SubresourceRules kAccountSubresources[] = {{.name = "token",
                                                      .form = SubresourceForm::Issue,
                                                      .validate = validate_token,
                                                      .issue = issue_token}};
// An approval changes the conditions in the status.
constexpr SubresourceRules kSigningSubresources[] = {
    {.name = "approval", .form = SubresourceForm::Status}};

constexpr KindRules review_rules(std::string_view group, std::string_view resource, Review review) {
  return {.group = group, .resource = resource, .review = review};
}

constexpr KindRules access_rules(std::string_view resource, std::span<const Cell> cells = {}) {
  return {.group = "rbac.authorization.k8s.io",
          .resource = resource,
          .name_rule = meta::NameRule::PathSegment,
          .create_on_update = true,
          .cells = cells};
}

constexpr KindRules kAccessList[] = {
    access_rules("roles"),
    access_rules("clusterroles"),
    access_rules("rolebindings", kBindingCells),
    access_rules("clusterrolebindings", kBindingCells),
    {.group = "",
     .resource = "serviceaccounts",
     .returns_deleted_object = true,
     .subresources = kAccountSubresources,
     .prepare = keep_names_of_secrets},
    {.group = "certificates.k8s.io",
     .resource = "certificatesigningrequests",
     .generation = Generation::Never,
     .cells = kSigningCells,
     .subresources = kSigningSubresources,
     .prepare = date_conditions,
     .keep_main = keep_request},
    {.group = "certificates.k8s.io",
     .resource = "clustertrustbundles",
     .name_rule = meta::NameRule::PathSegment,
     .unconditional_update = false,
     .cells = kBundleCells},
    {.group = "certificates.k8s.io",
     .resource = "podcertificaterequests",
     .generation = Generation::Never,
     .unconditional_update = false,
     .cells = kCertificateCells},
    review_rules("authentication.k8s.io", "selfsubjectreviews", Review::Self),
    review_rules("authentication.k8s.io", "tokenreviews", Review::Token),
    review_rules("authorization.k8s.io", "selfsubjectrulesreviews", Review::SelfRules),
    review_rules("authorization.k8s.io", "selfsubjectaccessreviews", Review::SelfAccess),
    review_rules("authorization.k8s.io", "subjectaccessreviews", Review::Access),
    review_rules("authorization.k8s.io", "localsubjectaccessreviews", Review::Access),
};

}  // namespace

Kinds access_kinds() {
  return kAccessList;
}

}  // namespace kube::serving
