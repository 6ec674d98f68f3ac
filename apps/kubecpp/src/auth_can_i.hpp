// SPDX-License-Identifier: Apache-2.0
//
// `kubecpp auth can-i`: whether an action is allowed, or all that is.
#pragma once

#include <string>
#include <vector>

#include <kube/json/value.hpp>

#include "command.hpp"

namespace kubecpp {

struct CanIOptions {
  ConnectionOptions connection{};
  std::vector<std::string> words{};  ///< VERB, and a resource, RESOURCE/NAME or URL path.
  std::string namespace_{};
  std::string subresource{};
  bool all_namespaces = false;
  bool list = false;
  bool quiet = false;
  bool no_headers = false;
};

/// Prints yes or no. Returns the exit status: 0 for yes, 1 for no and for failures.
int run_can_i(const CanIOptions& options, Output& out);

/// Returns "[a b]" for a list of texts, as Go prints it.
std::string bracketed(const kube::json::Value& list);

Runner add_can_i(CLI::App& command);

}  // namespace kubecpp
