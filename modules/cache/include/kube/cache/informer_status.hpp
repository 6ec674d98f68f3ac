// SPDX-License-Identifier: Apache-2.0
//
// kube::InformerStatus: the state of an informer, for health checks and users.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/clock.hpp>
#include <kube/base/error.hpp>
#include <kube/base/optional.hpp>

namespace kube {

enum class InformerState {
  NotStarted,
  Listing,
  Watching,
  BackingOff,  ///< Waiting before the next attempt.
  Stopped,
};
/// "NotStarted", "Listing", ...
std::string_view to_string(InformerState state);

/// How the server answers the lists and watches of an informer. It changes with the answers, not
/// with a watch that breaks off and is opened again at once.
enum class InformerCondition {
  Unknown,    ///< Nothing was answered yet.
  Healthy,    ///< The last watch was accepted.
  Missing,    ///< 404: the server does not serve the resource. Its CRD is not installed, or gone.
  Forbidden,  ///< 403: the permission to list or watch is missing, or lost.
  Unauthorized,  ///< 401, or credentials that can't be read.
  Unreachable,   ///< No answer.
  Failing,       ///< Any other error.
};
/// "Unknown", "Healthy", ...
std::string_view to_string(InformerCondition condition);

struct HandlerStatus {
  std::string name{};
  bool synced = false;          ///< Has received the whole initial state.
  std::size_t pending = 0;      ///< Notifications that are not delivered yet.
  Duration lag{0};              ///< The age of the oldest of them; 0 when there is none.
  std::uint64_t delivered = 0;  ///< Notifications that were delivered.
  std::uint64_t failures = 0;   ///< Delivered notifications for which it threw.
  bool fell_behind = false;     ///< It is called no more: HandlerOverflow::Unregister.
  bool merges = false;          ///< New notifications are merged now (HandlerOptions::delivery).
  std::uint64_t merged = 0;     ///< Notifications that were merged into others, or cancelled out.
  std::uint64_t overflows = 0;  ///< How often HandlerOptions::max_pending was exceeded.
};

/// InformerStatus::refused_objects has at most this many.
inline constexpr std::size_t kMaxRefusedNames = 200;

/// An object whose newest state the cache refused.
struct RefusedObject {
  std::string key;  ///< "namespace/name" or "name".
  Error error;      ///< Why.
};

/// A snapshot; its parts are read one after the other.
struct InformerStatus {
  InformerState state = InformerState::NotStarted;
  InformerCondition condition = InformerCondition::Unknown;
  /// NotStarted is what it should be: its first use starts it
  /// (InformerOptions::start_on_first_use).
  bool awaits_first_use = false;
  bool synced = false;
  std::size_t objects = 0;
  std::size_t bytes = 0;  ///< The memory of the objects.
  /// The resourceVersion that the store has reached.
  std::string last_sync_resource_version{};
  /// Why the last list or watch failed or broke off; empty after a complete list or an accepted
  /// watch. Otherwise, until the next complete list, why an object was refused that the cache now
  /// lacks; or that the informer is used but was not started.
  Optional<Error> last_error{};
  /// How stale the cache may be: the time since the server last sent a byte, or, while what it sent
  /// waits for the informer (a transform or an index function takes long), since it sent that;
  /// since start() before the first byte; empty before start(). Servers send a bookmark about
  /// once a minute.
  std::optional<Duration> since_proof_of_life{};
  /// While an initial state is received: the objects that have come, and how many there will be, if
  /// the server has said so (a list in pages). Otherwise 0 and empty.
  std::size_t received = 0;
  std::optional<std::size_t> expected{};
  /// Set when the initial state was that of InformerOptions::state_dir: its age at the start.
  std::optional<Duration> resumed{};
  std::uint64_t lists = 0;    ///< Complete initial states received, relists included.
  std::uint64_t watches = 0;  ///< Watches the server has accepted.
  std::uint64_t events = 0;   ///< Watch events received.
  /// Objects that were refused, by a transform or because no cache can store them (a name that
  /// can't be in a path, metadata that can't be read), and index functions that failed.
  std::uint64_t processing_errors = 0;
  /// The objects whose newest state was refused: of these the cache has an older state, or nothing.
  /// An object leaves with a state that is accepted, with its deletion, and with a list without it.
  /// Objects whose name can't be read or can't be in a path are not counted here; a Reflector
  /// counts none.
  std::size_t refused = 0;
  /// These by key, kMaxRefusedNames at most; others take the places of those that leave. The log
  /// names each once, up to 200 in a line. Of more than 2,000, the others are counted alone, here
  /// and in the log, and named when there is a place and they are refused again.
  std::vector<RefusedObject> refused_objects{};
  std::vector<HandlerStatus> handlers{};
};

}  // namespace kube
