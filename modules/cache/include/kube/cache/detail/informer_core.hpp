// SPDX-License-Identifier: Apache-2.0
//
// kube::cache::InformerCore: the implementation of SharedInformer<T>, which works on cells and so
// is compiled once for all types.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/base/runtime.hpp>
#include <kube/cache/detail/cell.hpp>
#include <kube/cache/detail/delta.hpp>
#include <kube/cache/detail/freshness.hpp>
#include <kube/cache/detail/store.hpp>
#include <kube/cache/handler_registration.hpp>
#include <kube/cache/informer_options.hpp>
#include <kube/cache/informer_status.hpp>
#include <kube/client/rest_client.hpp>
#include <kube/names/group_version.hpp>

namespace kube::cache {

class ListerWatcher;
class StoreObserver;

/// A handler of what the store has applied: Added, Updated or Deleted. Not empty.
using CellHandler = std::function<void(const Delta& change)>;

/// Makes the cell to store from the cell that arrived.
using CellTransform = std::function<Result<CellRef>(const CellRef&)>;

/// The properties of the type of the objects.
struct InformerType {
  const CellType& cell_type;
  /// Objects need apiVersion and kind themselves; lists have them once for all items.
  bool self_describing = false;
  Encoding preferred = Encoding::Json;  ///< The best encoding of the type.
  ResponseForm form = ResponseForm::Object;
};

/// SharedInformer<T> documents the functions.
/// @par Thread safety   All functions may be called from any thread.
class InformerCore {
 public:
  InformerCore(const RestClient& client, const meta::ResourceInfo& resource,
               const InformerOptions& options, InformerType type);
  /// Uses a source other than an API server.
  InformerCore(Runtime runtime, std::shared_ptr<ListerWatcher> source, meta::ResourceInfo resource,
               const InformerOptions& options, InformerType type);
  ~InformerCore();
  InformerCore(const InformerCore&) = delete;
  InformerCore& operator=(const InformerCore&) = delete;

  HandlerRegistration add_event_handler(CellHandler handler, HandlerOptions options);
  /// @par Errors   As the functions of SharedInformer<T>.
  Result<void> add_indexes(std::map<std::string, CellIndexFunc> functions);
  Result<void> set_transform(CellTransform transform);
  Result<void> set_watch_error_handler(std::function<void(const Error&)> handler);
  Result<void> set_condition_handler(
      std::function<void(InformerCondition, const Optional<Error>&)> handler);
  Result<void> start();
  void stop();
  void stop_and_wait();

  bool is_stopped() const;
  /// Returns a token that stop() requests, after is_stopped() holds.
  std::stop_token stop_token() const;
  bool has_synced() const;
  bool wait_for_sync(std::stop_token stop) const;
  void on_synced(std::function<void()> done);
  bool has_version(std::string_view resource_version) const;
  /// @par Errors   As SharedInformer::wait_for().
  Result<void> wait_for(std::string_view resource_version, Duration timeout,
                        std::stop_token stop) const;
  void on_version(std::string resource_version, std::function<void()> done,
                  const std::shared_ptr<const void>& owner) const;
  /// Has the log warn when the informer is not started.
  void expect_start() const;

  void add_store_observer(const std::shared_ptr<StoreObserver>& observer);
  /// The time since the server was last heard of; empty before the first time.
  std::optional<Duration> age() const;
  /// The namespace of the objects; "" for all.
  const std::string& scope() const;

  const std::shared_ptr<const Store>& store() const;
  std::shared_ptr<const Freshness> freshness() const;
  const meta::ResourceInfo& resource() const;
  InformerStatus status() const;

  struct Impl;

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace kube::cache
