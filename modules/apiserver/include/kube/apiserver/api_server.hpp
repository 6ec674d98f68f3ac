// SPDX-License-Identifier: Apache-2.0
//
// kube::apiserver::ApiServer: a Kubernetes-compatible API server inside the process.
//
// It speaks the Kubernetes API over HTTP/1.1 (JSON and YAML), keeps everything in memory, and needs
// nothing installed: the quick start, the examples and the tests run on it, and kubectl and
// client-go work against it. One revision counter numbers all writes, as etcd's does; each resource
// keeps a bounded history of events, and whoever comes too late for it gets a real 410. It is made
// for development and tests, not for production: there is no TLS, no replication and no disk.
//
//   auto server = kube::apiserver::ApiServer::start();
//   if (!server) return server.error();
//   run_tests_against((*server)->url());
//
// What it does not do is listed in the module's README.
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
#include <kube/codec/unstructured.hpp>
#include <kube/names/group_version.hpp>
#include <kube/names/object_key.hpp>

namespace kube::apiserver {

/// Who makes a request.
struct User {
  std::string name{};
  std::vector<std::string> groups{};
  std::string uid{};
};

/// A bearer token and the user it stands for.
struct BearerToken {
  std::string token{};
  User user{};
};

/// What somebody wants to do, as authorisation sees it.
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

/// Says whether a request may go on. Called on the server's threads, from several at once when it
/// has several, without a lock held. An exception counts as "no".
using Authorizer = std::function<bool(const AccessRequest&)>;

/// What the server has done and holds at this moment.
struct Statistics {
  std::uint64_t requests = 0;      ///< HTTP requests taken up since the start.
  std::uint64_t writes = 0;        ///< Writes committed since the start.
  std::uint64_t events_sent = 0;   ///< Watch events handed to connections since the start.
  std::size_t objects = 0;         ///< Objects stored now.
  std::size_t history_events = 0;  ///< Events held for watchers now, over all resources.
  std::size_t connections = 0;     ///< Open connections now.
  std::size_t idle = 0;            ///< Open connections that wait for a request now.
  std::size_t watchers = 0;        ///< Open watches now.
  /// Bytes of events that are being sent to watchers now; what is sent to several counts once.
  std::size_t watch_bytes = 0;
};

/// A running server. Neither copyable nor movable.
///
/// @par Thread safety   All functions may be called from any thread, but stop() and the destructor
///   not from an Authorizer.
/// @par Threads   Options::threads of its own, joined by stop(); they serve requests and call the
///   Authorizer and the Logger.
/// @par Cost   An object is held once as JSON text, a watcher as a position in the history and what
///   is being sent to it: at most Options::watch_buffer bytes and one event, of which events above
///   2 KiB are shared by all watchers that show them in the same form, tables excepted.
class ApiServer {
 public:
  struct Options {
    /// An IP address; no names. Whoever reaches one that is not loopback is an administrator,
    /// unless there are `tokens` or an `authorizer`.
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  ///< 0: a free one.
    /// At least 1. Each connection is served by one of them at a time, so that as many requests as
    /// there are threads, less one, may take long without anybody else having to wait for them.
    std::size_t threads = 4;

    /// Events kept for each resource; the oldest go first, and a watch from before them gets 410.
    std::size_t history = 50'000;
    /// The same bound in bytes of objects that only the history holds, for each resource.
    std::size_t history_bytes = std::size_t{128} << 20U;
    /// Bytes gathered for one write to a watcher (one event more at most).
    std::size_t watch_buffer = std::size_t{64} << 10U;
    /// How often an open watch that asked for bookmarks gets one; spread by a quarter.
    Duration bookmark_period = std::chrono::seconds(60);
    /// A watch without timeoutSeconds ends after once to twice this.
    Duration min_watch_timeout = std::chrono::minutes(30);
    /// How long a read waits for a resourceVersion that is not there yet.
    Duration fresh_read_timeout = std::chrono::seconds(3);

    /// Open connections, at least 1. For one more, the one that has waited for a request longest is
    /// closed; when none waits, the new one gets a 503. The same connection is closed when the
    /// process has no file descriptor left.
    std::size_t max_connections = 10'000;
    /// Names by which clients call the server, or by which pages of an own origin do, besides IP
    /// addresses, names without a dot and those below .localhost and .internal. A request by
    /// another name, and one that a browser sends for a page of another origin to change something,
    /// get a 403: a server without tokens trusts all who reach it, and a browser on the same
    /// machine does for any page that somebody looks at. "*": any name and any origin.
    std::vector<std::string> host_names{};

    std::size_t body_limit = 3'145'728;                  ///< Bytes of a request body; then 413.
    Duration header_timeout = std::chrono::seconds(32);  ///< For the head of a request to arrive.
    Duration body_timeout = std::chrono::seconds(60);    ///< For its body.
    Duration idle_timeout = std::chrono::seconds(90);    ///< Of a connection between requests.
    /// For a client to take some of what is sent to it, watchers included; then it is cut.
    Duration write_timeout = std::chrono::seconds(60);
    Duration stop_timeout = std::chrono::seconds(2);  ///< For answers and watches to end in stop().

    /// First revision. Empty: made from the time, so that a restart starts above all earlier ones.
    std::optional<std::uint64_t> initial_revision{};
    /// Seed of uids, generated names and watch timeouts. Empty: from the system.
    std::optional<std::uint64_t> seed{};

    /// Empties and removes namespaces that are being deleted, as the namespace controller does.
    bool finalize_namespaces = true;
    /// Removes pods whose grace period is over, as a kubelet does.
    bool finish_graceful_deletions = true;

    /// Not empty: requests need one of these tokens, or get 401.
    std::vector<BearerToken> tokens{};
    /// Set: asked about each request; "no" is a 403.
    Authorizer authorizer{};

    /// Called by start() before the server listens, to fill it: load() and create() work, nobody is
    /// served yet, and url() and port() are not known. An error is that of start().
    std::function<Result<void>(ApiServer&)> before_listening{};

    /// gitVersion of /version.
    std::string version = "v1.37.1+kubecpp";
    /// Executor: timers and time for bookmarks, deadlines and timestamps; empty: the server's own
    /// threads and the machine's clock. Logger: optional; without one nobody hears of exceptions
    /// inside the server (bugs: the connection is closed, the server goes on).
    Runtime runtime{};

    /// What the load functions take all the same but somebody should look at:
    /// `a.yaml: document 1: unknown field "spec.imag"`. Called on the caller's thread, before the
    /// object is stored, without a lock held.
    std::function<void(std::string_view)> load_warning{};
  };

  /// Listens and serves; returns when connections are accepted. InvalidArgument names a bad option,
  /// Unreachable says why the address can't be listened on.
  static Result<std::unique_ptr<ApiServer>> start(Options options);
  static Result<std::unique_ptr<ApiServer>> start();
  ~ApiServer();
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;

  /// "http://127.0.0.1:34567"
  const std::string& url() const;
  std::uint16_t port() const;

  /// A kubeconfig (YAML) whose current context is this server, with the first token if there is
  /// one.
  std::string kubeconfig() const;

  /// Creates an object as a POST of it would, with all defaults and checks.
  Result<Unstructured> create(const Unstructured& object);
  Result<Unstructured> get(const meta::GroupVersionResource& resource, const ObjectKey& key) const;
  /// All objects, or those of one namespace, in key order.
  Result<std::vector<Unstructured>> list(const meta::GroupVersionResource& resource,
                                         std::string_view namespace_ = {}) const;

  /// Puts an object as it is, status included, over an existing one if there is one. One without a
  /// status gets what a new object gets, such as a phase; a namespace gets its finalizer and label
  /// in any case. The items of a List are loaded one by one. The namespace is made when it is
  /// missing. Returns the number of objects. A uid is kept; a resourceVersion is not. An object
  /// without a name but with a generateName gets a name as from a POST, so that loading it again
  /// makes another object. Fields that a kind does not have are dropped, and told to
  /// Options::load_warning.
  Result<std::size_t> load(const Unstructured& object);
  ///
  /// The next three load many objects: definitions of resources first, then namespaces, then the
  /// rest, whatever order they are written in. An object that is there twice is an error, found
  /// before any is loaded; on other errors, a part of the objects is loaded. Errors name file and
  /// document.
  /// All JSON or YAML documents of a text.
  Result<std::size_t> load_text(std::string_view text);
  /// A file, or all .json, .yaml and .yml files of a folder; what is named like one there and is no
  /// regular file is skipped, with an Options::load_warning.
  /// @par Blocks   On a pipe until its end, or until asked to stop: Cancelled, and nothing is
  /// loaded.
  Result<std::size_t> load_path(const std::filesystem::path& path, std::stop_token stop = {});
  /// Several of them as one.
  Result<std::size_t> load_paths(std::span<const std::filesystem::path> paths,
                                 std::stop_token stop = {});

  /// The revision of the last write.
  std::uint64_t resource_version() const;

  /// Forgets the history up to a revision, as a compaction of etcd does: watches, exact lists and
  /// continue tokens from before it get 410. Open watches that have had these events go on.
  void compact(std::uint64_t revision);
  void compact_all();

  /// Cuts all connections without a goodbye, in the middle of whatever they were sending.
  void drop_connections();
  /// Ends all watches cleanly, as a server does whose watch timeout is over.
  void end_watches();
  /// Answers the next requests for resources with 429 and Retry-After, as an overloaded server
  /// does.
  void overload(std::size_t requests, std::chrono::seconds retry_after);

  Statistics statistics() const;

  /// Stops accepting, ends watches cleanly, lets answers in progress finish, joins the threads.
  /// Idempotent. The destructor calls it.
  /// @par Blocks   For Options::stop_timeout at most; then connections are cut.
  void stop();

 private:
  struct Impl;
  explicit ApiServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kube::apiserver
