// SPDX-License-Identifier: Apache-2.0
//
// The rules of structural schemas (apiextensions.k8s.io/v1), which make sure that a schema says of
// each field what it is.
#pragma once

#include "node.hpp"

namespace kube::schema {

/// Adds the rules that the schema breaks to the problems of the node.
void check_structural(const Node& root);

}  // namespace kube::schema
