// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::ReflectorCore: the implementation of Reflector<T>, which works on cells and so is
// compiled once for all types.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/cache/detail/delta.hpp>
#include <kube/cache/detail/informer_core.hpp>
#include <kube/cache/informer_options.hpp>
#include <kube/cache/informer_status.hpp>
#include <kube/names/group_version.hpp>
#include <kube/names/object_key.hpp>

namespace kube {

namespace cache {

class ListerWatcher;

/// ReflectorStore<T> on cells.
/// @par Thread safety   One call at a time.
class CellReceiver {
 public:
  virtual ~CellReceiver() = default;
  /// @par Errors   As those of ReflectorStore<T>.
  virtual Result<void> apply(const Delta& change) = 0;
  virtual Result<void> replace(std::vector<CellRef> objects, std::string_view version) = 0;
  virtual Result<void> resync() = 0;
  virtual CellRef known(const ObjectKey& names) const = 0;
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
