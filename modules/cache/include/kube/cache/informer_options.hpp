// SPDX-License-Identifier: Apache-2.0
//
// The options of an informer, of its handlers, and of a reflector. src/option_fields.hpp lists them
// once more, for all that compares or copies them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <kube/base/backoff.hpp>
#include <kube/config/environment.hpp>

namespace kube {

namespace cache {

/// How a cache stores its objects.
enum class StoragePolicy : std::uint8_t {
  Wire,     ///< The bytes as received, decoded while a Cached<T> uses them.
  Decoded,  ///< The decoded object, without the bytes.
};

}  // namespace cache

/// Which objects an informer stores, and how.
struct InformerOptions {
  std::string namespace_{};  ///< Empty: all namespaces.
  std::string label_selector{};
  std::string field_selector{};
  /// Requests protobuf, and stores it, when the type supports it and the client's configuration
  /// does not say otherwise. A response in JSON is accepted as well.
  bool protobuf = true;
  /// How often every object is delivered again to handlers without a period of their own; 0: never,
  /// to no handler.
  std::chrono::milliseconds resync_period{0};
  cache::StoragePolicy storage = cache::StoragePolicy::Wire;
  /// The paths of fields and subtrees that are left out of objects before anything else sees them
  /// (a transform, the store, indexes, selectors, handlers), without decoding them:
  /// "metadata.managedFields", "metadata.annotations['a.example.com/b']",
  /// "spec.containers[*].env" (kube/codec/field_dropper.hpp). Read such objects only: an update()
  /// that sends one back removes the fields, except managedFields, from the server's object. Fields
  /// of Unstructured outside of metadata can't be looked up, so a wrong path drops nothing there.
  /// Servers send these fields nevertheless: kube-apiserver 1.37 has no option to leave any out.
  /// @par Errors   Of start(): InvalidArgument, naming a field that the type does not have, or one
  ///   that the cache needs. The informer has then stopped.
  std::vector<std::string> drop_fields{};
  /// The number of objects per page of a list. 0: 500, or one page where a limit would bypass the
  /// server's cache.
  std::int64_t page_size = 0;
  /// The maximum total size of the objects of one list (or streamed initial state), refused ones
  /// included; a larger one fails, and its objects are freed. The default is more than etcd stores
  /// by default. 0: no limit.
  std::size_t max_list_bytes = std::size_t{8} << 30;
  std::chrono::milliseconds watch_idle_timeout{
      90'000};  ///< A watch without a byte for this long is reopened; 0: never.
  /// Requests the initial state as a stream of events, which then continues as the watch, instead
  /// of a list (Kubernetes 1.34 and later). A list follows when the server refuses, when the stream
  /// ends within a second without an event, when it is silent for ten seconds before the end of the
  /// initial state, or when it has not reached that end after three minutes or three streams.
  /// Unless it was a refusal that may pass (a 500), the source is then listed for an hour, before
  /// it is asked for a stream again.
  bool watch_list = true;
  /// Lists again what a stream, or a list from the server's cache, has brought, exactly at that
  /// version, and reports differences to the log and the watch error handler: for tests of servers.
  /// It costs another list of everything. See inconsistency_detector_enabled().
  bool detect_inconsistency = false;
  /// Starts the informer by its first use instead of start(): a lister(), an indexer(), a handler,
  /// has_synced() or a wait. Set transform and error handlers before. start() may still be called
  /// first.
  bool start_on_first_use = false;
  /// A folder in which the informer keeps its state for the next run of the program; empty: none.
  /// The next start() resumes: it watches from the version of that state, without a list, and lists
  /// only if the server no longer has the version. The objects become visible, and handlers get
  /// them as the initial list, when the server has accepted the watch: has sent an event, or no
  /// error for a second. So the cache is never older than that of an informer that lists.
  ///
  /// The file, RESOURCE.VERSION.GROUP@NAMESPACE.state, of mode 0600, is replaced in one step, by
  /// stop_and_wait() and the destructor (not inside a callback of the informer), and while the
  /// informer runs every `state_save_period` if something has changed. A state of another server,
  /// CA, selector, list of drop_fields or encoding, and a file that is damaged, is reported in the
  /// log and not used. While a list or watch has refused objects, no state is kept. A folder is for
  /// one process at a time. Another cluster at the same address is recognized by its CA; without
  /// TLS, or when a cluster is put back to an earlier state, a server may accept the version of a
  /// state that it never had, as it may for any watch.
  /// @par Cost   All objects are written, without a lock and without a copy of them, on a thread of
  ///   Runtime::handlers or on that of stop_and_wait().
  /// @par Errors   Of start(): InvalidArgument with a transform or StoragePolicy::Decoded.
  std::string state_dir{};
  /// Up to half as much is added, so that informers do not write at once. 0: only at the end.
  std::chrono::milliseconds state_save_period{300'000};
};

/// How a reflector lists, watches and tries again.
struct ReflectorOptions {
  /// For logs, metrics and errors; empty: what the source lists and watches.
  std::string name{};
  cache::StoragePolicy storage = cache::StoragePolicy::Wire;
  /// How often ReflectorStore::resync() is called while watching; 0: never.
  std::chrono::milliseconds resync_period{0};
  /// As those of InformerOptions.
  std::vector<std::string> drop_fields{};
  std::int64_t page_size = 0;
  std::size_t max_list_bytes = std::size_t{8} << 30;
  std::chrono::milliseconds watch_idle_timeout{90'000};
  bool watch_list = true;
  bool detect_inconsistency = false;
  /// A watch is requested for at least this time, at least for five minutes, and at most for twice
  /// as long.
  std::chrono::seconds min_watch_timeout{300};
  /// The pauses between cycles, and before a watch that was refused. They start over every two
  /// minutes.
  Backoff::Options backoff{};
  /// How long watches that end with an internal error (500) are followed by a watch of the same
  /// version, instead of a list. 0: not at all.
  std::chrono::milliseconds max_internal_error_retry{0};
};

/// Which changes a handler receives when it is slower than they come.
enum class HandlerDelivery : std::uint8_t {
  EveryEvent,  ///< Each one, as client-go does.
  /// The latest state of each object: a change is merged with the one of the same object that is
  /// not delivered yet, so that at most two notifications of an object wait, besides
  /// 64 of all objects that were about to be delivered.
  ///  - An update after an add is an add of the new object, still in the initial list if it was.
  ///  - An update after an update has the old object of the first, which the handler knows, and the
  ///    new object of the second.
  ///  - A deletion after an add cancels both: the handler never hears of the object.
  ///  - A deletion after an update is the deletion.
  ///  - An add after a deletion follows it: both are delivered, so that the deletion of an object
  ///    that was created again is never missed. (A relist that finds it so reports an update.)
  /// A merged notification keeps the place of the first one, so the order of each object holds, and
  /// the handler has synced as always, after all adds of the initial list.
  LatestState,
};

/// What happens to a handler for which more than HandlerOptions::max_pending notifications wait.
enum class HandlerOverflow : std::uint8_t {
  /// Those that wait and those that follow are merged, as with HandlerDelivery::LatestState, until
  /// the handler has caught up: what waits is bounded by the number of objects.
  LatestState,
  /// The handler is called no more, as after HandlerRegistration::unregister(): for one that must
  /// have every event, and rather ends than holds the memory. HandlerStatus::fell_behind says so,
  /// check_health() fails, and the log has an error. Added anew, it gets the cache as adds, and
  /// never hears what was deleted in between.
  Unregister,
};

/// Whether the environment variable KUBE_WATCHLIST_INCONSISTENCY_DETECTOR is true, which turns
/// client-go's detector on: `{.detect_inconsistency = inconsistency_detector_enabled()}`.
/// @par Thread safety   Any thread.
bool inconsistency_detector_enabled(
    const rest::Environment& environment = rest::process_environment());

/// The options of one handler.
struct HandlerOptions {
  /// How often every object is delivered again, at least one second. Unset: the informer's period.
  /// Never more often than the informer's period, and never when that is 0.
  std::optional<std::chrono::milliseconds> resync_period{};
  std::string name{};  ///< For logs, metrics and InformerStatus; empty: "handler-<n>".
  HandlerDelivery delivery = HandlerDelivery::EveryEvent;
  /// The maximum number of notifications that wait; 0: none. The adds of the initial state, and the
  /// updates of unchanged objects by a relist or a resync, are not counted: a cache brings them at
  /// any speed. When there are more, `overflow` says what follows. Each time is counted in
  /// HandlerStatus::overflows and a metric, and logged, at most once a minute. With
  /// HandlerDelivery::LatestState it is not used.
  std::size_t max_pending = 0;
  HandlerOverflow overflow = HandlerOverflow::LatestState;
  /// Called once, from the executor of the client, when HandlerOverflow::Unregister has ended the
  /// handler.
  std::function<void()> on_fell_behind{};
};

}  // namespace kube
