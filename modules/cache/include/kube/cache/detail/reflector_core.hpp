// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::ReflectorCore: the implementation of Reflector<T>, which works on cells and so is
// compiled once for all types.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/backoff.hpp>
#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/cache/detail/informer_core.hpp>
#include <kube/cache/informer_options.hpp>
#include <kube/cache/informer_status.hpp>
#include <kube/names/group_version.hpp>

namespace kube {

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

namespace cache {

class ListerWatcher;

/// ReflectorStore<T> on cells.
/// @par Thread safety   One call at a time.
class CellReceiver {
 public:
  virtual ~CellReceiver() = default;
  /// @par Errors   As those of ReflectorStore<T>.
  virtual Result<void> add(const CellRef& object) = 0;
  virtual Result<void> update(const CellRef& object) = 0;
  virtual Result<void> remove(const CellRef& object) = 0;
  virtual Result<void> replace(std::vector<CellRef> objects, std::string_view version) = 0;
  virtual Result<void> resync() = 0;
  virtual Result<void> bookmark(std::string_view version) = 0;
};

/// Reflector<T> documents the functions.
/// @par Thread safety   All functions may be called from any thread.
class ReflectorCore {
 public:
  ReflectorCore(Runtime runtime, std::shared_ptr<ListerWatcher> source,
                const meta::ResourceInfo& resource, const ReflectorOptions& options,
                InformerType type, std::unique_ptr<CellReceiver> store);
  ~ReflectorCore();
  ReflectorCore(const ReflectorCore&) = delete;
  ReflectorCore& operator=(const ReflectorCore&) = delete;

  /// @par Errors   As the functions of Reflector<T>.
  Result<void> set_watch_error_handler(std::function<void(const Error&)> handler);
  Result<void> set_condition_handler(
      std::function<void(InformerCondition, const Optional<Error>&)> handler);
  Result<void> start();
  void stop();
  void stop_and_wait();

  bool has_synced() const;
  bool wait_for_sync(std::stop_token stop) const;
  bool is_started() const;
  std::string name() const;
  std::string last_sync_resource_version() const;
  bool is_last_sync_resource_version_unavailable() const;
  InformerStatus status() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace cache
}  // namespace kube
