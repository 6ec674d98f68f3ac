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

struct HandlerStatus {
  std::string name{};
  bool synced = false;          ///< Has received the whole initial state.
  std::size_t pending = 0;      ///< Notifications that are not delivered yet.
  std::uint64_t delivered = 0;  ///< Notifications that were delivered.
  std::uint64_t failures = 0;   ///< Delivered notifications for which it threw.
};

/// A snapshot; its parts are read one after the other.
struct InformerStatus {
  InformerState state = InformerState::NotStarted;
  bool synced = false;
  std::size_t objects = 0;
  std::size_t bytes = 0;  ///< The memory of the objects.
  /// The resourceVersion that the store has reached.
  std::string last_sync_resource_version{};
  /// Why the last list or watch failed or broke off; empty after a complete list or an accepted
  /// watch. Otherwise, until the next complete list, why an object was refused that the cache now
  /// lacks; or that the informer is used but was not started.
  Optional<Error> last_error{};
  /// The time since the server last sent a byte; empty before the first one.
  std::optional<Duration> since_proof_of_life{};
  std::uint64_t lists = 0;    ///< Complete initial states received, relists included.
  std::uint64_t watches = 0;  ///< Watches the server has accepted.
  std::uint64_t events = 0;   ///< Watch events received.
  /// Objects that were refused, by a transform or because no cache can store them (a name that
  /// can't be in a path, metadata that can't be read), and index functions that failed. The first
  /// ten are logged, and then one every ten seconds.
  std::uint64_t processing_errors = 0;
  std::vector<HandlerStatus> handlers{};
};

}  // namespace kube
