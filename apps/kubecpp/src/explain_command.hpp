// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp explain`: prints the fields of built-in resources.
#pragma once

#include <string>

#include "output.hpp"

namespace kubecpp {

struct ExplainOptions {
  std::string path{};         ///< "pods", "deploy.spec.template", "deployments.apps.spec"
  std::string api_version{};  ///< "apps/v1"; empty: the preferred one.
};

/// Prints the fields of a built-in resource, without a server; returns the exit status.
int run_explain(const ExplainOptions& options, Output& out);

}  // namespace kubecpp
