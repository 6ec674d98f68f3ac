// SPDX-License-Identifier: Apache-2.0
//
// What the reconciles of one controller have seen.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <kube/controller/controller.hpp>
#include <kube/simulation/simulation.hpp>

#include "journal.hpp"
#include "truth.hpp"

namespace kube::testing {

/// @par Thread safety   reconcile(): any thread. unrest(): with the lock of the rules held.
class Reconciles {
 public:
  using Lock = std::function<std::unique_lock<std::mutex>()>;
  /// `informer`: which; `version`: that of an object in its cache, "" for none. `lock`: that of the
  /// rules.
  Reconciles(Journal& journal, const void* informer, std::string resource,
             std::function<std::string(const ObjectKey&)> version, Lock lock)
      : journal_(journal),
        informer_(informer),
        resource_(std::move(resource)),
        version_(std::move(version)),
        lock_(std::move(lock)) {}

  Result<ReconcileResult> reconcile(const Reconciler& reconciler, const ReconcileRequest& request,
                                    std::stop_token stop);
  /// Returns which key has not seen its final state, or "": that of the server, if a witness says
  /// which objects the informer selects; else that of the cache.
  std::string unrest(const Truth& truth, const ObservedInformer::Witness* witness) const;
  const void* informer() const { return informer_; }

 private:
  struct State {
    ObjectKey key{};
    bool in_hands = false;
    bool succeeded = false;
    std::string version{};
  };

  Journal& journal_;
  const void* const informer_;
  const std::string resource_;
  const std::function<std::string(const ObjectKey&)> version_;
  const Lock lock_;
  std::map<std::string, State> keys_;
};

/// Returns the reconciler, checked.
Reconciler watched_reconciler(std::shared_ptr<Reconciles> reconciles, Reconciler reconcile);

}  // namespace kube::testing
