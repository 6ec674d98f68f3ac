// SPDX-License-Identifier: Apache-2.0
//
// What an informer holds and how, and how a handler wants to hear of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <kube/cache/cell.hpp>

namespace kube {

/// What to hold, and how.
struct InformerOptions {
  std::string namespace_{};  ///< Empty: all.
  std::string label_selector{};
  std::string field_selector{};
  /// Asks for protobuf, and holds it, when the type has it and the client's configuration does not
  /// say otherwise. What a server answers in JSON is taken as well.
  bool protobuf = true;
  /// How often handlers that do not say otherwise hear of every object again; 0: never, for none of
  /// the informer's handlers.
  std::chrono::milliseconds resync_period{0};
  cache::StoragePolicy storage = cache::StoragePolicy::Wire;
  /// Objects a page of the list. 0: 500, or one page where a limit would bypass the server's cache.
  std::int64_t page_size = 0;
  /// Bytes of objects that one list (or streamed initial state) may bring; one that brings more has
  /// failed, and what came of it is freed. More than etcd holds by default. 0: no bound.
  std::size_t max_list_bytes = std::size_t{8} << 30;
  std::chrono::milliseconds watch_idle_timeout{90'000};  ///< A silent watch is reopened; 0: never.
  /// Gets the initial state as a stream of events instead of a list (Kubernetes 1.34 and later).
  /// Servers that cannot, and streams that do not end in time, are answered with a list.
  bool watch_list = false;
};

/// How one handler is served.
struct HandlerOptions {
  /// How often to hear of every object again, at least one second. Unset: as the informer. Never
  /// more often than the informer's own period, and never if that is 0.
  std::optional<std::chrono::milliseconds> resync_period{};
  std::string name{};  ///< In logs, metrics and InformerStatus; empty: "handler-<n>".
};

}  // namespace kube
