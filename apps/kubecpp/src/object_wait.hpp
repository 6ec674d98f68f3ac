// SPDX-License-Identifier: Apache-2.0
//
// Waits for the state of an object, by a watch from the version that was listed.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include <kube/base/executor.hpp>
#include <kube/base/result.hpp>
#include <kube/base/stop.hpp>
#include <kube/client/api.hpp>
#include <kube/codec/unstructured.hpp>

#include "selection.hpp"

namespace kubecpp {

/// A stop token that also stops when a time has passed.
///
/// @par Thread safety   All functions may be called from any thread.
class TimeLimit {
 public:
  /// Starts the time; kube::Duration::max() is no limit.
  TimeLimit(const kube::Client& client, kube::Duration limit, std::stop_token stop);

  std::stop_token token() const { return ended_.token(); }
  /// Whether the time, rather than the user, has ended it.
  bool is_over() const { return late_->stop_requested() && !stop_.stop_requested(); }

 private:
  const std::stop_token stop_;
  const std::shared_ptr<std::stop_source> late_ = std::make_shared<std::stop_source>();
  kube::StopGroup ended_;
  kube::Timer timer_;
};

/// Returns whether the wait is over. The object is null when it does not exist.
using ObjectCheck = std::function<kube::Result<bool>(const kube::Unstructured* object)>;

/// Reads the object, then watches it until `check` returns true. Goes on when a connection ends or
/// the version of the watch is too old.
/// @par Errors   That of `check`; those of a list or watch; Timeout, "timed out waiting for the
///   condition", when the limit is over; Cancelled.
/// @par Blocks   Until then.
kube::Result<void> wait_for_object(const Cluster& cluster, const SelectedObject& object,
                                   const ObjectCheck& check, const TimeLimit& limit);

/// Adds " on pods/web" to the error of a wait whose time is over.
kube::Result<void> named_timeout(kube::Result<void> result, const SelectedObject& object);

}  // namespace kubecpp
