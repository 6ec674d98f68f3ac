// SPDX-License-Identifier: Apache-2.0
//
// Handles a request to a cache server: who may, which resource, and the header fields that say how
// old the answer is.
#pragma once

#include <string>
#include <vector>

#include <kube/cacheserver/cache_server.hpp>

#include "authorizer.hpp"
#include "cluster_openapi.hpp"
#include "forwarder.hpp"
#include "page/html_page.hpp"
#include "routes.hpp"
#include "served_resources.hpp"
#include "tokens.hpp"

namespace kube::cacheserver {

/// @par Thread safety   handle() may be called from any thread.
class CacheHandler {
 public:
  CacheHandler(const CacheServer::Options& options, TokenAuth& tokens, Authorizer& authorizer,
               serving::ReadContext& reads, ServedResources& served,
               std::unique_ptr<Forwarder> writes, Routes& routes,
               std::function<CacheServer::Statistics()> statistics)
      : options_(options),
        tokens_(tokens),
        authorizer_(authorizer),
        reads_(reads),
        served_(served),
        writes_(std::move(writes)),
        routes_(routes),
        html_(options.page),
        openapi_(options.openapi_from, options.fresh_read_timeout, reads, options.runtime.logger),
        statistics_(std::move(statistics)) {}

  /// Never throws, never blocks. `last_attempt`: the time to wait for a revision is over.
  serving::HttpResponse handle(const serving::HttpRequest& request, bool last_attempt);
  /// Returns the response to a request whose body has more bytes than `limit`.
  serving::HttpResponse refuse_body(const serving::HttpRequest& request, std::size_t limit) const;

 private:
  serving::HttpResponse respond(const serving::HttpRequest& request, const serving::Route& route,
                                bool last_attempt);
  Result<serving::HttpResponse> read(const Caller& caller, const serving::HttpRequest& request,
                                     const serving::Route& route, bool last_attempt);
  /// @pre There are `writes_`.
  Result<serving::HttpResponse> pass_on(const serving::HttpRequest& request,
                                        const serving::Route& route);
  std::optional<serving::HttpResponse> serve_own_route(const Caller& caller,
                                                       const serving::HttpRequest& request,
                                                       const serving::Route& route) const;
  /// Whether the cluster has answered a request, not this server.
  bool was_passed_on(const serving::HttpRequest& request, const serving::Route& route) const;
  /// Says how old the cache is that the objects in the response are from, with a warning when it is
  /// too old.
  void say_age(const Served& from, serving::HttpResponse& response) const;
  /// Adds the age of the oldest cache to a response that is made from no other.
  serving::HttpResponse with_age(serving::HttpResponse response) const;

  const CacheServer::Options& options_;
  TokenAuth& tokens_;
  Authorizer& authorizer_;
  serving::ReadContext& reads_;
  ServedResources& served_;
  const std::unique_ptr<Forwarder> writes_;  ///< Null: writes are refused.
  Routes& routes_;
  const HtmlPage html_;
  ClusterOpenApi openapi_;
  const std::function<CacheServer::Statistics()> statistics_;
};

}  // namespace kube::cacheserver
