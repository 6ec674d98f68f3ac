// SPDX-License-Identifier: Apache-2.0
//
// Checks the rules of structural schemas (apiextensions.k8s.io/v1), which ensure that a schema
// gives the type of each field.
#pragma once

#include "node.hpp"

namespace kube::schema {

/// Adds the rules that the schema breaks to the problems of the node.
void check_structural(const Node& root);

}  // namespace kube::schema
