// SPDX-License-Identifier: Apache-2.0
//
// Handles a request: authenticates, authorizes, finds the resource and calls the handler.
#pragma once

#include "names/serving_names.hpp"
#include "requests/api_context.hpp"

namespace kube::apiserver {

/// @par Thread safety   handle() may be called from any thread.
class ApiHandler {
 public:
  explicit ApiHandler(ApiContext& api) : api_(api) {}

  /// Never throws, never blocks. `last_attempt`: the time to wait for a revision is over.
  HttpResponse handle(const HttpRequest& request, bool last_attempt);

  /// Responds to the next requests for resources with a 429.
  void overload(std::size_t requests, std::chrono::seconds retry_after);

 private:
  HttpResponse respond(const HttpRequest& request, const Route& route, bool last_attempt);
  Result<HttpResponse> serve_resource(const HttpRequest& request, const Route& route,
                                      const User& user, bool last_attempt);
  Result<HttpResponse> serve_verb(const ResourceRequest& request, Verb verb);
  std::optional<HttpResponse> refuse_overload();

  ApiContext& api_;
  Mutex mutex_;
  std::size_t overloaded_ KUBE_GUARDED_BY(mutex_) = 0;
  std::chrono::seconds retry_after_ KUBE_GUARDED_BY(mutex_){1};
};

}  // namespace kube::apiserver
