// SPDX-License-Identifier: Apache-2.0
//
// The routes of a program: which pattern a request is for, and its answer from a handler that may
// block, while no thread of the server waits.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/executor.hpp>
#include <kube/base/result.hpp>
#include <kube/cacheserver/cache_server.hpp>

#include "http/http_message.hpp"
#include "reading/query.hpp"

namespace kube::cacheserver {

/// "PUT /shop/{name}/{rest...}"
struct Pattern {
  enum class Part : std::uint8_t { Literal, One, Rest };  ///< The first is the most specific.
  struct Segment {
    Part part = Part::Literal;
    std::string text{};  ///< The literal, or the name in the braces.
    auto operator<=>(const Segment&) const = default;
  };
  std::string method{};
  std::vector<Segment> segments{};

  /// @par Errors   InvalidArgument, naming the pattern and what is wrong.
  static Result<Pattern> parse(std::string_view text);
  /// Returns what the names in the braces stand for; nothing when the path is another.
  std::optional<decltype(RouteRequest::path_values)> match(
      const std::vector<std::string>& path) const;
};

/// @par Thread safety   All functions may be called from any thread.
class Routes {
 public:
  /// @par Errors   InvalidArgument: a bad pattern, or one that is there twice.
  static Result<std::unique_ptr<Routes>> make(const CacheServer::Options& options);
  ~Routes() { stop(); }

  struct Route {
    Pattern pattern;
    RouteHandler handler;
  };
  struct Match {
    const Route* route = nullptr;  ///< Null: the path has other methods.
    decltype(RouteRequest::path_values) values{};
    std::string allowed{};  ///< The methods of the path, "GET, PUT".
  };
  /// Returns nothing when no route has the path.
  std::optional<Match> find(std::string_view method, std::string_view target) const;
  /// Returns a response to wait for, and after the wait the handler's.
  serving::HttpResponse answer(const Match& match, const serving::HttpRequest& request,
                               const serving::Query& query);
  /// No handler runs after it. Idempotent.
  /// @par Blocks   Until the handlers that run have returned.
  void stop();

 private:
  Routes(std::vector<Route> routes, const CacheServer::Options& options);

  const std::vector<Route> routes_;  ///< The more specific pattern of two first.
  const Duration timeout_;
  const std::shared_ptr<Logger> logger_;
  std::optional<ThreadPool> threads_;  ///< When there are routes.
};

}  // namespace kube::cacheserver
