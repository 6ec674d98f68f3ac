// SPDX-License-Identifier: Apache-2.0
//
// What `kubecpp explain` knows without a server: the fields of built-in resources, their types, the
// required ones and the values of enumerations. It has no descriptions: those come from the
// documents of servers.
#pragma once

#include <string>

#include <kube/base/result.hpp>

namespace kubecpp {

/// What to explain, and how far.
struct ExplainRequest {
  std::string path{};         ///< "pods", "deploy.spec.template", "deployments.apps.spec"
  std::string api_version{};  ///< "apps/v1"; empty: the preferred one.
  bool recursive = false;     ///< Also the fields of fields.
  int max_depth = 0;          ///< Levels of `recursive`; 0: all.
};

/// Returns the text for a built-in resource.
/// @par Errors   Config: no built-in resource has that name or version; `field "x" does not exist`
///   with similar names.
kube::Result<std::string> explain_builtin(const ExplainRequest& request);

}  // namespace kubecpp
