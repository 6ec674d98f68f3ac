// SPDX-License-Identifier: Apache-2.0
//
// Who may read which resources in which namespaces, from a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/names/group_version.hpp>

#include "tokens.hpp"

namespace kube::cacheserver {

/// @par Thread safety   A value.
class Rules {
 public:
  /// Parses a YAML list of rules (CacheServer::Options::authorization_rules_file). Without rules,
  /// no caller may read anything.
  /// @par Errors   InvalidArgument that names file and line, and what was expected there.
  static Result<Rules> parse(std::string_view text, const std::string& file);

  /// @par Errors   InvalidArgument that names file and line of a resource that is not served.
  Result<void> check_resources(const std::vector<meta::GroupResource>& served) const;

  /// Whether a caller may read the objects of a resource in a namespace; "" for those of all, and
  /// for a cluster-scoped resource.
  bool allow(const Caller& caller, const meta::GroupResource& resource,
             std::string_view namespace_) const;
  bool empty() const { return rules_.empty(); }
  /// Whether a caller may read everything, whatever is served.
  bool allow_all(const Caller& caller) const;
  /// Returns the namespaces whose objects a caller may read, in order; "" alone for all.
  std::vector<std::string> namespaces_of(const Caller& caller,
                                         const meta::GroupResource& resource) const;
  bool operator==(const Rules&) const = default;

 private:
  /// Names; "*" stands for all.
  using Names = std::vector<std::string>;
  struct Rule {
    Names users{};
    Names groups{};
    Names resources{};  ///< "pods", "deployments.apps"
    Names namespaces{};
    std::vector<int> resource_lines{};  ///< Of `resources` in the file.

    bool is_for(const Caller& caller) const;
    bool operator==(const Rule&) const = default;
  };
  class Reading;

  std::string file_{};
  std::vector<Rule> rules_{};
};

}  // namespace kube::cacheserver
