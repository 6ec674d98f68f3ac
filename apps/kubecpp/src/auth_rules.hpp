// SPDX-License-Identifier: Apache-2.0
//
// The rules of a SelfSubjectRulesReview as kubectl prints them: one line for each resource and
// name.
#pragma once

#include <string>
#include <vector>

#include <kube/json/value.hpp>

namespace kubecpp {

/// What may be done with one resource, or with some of its objects, or with URLs.
struct AccessRule {
  std::vector<std::string> verbs{};
  std::vector<std::string> groups{};
  std::vector<std::string> resources{};
  std::vector<std::string> names{};
  std::vector<std::string> urls{};
};

/// Returns the rules of a review's status, those of a resource together, in kubectl's order.
std::vector<AccessRule> compact_rules(const kube::json::Value& status);

/// Returns "pods.metrics.k8s.io/log" for the resource pods/log of the group.
std::string resource_of_rule(const AccessRule& rule);

}  // namespace kubecpp
