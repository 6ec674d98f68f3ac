// SPDX-License-Identifier: Apache-2.0
//
// The path grammar of the API: what a method and a path ask for, whether it exists or not.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>

#include "reading/query.hpp"
#include "resources/verbs.hpp"

namespace kube::serving {

/// A parsed request line.
struct Route {
  std::string path{};  ///< Decoded; set for all requests.
  Query query{};

  /// The path names a resource; otherwise the members below are empty.
  bool is_resource = false;
  std::string group{};
  std::string version{};
  std::string namespace_{};
  std::string resource{};  ///< Plural.
  std::string name{};
  std::string subresource{};
  bool deeper = false;        ///< The path continues after the subresource.
  bool legacy_watch = false;  ///< The /watch/ prefix.

  /// Empty for a method without a verb.
  std::optional<Verb> verb{};
};

/// The target of a request line.
struct Target {
  std::string_view authority{};  ///< Of the absolute form, which proxies get; else empty.
  std::string_view path{};       ///< Begins with a slash; has the query. As sent.
};

/// Fails with a 400 for a target that is neither a path nor a URL of http or https without a user.
Result<Target> split_target(std::string_view target);

/// Fails with a 400 for a target with an invalid escape, and as split_target().
Result<Route> parse_route(std::string_view method, std::string_view target);

}  // namespace kube::serving
