// SPDX-License-Identifier: Apache-2.0
//
// How an informer is doing, for health checks and people.
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
  BackingOff,  ///< Waiting before the next try.
  Stopped,
};
/// "NotStarted", "Listing", ...
std::string_view to_string(InformerState state);

struct HandlerStatus {
  std::string name{};
  bool synced = false;          ///< Has been told of the whole initial state.
  std::size_t pending = 0;      ///< Notifications that wait for the handler.
  std::uint64_t delivered = 0;  ///< Notifications handed to it.
  std::uint64_t failures = 0;   ///< Of these, calls that threw.
};

/// A snapshot; its parts were read one after the other.
struct InformerStatus {
  InformerState state = InformerState::NotStarted;
  bool synced = false;
  std::size_t objects = 0;
  std::size_t bytes = 0;  ///< Of the objects' cells.
  /// The version that the store has reached.
  std::string last_sync_resource_version{};
  /// Why the last list or watch failed, or broke off; empty again once a whole list has come or a
  /// watch was accepted. Otherwise, until the next whole list, why an object was refused that the
  /// cache lacks now. Of an informer that is used and that nobody has started: that.
  Optional<Error> last_error{};
  /// Since the server last sent a byte; empty before the first one.
  std::optional<Duration> since_proof_of_life{};
  std::uint64_t lists = 0;    ///< Whole initial states received, relists included.
  std::uint64_t watches = 0;  ///< Watches the server has accepted.
  std::uint64_t events = 0;   ///< Watch events received.
  /// Objects that were refused, by a transform or because no cache can hold them (a name that no
  /// path can have, metadata that can't be read), and index functions that failed. The log has a
  /// line of the first ten, and then of one each ten seconds.
  std::uint64_t processing_errors = 0;
  std::vector<HandlerStatus> handlers{};
};

}  // namespace kube
