// SPDX-License-Identifier: Apache-2.0
//
// kube::CacheServer: the Kubernetes read API over HTTP, answered from the caches of informers.
//
// kubectl, client-go and any other client use it as an API server that has these resources: get,
// list with selectors and pages, watch with bookmarks, tables, discovery. However many clients
// read, each resource has one watch at the cluster.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/optional.hpp>
#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/cacheserver/route.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/config/config.hpp>

namespace kube {

/// A running server. Neither copyable nor movable.
///
/// What it serves is the state of an informer, with the cluster's resourceVersions:
/// - A read with a resourceVersion that the cache has not reached waits for it, and gets a 504
///   ("too large resource version") after Options::fresh_read_timeout. One without a version is
///   answered at once from the cache; it may be older than the cluster by the time in the header
///   `Age` of each answer.
/// - A watch from before the history, and every watch when an informer had to list again, gets a
///   410 and has to list again: there is never a gap. So does one whose initial events are not
///   received before the history has moved past them; a list is then cut off.
/// - Before an informer has synced, its resource is a 503 with Retry-After.
///
/// @par Thread safety   All functions may be called from any thread.
/// @par Threads   Options::threads, and Options::route_threads when there are routes, joined by
///   stop().
/// @par Cost   An object's bytes are held once, by the informer. The encoding in which
///   it holds them (JSON of Unstructured or with InformerOptions::protobuf = false, else protobuf)
///   is sent from there; other forms are made for each request, and for a watch event once for all
///   watches. The server adds about 0.7 KiB
///   for each object: keys, labels, places in its text. A watcher is a position in the history, and
///   the bytes that it is being sent. Replaced and removed objects are kept by the history alone,
///   within its bounds, also those that a slow reader has yet to receive; and for readers that are
///   in the middle of a list when the informer lists again, the state before.
class CacheServer {
 public:
  struct Options {
    /// "ADDRESS:PORT" with an IP address or "localhost" (127.0.0.1) and a port (0 chooses a free
    /// one), or "unix:PATH". An address other than loopback needs `tls_cert_file`,
    /// `token_auth_file` and `authorization_rules_file`. On loopback every user of the machine can
    /// read all that is served; a socket is for this user alone.
    std::string listen = "127.0.0.1:0";
    std::string tls_cert_file{};  ///< PEM, the server's certificate first. With tls_key_file.
    std::string tls_key_file{};
    /// A file of lines `token,user,uid,"group1,group2"`, as kube-apiserver's. When set, requests
    /// need one of the tokens, or get a 401. Without rules all of them may read all that is served,
    /// of which the log has a warning.
    std::string token_auth_file{};
    /// A YAML list of rules, each with `users` or `groups` of `token_auth_file`, `resources`
    /// ("pods", "deployments.apps") and `namespaces`, which say who may read (get, list and watch)
    /// what; others get a 403. "*" stands for all. The module's README has an example. A rule
    /// applies to its users and to the members of its groups. To list all namespaces, or to read a
    /// cluster-scoped resource, needs namespaces ["*"]. What the page shows obeys the rules;
    /// `routes` need resources and namespaces ["*"]. Discovery, OpenAPI, /version and /metrics need
    /// a token alone: they have names of resources and numbers of objects. What `writes_to` passes
    /// on is the cluster's to decide.
    std::string authorization_rules_file{};
    /// The time between two looks at the files of certificate, key, tokens and rules. When another
    /// process has replaced them, the next connections and requests need the new ones; open
    /// connections and watches continue, except watches whose token is gone or has another user or
    /// groups, and those that the new rules do not allow, which end cleanly. A file that can't be
    /// used is logged, and the old content stays.
    Duration reload_period = std::chrono::seconds(10);
    /// The cluster that writes of the served resources, and all requests for their subresources
    /// (status, scale, log), are passed on to as the caller: with the Impersonate-* that it sent,
    /// with its Cluster-Authorization as the Authorization, and none of this config's credentials.
    /// A request without that field is passed on with its Authorization; with `token_auth_file`,
    /// whose tokens never leave this server, it gets a 403. Discovery has their verbs
    /// and subresources then. Not passed on: what needs a connection of its own (exec, attach,
    /// portforward, proxy), a log that is followed, responses above 64 MiB. Empty: writes get a
    /// 405, subresources a 404.
    Optional<rest::Config> writes_to{};
    /// A client of the cluster whose OpenAPI v3 documents are served, cut to the served resources:
    /// they have the descriptions that `kubectl explain` prints. They are asked for when a client
    /// asks, and again when they have changed. Empty, or while the cluster does not respond: the
    /// server makes documents of the types that it knows, without descriptions.
    Optional<RestClient> openapi_from{};
    /// Paths of the program's own, by "METHOD /PATTERN": "GET /pods/{name}". "{name}" stands for
    /// one segment, "{name...}" at the end for one or more, as in Go's ServeMux; of two patterns
    /// for a path the one counts whose first different segment is a text, not a name. A path with
    /// other methods alone is a 405; HEAD is a GET. A path begins with a text that the server does
    /// not have: api, apis, healthz, livez, metrics, openapi, page, readyz and version are its own.
    std::map<std::string, RouteHandler> routes{};
    /// Whether `routes` are answered while an informer of the server has not synced. By default
    /// they are a 503 until then: what is missing must not look like what does not exist. Answers
    /// have the `Age` of the oldest cache.
    bool routes_before_sync = false;
    std::size_t route_threads = 4;  ///< How many handlers of `routes` run at a time.
    /// For a handler to answer; then the caller gets a 504.
    Duration route_timeout = std::chrono::minutes(1);
    /// HTML that a browser gets at `/` instead of the server's own page. It may have elements
    /// `style` and `script` with their text, and ask this server. The server's
    /// Content-Security-Policy knows them by their hashes and forbids all else, attributes with a
    /// script or a style too.
    std::string page{};
    /// Host names of the server besides IP addresses and names without a dot; a request for another
    /// host gets a 403, because a browser would send it for a foreign page.
    std::vector<std::string> host_names{};
    std::size_t threads = 2;
    /// The maximum number of events kept for watches of each resource, and of bytes that only they
    /// hold. Lists, and the initial events of watches, have to be received before so much has
    /// changed.
    std::size_t history = 10'000;
    std::size_t history_bytes = std::size_t{64} << 20U;
    std::size_t max_connections = 10'000;
    /// The maximum number of bytes gathered for one write to a watcher, plus one event.
    std::size_t watch_buffer_bytes = std::size_t{64} << 10U;
    /// The time between the bookmarks of a watch that asked for them; varies by up to a quarter.
    Duration bookmark_period = std::chrono::seconds(60);
    /// For a read to wait for its resourceVersion, and for a document of `openapi_from`.
    Duration fresh_read_timeout = std::chrono::seconds(3);
    /// For a client, watchers included, to receive some of the bytes sent; then it is disconnected.
    Duration write_timeout = std::chrono::seconds(60);
    /// For a client to receive the whole of a long list; then it is disconnected.
    Duration list_timeout = std::chrono::minutes(10);
    /// For stop() to wait for responses and for what `writes_to` has passed on.
    Duration stop_timeout = std::chrono::seconds(2);
    /// When nothing was heard of the cluster for longer, /readyz fails and answers have a Warning.
    /// More than 0. A watch to which nothing happens brings a bookmark a minute: below two minutes
    /// an idle cluster looks like one that is away.
    Duration max_age = std::chrono::minutes(5);
    /// The gitVersion of /version.
    std::string version = "v1.37.1+kubecpp";
    /// Time, and the logger. The clock of the informers decides on ages.
    Runtime runtime{};
  };

  /// Starts a server without resources; returns when it accepts connections.
  /// @par Errors   InvalidArgument, naming a bad option, route or file; Unreachable when it can't
  ///   listen.
  static Result<std::unique_ptr<CacheServer>> start(Options options);
  static Result<std::unique_ptr<CacheServer>> start();
  ~CacheServer();
  CacheServer(const CacheServer&) = delete;
  CacheServer& operator=(const CacheServer&) = delete;

  /// Serves the cache of an informer, started or not, with the namespace and selectors that it has;
  /// also while clients read, which see the resource from then on. Nothing that is served can be
  /// taken away: when the informer is destroyed, its last state is served and gets old.
  /// `definition`: the CustomResourceDefinition of a custom resource, for the columns of its tables
  /// and its subresources; that of the first informer of several namespaces counts.
  /// @par Errors   InvalidArgument: the resource is served already (in this namespace), or the
  ///   server has stopped.
  template <Object T>
  Result<void> add(SharedInformer<T>& informer, const Unstructured* definition = nullptr) {
    return add(
        informer.core(),
        [&informer](const auto& observer) { informer.add_store_observer(observer); }, definition);
  }

  /// Checks the resources of the rules, when all informers have been added. Rules that are read
  /// later are checked by the server.
  /// @par Errors   InvalidArgument, naming file and line: a rule names a resource that is not
  ///   served.
  Result<void> check_rules() const;

  /// "http://127.0.0.1:34567", "https://..." or "unix:///run/cache.sock"
  const std::string& url() const;
  /// 0 for a unix socket.
  std::uint16_t port() const;

  /// What the server has done since its start and what it holds now.
  struct Statistics {
    std::uint64_t requests = 0;     ///< HTTP requests received since the start.
    std::uint64_t events_sent = 0;  ///< Watch events passed to connections since the start.
    std::size_t connections = 0;    ///< Open connections now.
    std::size_t watchers = 0;       ///< Open watches now.
    /// Bytes that are being sent to watchers now. Those of an object that are sent from where the
    /// informer holds them count for each watcher.
    std::size_t watch_bytes = 0;
    std::size_t states = 0;          ///< Lists and initial events that are being sent now.
    std::size_t objects = 0;         ///< Objects served now.
    std::size_t history_events = 0;  ///< Events held for watchers now, over all resources.
    std::size_t history_bytes = 0;   ///< Of replaced and removed objects that they hold.
  };
  Statistics statistics() const;

  /// Stops accepting, ends watches cleanly, lets running answers finish and joins the threads.
  /// Idempotent. The destructor calls it. Not for a route's handler.
  /// @par Blocks   At most for Options::stop_timeout; then connections are closed, writes that the
  ///   cluster has not answered get a 503 that says so, the handlers of routes are asked to stop,
  ///   and it waits for them to return.
  void stop();

 private:
  struct Impl;
  using Observe = std::function<void(const std::shared_ptr<cache::StoreObserver>&)>;
  explicit CacheServer(std::unique_ptr<Impl> impl);
  Result<void> add(std::shared_ptr<const cache::InformerCore> informer, const Observe& observe,
                   const Unstructured* definition);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube
