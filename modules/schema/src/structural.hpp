// SPDX-License-Identifier: Apache-2.0
//
// The rules of structural schemas (apiextensions.k8s.io/v1), which make sure that a schema says of
// each field what it is.
#pragma once

#include "node.hpp"

namespace kube::schema {

/// Sets the problem of the node if the schema breaks a rule, with the rule.
void check_structural(const Node& root);

}  // namespace kube::schema
