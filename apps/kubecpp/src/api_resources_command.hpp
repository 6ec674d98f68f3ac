// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp api-resources` and `kubecpp api-versions`.
#pragma once

#include <string>
#include <vector>

#include <kube/client/discovery_queries.hpp>

#include "command.hpp"
#include "output.hpp"

namespace kubecpp {

enum class ApiResourcesOutput { Table, Wide, Name };

struct ApiResourcesOptions {
  std::string api_group{};
  bool by_group = false;     ///< --api-group is given; "" is the core group.
  std::string namespaced{};  ///< "true", "false" or "" for both.
  std::vector<std::string> verbs{};
  std::vector<std::string> categories{};
  std::string sort_by{};  ///< "name", "kind" or "" for the group.
  ApiResourcesOutput output = ApiResourcesOutput::Table;
  bool no_headers = false;
  bool cached = false;  ///< Use the cache while it is valid.
  ConnectionOptions connection{};
};

/// Returns what is printed of preferred resources.
std::string api_resources_text(const std::vector<kube::ApiResourceList>& lists,
                               const ApiResourcesOptions& options);

/// Prints the resources that the server has, each in its preferred version, and returns the exit
/// status. Group versions that fail are an error after the others are printed.
int run_api_resources(const ApiResourcesOptions& options, Output& out);

/// Prints the group versions of the server in the order of their text.
int run_api_versions(const ConnectionOptions& options, Output& out);

/// Adds the flags of the command.
Runner add_api_resources(CLI::App& command);
Runner add_api_versions(CLI::App& command);

}  // namespace kubecpp
