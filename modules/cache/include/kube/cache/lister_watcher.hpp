// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::ListerWatcher: the source of an informer's objects. The usual one sends requests to
// an API server; tests and caches of caches implement their own.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <kube/client/rest_client.hpp>
#include <kube/meta/options.hpp>
#include <kube/names/group_version.hpp>
#include <kube/transport/round_tripper.hpp>

namespace kube::cache {

/// Starts requests whose responses have the bodies that an API server sends. The source decides
/// which objects to select (namespace, labels, fields); the options have version, page and
/// timeouts.
///
/// @par Errors   The handler's on_end() receives them; a response of 400 and above is one on_end()
///   with its Error, without on_head(). An exception counts as a failed request (Internal, with its
///   text); an exception from note_response() counts as false, one from to_string() as "".
/// @par Thread safety   All functions may be called from any thread.
class ListerWatcher {
 public:
  virtual ~ListerWatcher() = default;
  /// `idle_timeout`: the maximum time without a byte, 0 for none.
  virtual std::shared_ptr<transport::Exchange> list(
      const ListOptions& options, std::chrono::milliseconds idle_timeout,
      std::shared_ptr<transport::ResponseHandler> handler, std::stop_token stop) = 0;
  virtual std::shared_ptr<transport::Exchange> watch(
      const ListOptions& options, std::chrono::milliseconds idle_timeout,
      std::shared_ptr<transport::ResponseHandler> handler, std::stop_token stop) = 0;
  /// Records the error of a refused request. Returns true when the request is worth repeating at
  /// once, because the next one will be different (it requests a supported encoding).
  virtual bool note_response(const Error& refusal) {
    static_cast<void>(refusal);
    return false;
  }
  /// Whether the source is known not to stream initial states (sendInitialEvents). Reflectors then
  /// list; otherwise they try, and list when it refuses.
  virtual bool is_watch_list_semantics_unsupported() const { return false; }
  /// Returns "pods in namespace \"web\"", for errors and log lines.
  virtual std::string to_string() const = 0;
};

/// Lists and watches a resource of an API server. An empty namespace means all namespaces, empty
/// selectors mean all objects. With protobuf `preferred`, objects are requested in it when the
/// client's configuration and the server allow it; in the form Metadata, their metadata alone.
std::shared_ptr<ListerWatcher> rest_lister_watcher(RestClient client, meta::ResourceInfo resource,
                                                   std::string namespace_,
                                                   std::string label_selector,
                                                   std::string field_selector,
                                                   Encoding preferred = Encoding::Json,
                                                   ResponseForm form = ResponseForm::Object);

/// Whether a client declares that it does not stream initial states, by a member
/// is_watch_list_semantics_unsupported(). Null, and a client without that member, declare nothing
/// (client-go's watchlist.DoesClientNotSupportWatchListSemantics). Any thread may call it.
template <class Client>
bool does_client_not_support_watch_list_semantics(const Client* client) {
  if constexpr (requires { client->is_watch_list_semantics_unsupported(); }) {
    return client != nullptr && client->is_watch_list_semantics_unsupported();
  } else {
    return false;
  }
}

/// Returns the same source with `unsupported` for its is_watch_list_semantics_unsupported()
/// (client-go's ToListWatcherWithWatchListSemantics). Any thread may call it.
std::shared_ptr<ListerWatcher> to_lister_watcher_with_watch_list_semantics(
    std::shared_ptr<ListerWatcher> source, bool unsupported);

/// Returns the same source with what `client` declares.
template <class Client>
std::shared_ptr<ListerWatcher> to_lister_watcher_with_watch_list_semantics(
    std::shared_ptr<ListerWatcher> source, const Client* client) {
  return to_lister_watcher_with_watch_list_semantics(
      std::move(source), does_client_not_support_watch_list_semantics(client));
}

}  // namespace kube::cache
