// SPDX-License-Identifier: Apache-2.0
//
// kube::apiserver::ApiServer: a Kubernetes-compatible API server inside the process.
//
// It serves the Kubernetes API over HTTP/1.1 in JSON, YAML and protobuf, keeps all objects in
// memory and needs no installation: the quick start, the examples and the tests run on it, and
// kubectl and client-go work with it. One revision counter numbers all writes, as in etcd; each
// resource keeps a bounded history of events, and a watch from before it gets a 410. It is made for
// development and tests, not for production: it has no TLS, no replication and no disk.
//
//   auto server = kube::apiserver::ApiServer::start();
//   if (!server) return server.error();
//   run_tests_against((*server)->url());
//
// The module's README lists what it does not do.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/base/secret_text.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/names/group_version.hpp>
#include <kube/names/object_key.hpp>

namespace kube::apiserver {

/// The user of a request.
struct User {
  std::string name{};
  std::vector<std::string> groups{};
  std::string uid{};
};

/// A bearer token and its user.
struct BearerToken {
  SecretText token{};
  User user{};
};

/// A request, as an Authorizer sees it.
struct AccessRequest {
  User user{};
  std::string verb{};  ///< "get", "list", "watch", "create", ...; an HTTP method for a plain path.
  std::string group{};
  std::string version{};
  std::string resource{};  ///< Plural; empty for a plain path such as /version.
  std::string subresource{};
  std::string namespace_{};
  std::string name{};
  std::string path{};
};

/// Returns true for a request that is allowed. Called on the server's threads, several at a time,
/// without a lock held. An exception counts as false.
using Authorizer = std::function<bool(const AccessRequest&)>;

/// A write that the server has carried out.
struct StoreWrite {
  std::uint64_t resource_version = 0;
  std::string resource{};  ///< "pods", "deployments.apps", as it is stored.
  ObjectKey key{};
  std::string uid{};
  bool deleted = false;
};

/// What the server has done since its start and what it holds now.
struct Statistics {
  std::uint64_t requests = 0;      ///< HTTP requests received since the start.
  std::uint64_t writes = 0;        ///< Writes committed since the start.
  std::uint64_t events_sent = 0;   ///< Watch events passed to connections since the start.
  std::size_t objects = 0;         ///< Objects stored now.
  std::size_t history_events = 0;  ///< Events held for watchers now, over all resources.
  std::size_t connections = 0;     ///< Open connections now.
  std::size_t idle = 0;            ///< Open connections without a request now.
  std::size_t watchers = 0;        ///< Open watches now.
  /// Bytes of events being sent to watchers now; an event sent to several counts once.
  std::size_t watch_bytes = 0;
};

class Frontend;

/// A running server. Neither copyable nor movable.
///
/// @par Thread safety   All functions may be called from any thread; stop() and the destructor must
///   not be called by an Authorizer.
/// @par Threads   Options::threads, joined by stop(); they serve requests and call the Authorizer
///   and the Logger.
/// @par Cost   An object is held once, as JSON text. A watcher is a position in the history and the
///   bytes being sent to it: at most Options::watch_buffer_bytes and one event. Watchers share
///   events above 2 KiB that they receive in the same form, except tables.
class ApiServer {
  struct Impl;

 public:
  struct Options {
    /// An IP address, not a name. Without `tokens` and `authorizer` every client is an
    /// administrator: choose an address that is not loopback with care.
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  ///< 0 chooses a free port.
    /// False: no socket and no thread; requests come through a Frontend
    /// (<kube/apiserver/frontend.hpp>), and everything runs on the executor of `runtime`, which is
    /// required.
    bool listens = true;
    /// At least 1. A request occupies one thread while it is served: all other requests wait when
    /// as many slow ones run as there are threads.
    std::size_t threads = 4;

    /// The maximum number of events kept for each resource. The oldest are dropped first; a watch
    /// from before them gets a 410.
    std::size_t history = 50'000;
    /// The maximum number of bytes of objects that only the history holds, for each resource.
    std::size_t history_bytes = std::size_t{128} << 20U;
    /// The maximum number of bytes gathered for one write to a watcher, plus one event.
    std::size_t watch_buffer_bytes = std::size_t{64} << 10U;
    /// The time between the bookmarks of a watch that asked for them; varies by up to a quarter.
    Duration bookmark_period = std::chrono::seconds(60);
    /// A watch without timeoutSeconds ends after one to two times this.
    Duration min_watch_timeout = std::chrono::minutes(30);
    /// The maximum time that a read waits for a resourceVersion that does not exist yet.
    Duration fresh_read_timeout = std::chrono::seconds(3);

    /// The maximum number of open connections, at least 1. For another one, the connection that has
    /// waited longest for a request is closed; when none waits, the new one gets a 503. That
    /// connection is also closed when the process has no file descriptor left.
    std::size_t max_connections = 10'000;
    /// Host names of the server, besides IP addresses, names without a dot and names below
    /// .localhost and .internal. A request for another host, and a write that a browser sends for a
    /// page of another origin, get a 403: a server without tokens trusts every client, and a
    /// browser on the same machine sends requests for any page that a user visits. "*": any host
    /// and any origin.
    std::vector<std::string> host_names{};

    /// The maximum body of a request; a larger one gets a 413.
    std::size_t max_body_bytes = 3'145'728;
    Duration header_timeout = std::chrono::seconds(32);  ///< For the head of a request to arrive.
    Duration body_timeout = std::chrono::seconds(60);    ///< For its body to arrive.
    Duration idle_timeout = std::chrono::seconds(90);    ///< For a connection between requests.
    /// For a client, watchers included, to receive some of the bytes sent; then it is disconnected.
    Duration write_timeout = std::chrono::seconds(60);
    Duration stop_timeout = std::chrono::seconds(2);  ///< For responses and watches in stop().

    /// The first revision. Empty: derived from the time, so that a restart starts above earlier
    /// ones.
    std::optional<std::uint64_t> initial_revision{};
    /// The seed of uids, generated names and watch timeouts. Empty: random.
    std::optional<std::uint64_t> seed{};

    /// The range of the cluster IPs of services, IPv4. The first of them is that of the service
    /// "kubernetes" in "default".
    std::string service_cluster_ip_range = "10.0.0.0/24";

    /// Empties and removes namespaces that are being deleted, as the namespace controller does.
    bool finalize_namespaces = true;
    /// Removes pods whose grace period is over, as a kubelet does.
    bool finish_graceful_deletions = true;
    /// Lets go of deleted volumes and claims that no pod uses, as the controller manager does.
    bool finish_volume_deletions = true;

    /// When not empty, requests need one of these tokens, or get a 401.
    std::vector<BearerToken> tokens{};
    /// Called for each request when set; false is a 403.
    Authorizer authorizer{};

    /// Called by start() before the server listens, to fill it: load() and create() work, but no
    /// request is served, and url() and port() are not known. start() fails with its error.
    std::function<Result<void>(ApiServer&)> before_listening{};

    /// The gitVersion of /version.
    std::string version = "v1.37.1+kubecpp";
    /// Executor: timers and time for bookmarks, deadlines and timestamps; empty: the server's
    /// threads and real_clock(). Logger: reports exceptions inside the server, which are bugs: the
    /// connection is closed and the server continues.
    Runtime runtime{};

    /// Called after each write, on the thread that carried it out, without a lock held; several at
    /// a time when several threads write, and then not always in the order of their versions.
    /// Watches may have the write before it is called.
    std::function<void(const StoreWrite&)> on_write{};

    /// Receives warnings of the load functions: `a.yaml: document 1: unknown field "spec.imag"`.
    /// Called on the caller's thread, before the object is stored, without a lock held.
    std::function<void(std::string_view)> load_warning{};
  };

  /// Starts a server; returns when the server accepts connections.
  /// @par Errors   InvalidArgument, naming a bad option; Unreachable when it can't listen on the
  ///   address; Internal when its threads can't be started; those of Options::before_listening.
  static Result<std::unique_ptr<ApiServer>> start(Options options);
  static Result<std::unique_ptr<ApiServer>> start();
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  /// "http://127.0.0.1:34567"
  const std::string& url() const;
  std::uint16_t port() const;

  /// A kubeconfig (YAML) with this server as its current context, and the first token if there is
  /// one.
  std::string kubeconfig() const;

  /// Creates an object like a POST of it, with all defaults and checks, and returns it.
  /// @par Errors   Server, as a client would get it: NotFound for an unknown kind or a missing
  ///   namespace, AlreadyExists, Invalid, Forbidden in a terminating namespace, BadRequest.
  Result<Unstructured> create(const Unstructured& object);

  /// @par Errors   Server: NotFound for an unknown resource or a missing object.
  Result<Unstructured> get(const meta::GroupVersionResource& resource, const ObjectKey& key) const;

  /// Deletes an object like a DELETE without options: one with finalizers, or with a grace period,
  /// is terminating afterwards.
  /// @par Errors   Server: NotFound for an unknown resource or a missing object; Forbidden.
  Result<void> remove(const meta::GroupVersionResource& resource, const ObjectKey& key);

  /// All objects, or those of one namespace, in key order.
  /// @par Errors   Server: NotFound for an unknown resource.
  Result<std::vector<Unstructured>> list(const meta::GroupVersionResource& resource,
                                         std::string_view namespace_ = {}) const;

  /// Stores an object with its status, replacing an existing one. An object without a status gets
  /// that of a new object, such as a phase; a namespace always gets its finalizer and label. The
  /// items of a List are loaded one by one. A missing namespace is created. A uid is kept; a
  /// resourceVersion is not. An object with a generateName and no name gets a name as from a POST:
  /// loading it again makes another object. Unknown fields are dropped, with an
  /// Options::load_warning.
  /// @return   The number of objects.
  /// @par Errors   InvalidArgument for a malformed object; those of create() otherwise.
  Result<std::size_t> load(const Unstructured& object);

  /// Loads all JSON or YAML documents of a text: definitions of resources first, then namespaces,
  /// then the rest, whatever their order in the text.
  /// @return   The number of objects.
  /// @par Errors   Those of load() and of reading, naming file and document; InvalidArgument when
  ///   an object occurs twice. A repeated object is found before any is loaded; after other
  ///   errors a part of the objects is loaded.
  Result<std::size_t> load_text(std::string_view text);
  /// Loads a file, or all .json, .yaml and .yml files of a folder. Entries with such a name that
  /// are not regular files are skipped, with an Options::load_warning.
  /// @par Errors   Those of load_text(); InvalidArgument when a file can't be read; Cancelled when
  ///   `stop` is requested: nothing is loaded then.
  /// @par Blocks   While it reads; on a pipe until its end or `stop`.
  Result<std::size_t> load_path(const std::filesystem::path& path, std::stop_token stop = {});
  /// Loads several files and folders as one.
  Result<std::size_t> load_paths(std::span<const std::filesystem::path> paths,
                                 std::stop_token stop = {});

  /// The revision of the last write.
  std::uint64_t resource_version() const;

  /// Drops the history up to a revision, like a compaction of etcd: watches, exact lists and
  /// continue tokens from before it get 410. Open watches that have received these events continue.
  void compact(std::uint64_t revision);
  void compact_all();

  /// Closes all connections at once, in the middle of responses.
  void drop_connections();
  /// Sends a bookmark to each watch that has asked for them, after the events so far: its client
  /// learns that it has seen everything up to resource_version().
  void send_bookmarks();
  /// Ends all watches cleanly, as after their timeout.
  void end_watches();
  /// Responds to the next requests for resources with 429 and Retry-After, like an overloaded
  /// server.
  void overload(std::size_t requests, std::chrono::seconds retry_after);

  Statistics statistics() const;

  /// Stops accepting, ends watches cleanly, lets running responses finish and joins the threads.
  /// Idempotent. The destructor calls it.
  /// @par Blocks   At most for Options::stop_timeout; then connections are closed.
  void stop();

 private:
  friend class Frontend;
  explicit ApiServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube::apiserver
