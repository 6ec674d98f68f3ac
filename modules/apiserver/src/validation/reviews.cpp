// SPDX-License-Identifier: Apache-2.0
//
// Questions about access: what a SubjectAccessReview and its kin may ask.
#include <algorithm>

#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

// Operators that the server does not know are left to who answers.
void check_asked_field(const Place& requirement) {
  if (requirement.is_empty("key")) requirement.required("key", "must be specified");
  check_operator_values(requirement);
}

void check_asked_selector(const Place& attributes, std::string_view field) {
  attributes.each(field, [&](const Place& selector) {
    const bool raw = !selector.is_empty("rawSelector");
    if (raw && !selector.is_empty("requirements"))
      selector.invalid("rawSelector", "may not specified at the same time as requirements");
    if (!raw && selector.is_empty("requirements"))
      selector.required("requirements", "when " + selector.path().to_string() +
                                            " is specified, requirements or rawSelector is "
                                            "required");
    selector.each("requirements", [&](const Place& requirement) {
      if (field == "fieldSelector") {
        check_asked_field(requirement);
      } else {
        check_operator_values(requirement);
        check_label_key(requirement, "key");
        check_label_values(requirement);
      }
    });
  });
}

void check_asked(const Place& review) {
  constexpr std::string_view kText =
      "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  const FieldPath path("spec");
  const bool resource = review.value().at_path({"spec", "resourceAttributes"}) != nullptr &&
                        !review.value().at_path({"spec", "resourceAttributes"})->is_null();
  bool other = false;
  review.each("spec", [&](const Place& spec) {
    other = spec.has("nonResourceAttributes");
    if (resource && other)
      review.report(
          FieldError::invalid(path, spec.shown_own("nonResourceAttributes"), std::string(kText)));
  });
  if (!resource && !other) review.report(FieldError::invalid(path, {}, std::string(kText)));
}

void check_asked_attributes(const Place& review) {
  review.each("spec", [](const Place& spec) {
    spec.each("resourceAttributes", [](const Place& attributes) {
      check_asked_selector(attributes, "fieldSelector");
      check_asked_selector(attributes, "labelSelector");
    });
  });
}

// A question is no object: it has no name. The server sets what a field of its kind may hold.
void check_no_metadata(const Place& review, bool has_namespace) {
  const json::Object& given = review.map("metadata");
  const bool is_empty = std::ranges::all_of(given, [&](const auto& member) {
    return member.second.is_null() || (has_namespace && member.first == "namespace");
  });
  if (!is_empty)
    review.invalid("metadata",
                   has_namespace ? "must be empty except for namespace" : "must be empty");
}

void check_own_review(const Place& review) {
  check_asked(review);
  check_asked_attributes(review);
  check_no_metadata(review, false);
}

void check_who_is_asked(const Place& review) {
  check_asked(review);
  if (review.value().string_at({"spec", "user"}).empty() &&
      review.value().array_at({"spec", "groups"}).empty())
    review.report(FieldError::invalid(FieldPath("spec").child("user"), "",
                                      "at least one of user or group must be specified"));
  check_asked_attributes(review);
}

void check_review(const Place& review) {
  check_who_is_asked(review);
  check_no_metadata(review, false);
}

// Of the objects in the namespace that the request names.
void check_local_review(const Place& review) {
  check_who_is_asked(review);
  check_no_metadata(review, true);
  const std::string_view space = review.value().string_at({"metadata", "namespace"});
  review.each("spec", [&](const Place& spec) {
    spec.each("resourceAttributes", [&](const Place& attributes) {
      if (attributes.text("namespace") != space)
        attributes.invalid("namespace", "must match metadata.namespace");
    });
    if (spec.has("nonResourceAttributes"))
      spec.invalid("nonResourceAttributes", spec.shown_own("nonResourceAttributes"),
                   "disallowed on this kind of request");
  });
}

constexpr Rule kReviewRules[] = {rules::call("spec", check_review)};
constexpr Rule kLocalReviewRules[] = {rules::call("spec", check_local_review)};
constexpr Rule kOwnReviewRules[] = {rules::call("spec", check_own_review)};

constexpr TypeRules kReviewTypes[] = {
    {"authorization.v1.SubjectAccessReview", kReviewRules},
    {"authorization.v1.LocalSubjectAccessReview", kLocalReviewRules},
    {"authorization.v1.SelfSubjectAccessReview", kOwnReviewRules},
};

}  // namespace

std::span<const TypeRules> review_types() {
  return kReviewTypes;
}

}  // namespace kube::apiserver
