// SPDX-License-Identifier: Apache-2.0
//
// The options of an informer and of its handlers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

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
  /// The number of objects per page of a list. 0: 500, or one page where a limit would bypass the
  /// server's cache.
  std::int64_t page_size = 0;
  /// The maximum total size of the objects of one list (or streamed initial state); a larger one
  /// fails, and its objects are freed. The default is more than etcd stores by default. 0: no
  /// limit.
  std::size_t max_list_bytes = std::size_t{8} << 30;
  std::chrono::milliseconds watch_idle_timeout{
      90'000};  ///< A watch without a byte for this long is reopened; 0: never.
  /// Requests the initial state as a stream of events instead of a list (Kubernetes 1.34 and
  /// later). When the server does not support it, or the stream does not end in time, a list
  /// follows.
  bool watch_list = false;
};

/// The options of one handler.
struct HandlerOptions {
  /// How often every object is delivered again, at least one second. Unset: the informer's period.
  /// Never more often than the informer's period, and never when that is 0.
  std::optional<std::chrono::milliseconds> resync_period{};
  std::string name{};  ///< For logs, metrics and InformerStatus; empty: "handler-<n>".
};

}  // namespace kube
