// SPDX-License-Identifier: Apache-2.0
//
// kube::HandlerRegistration: the registration of a handler at an informer.
#pragma once

#include <memory>
#include <stop_token>

#include <kube/cache/informer_status.hpp>

namespace kube {

namespace cache {
class HandlerRecord;
class InformerCore;
class Listener;
}  // namespace cache

/// Movable. The destructor calls unregister_and_wait(), so that the objects that the handler uses
/// may be destroyed next. It may outlive the informer and its client: it keeps neither their
/// threads nor the handler alive.
///
/// @par Thread safety   All functions may be called from any thread, the handler's own included.
class HandlerRegistration {
 public:
  HandlerRegistration() noexcept = default;  ///< Registers nothing.
  HandlerRegistration(HandlerRegistration&& other) noexcept = default;
  HandlerRegistration& operator=(HandlerRegistration&& other) noexcept;
  ~HandlerRegistration() { unregister_and_wait(); }

  /// After this, no call of the handler starts; one that has started may still run. Pending
  /// notifications are dropped. Idempotent.
  void unregister();
  /// Like unregister(), and waits until the running call has returned, so that the objects that it
  /// uses may be destroyed.
  /// @par Blocks   Until that call returns; does not wait inside a call of the handler itself. Do
  ///   not call it with a lock that the handler takes, nor inside another handler: two handlers
  ///   that wait for each other never end. Use unregister() in handlers.
  void unregister_and_wait();

  /// Whether the handler has received the informer's whole initial state (or the objects that the
  /// store had when the handler was added to a synced informer). Stays true.
  bool has_synced() const;
  /// @par Blocks   Until has_synced() (true); or until `stop` is requested, the handler is
  ///   unregistered or the informer stops (false). Where it would wait for itself, in the handler
  ///   and where SharedInformer::wait_for_sync() would, it returns false at once and the log has an
  ///   error.
  bool wait_for_sync(std::stop_token stop = {}) const;

  HandlerStatus status() const;

 private:
  friend class cache::InformerCore;
  HandlerRegistration(std::weak_ptr<void> informer,
                      const std::shared_ptr<cache::Listener>& listener);

  std::weak_ptr<void> informer_;  ///< The informer's implementation.
  std::weak_ptr<cache::Listener> listener_;
  std::shared_ptr<cache::HandlerRecord> record_;
};

}  // namespace kube
