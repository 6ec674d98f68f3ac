// SPDX-License-Identifier: Apache-2.0
//
// Routes: paths of a program's own on a kube::CacheServer, for reads from its caches and for
// writes.
//
//   options.routes["PUT /shop/{name}/size"] = [&](const kube::RouteRequest& request) {
//     return resize(request.path_value("name"), request.query_value("size", "1"), request.stop);
//   };
#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

namespace kube {

/// A request to a route.
/// @par Thread safety   A value.
struct RouteRequest {
  /// By the names in the braces of the pattern, without escapes. None is empty.
  std::map<std::string, std::string, std::less<>> path_values{};
  /// The parameters of the query, without escapes; of several with one name the first.
  std::map<std::string, std::string, std::less<>> query{};
  std::string body{};  ///< At most 3 MiB; a larger one gets a 413 without a call.
  /// Requested when nobody waits for the answer any more: after
  /// CacheServer::Options::route_timeout, and when the server's stop has waited for its
  /// stop_timeout.
  std::stop_token stop{};

  /// Returns the part of the path that the pattern's "{name}" stands for; "" when it has none.
  std::string path_value(std::string_view name) const;
  /// Returns a parameter of the query; `otherwise` when it is missing.
  std::string query_value(std::string_view name, std::string_view otherwise = {}) const;
};

/// Returns the document that answers a request, as JSON. May block: it is called on threads that do
/// nothing else (CacheServer::Options::route_threads), several at a time, with no lock held.
/// InvalidArgument and Decode are a 400, another Error its Status, an exception a 500.
using RouteHandler = std::function<Result<json::Value>(const RouteRequest& request)>;

}  // namespace kube
