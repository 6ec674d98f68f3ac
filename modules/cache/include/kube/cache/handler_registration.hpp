// SPDX-License-Identifier: Apache-2.0
//
// kube::HandlerRegistration: a handler's place at an informer.
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

/// Movable; the destructor does unregister_and_wait(), so that what the handler uses may be
/// destroyed next. May outlive the informer and its client: it keeps no thread of theirs, nor the
/// handler, only what its own functions answer.
///
/// @par Thread safety   All functions may be called from any thread, the handler's own included.
class HandlerRegistration {
 public:
  HandlerRegistration() noexcept = default;  ///< Of nothing.
  HandlerRegistration(HandlerRegistration&& other) noexcept = default;
  HandlerRegistration& operator=(HandlerRegistration&& other) noexcept;
  ~HandlerRegistration() { unregister_and_wait(); }

  /// No call of the handler starts any more; one under way may still run. What waits for it is
  /// dropped. Idempotent.
  void unregister();
  /// Also waits until the call under way has returned, so that what it uses may be destroyed.
  /// @par Blocks   For that long; inside a call of the handler itself it does not wait. Not under a
  ///   lock that the handler takes, nor inside another handler if that may be waited for in its
  ///   turn: two handlers that do this to each other wait for ever. Handlers take unregister().
  void unregister_and_wait();

  /// The handler has been told of the informer's whole initial state (or of what the store held
  /// when it was added to a synced informer). Stays true.
  bool has_synced() const;
  /// @par Blocks   Until has_synced() (true); or stop was requested, the handler was unregistered
  ///   or the informer stopped (false).
  bool wait_for_sync(std::stop_token stop) const;

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
