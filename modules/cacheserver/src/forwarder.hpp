// SPDX-License-Identifier: Apache-2.0
//
// Passes requests that no cache can answer on to the cluster, as the caller.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/config/config.hpp>
#include <kube/transport/round_tripper.hpp>

#include "http/http_message.hpp"

namespace kube::cacheserver {

/// @par Thread safety   All functions may be called from any thread.
class Forwarder {
 public:
  /// The credentials of `cluster` are not used: a request has those that its caller sent.
  /// @par Errors   Those of rest::validate(), and of making a transport.
  static Result<std::unique_ptr<Forwarder>> make(const rest::Config& cluster,
                                                 const Runtime& runtime);

  /// Sends the request, and returns a response to wait for; called again after that, returns the
  /// cluster's. It has the path and query of the request, the caller's fields Accept, Content-Type,
  /// User-Agent and Impersonate-*, and `authorization` as its Authorization.
  /// @par Errors   Server: what this server responds when the cluster has not.
  Result<serving::HttpResponse> forward(const serving::HttpRequest& request,
                                        const std::string& authorization);

 private:
  Forwarder(std::string base_url, std::shared_ptr<transport::RoundTripper> transport)
      : base_url_(std::move(base_url)), transport_(std::move(transport)) {}

  const std::string base_url_;  ///< Without the slash at its end.
  const std::shared_ptr<transport::RoundTripper> transport_;
};

}  // namespace kube::cacheserver
