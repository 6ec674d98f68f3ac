// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::ListerWatcher: where an informer gets its objects from. The usual one asks an API
// server; tests and caches of caches bring their own.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include <kube/client/rest_client.hpp>
#include <kube/meta/options.hpp>
#include <kube/names/group_version.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::cache {

/// Starts requests whose answers have the bodies that an API server sends. What to select
/// (namespace, labels, fields) is its own affair; the options given say version, page and timeouts.
///
/// @par Errors   Reach the handler's on_end(); an answer of 400 and above as one on_end() with the
///   Error that it amounts to, without on_head(). An exception counts as a request that failed
///   (ErrorCode::Internal with its text); in learn() and to_string() it is as if there was nothing
///   to say.
/// @par Thread safety   All functions may be called from any thread.
class ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  /// `idle_timeout`: longest silence, 0 for any.
  virtual std::shared_ptr<transport::Exchange> list(
      const ListOptions& options, std::chrono::milliseconds idle_timeout,
      std::shared_ptr<transport::ResponseHandler> handler, std::stop_token stop) = 0;
  virtual std::shared_ptr<transport::Exchange> watch(
      const ListOptions& options, std::chrono::milliseconds idle_timeout,
      std::shared_ptr<transport::ResponseHandler> handler, std::stop_token stop) = 0;
  /// Learns from a refused request: true when it is worth another try at once, since the next one
  /// will ask for something else (an encoding that the server has).
  virtual bool learn(const Error& refusal) {
    static_cast<void>(refusal);
    return false;
  }
  /// "pods in namespace \"web\"", for errors and log lines.
  virtual std::string to_string() const = 0;
};

/// Lists and watches a resource of an API server. Empty namespace: all; empty selectors:
/// everything. Objects of a type with protobuf are asked for in it, as far as the client's
/// configuration and the server agree.
std::shared_ptr<ListerWatcher> rest_lister_watcher(RestClient client, meta::ResourceInfo resource,
                                                   std::string namespace_,
                                                   std::string label_selector,
                                                   std::string field_selector,
                                                   Encoding preferred = Encoding::Json);

}  // namespace kube::cache
