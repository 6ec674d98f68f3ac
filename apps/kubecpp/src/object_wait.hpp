// SPDX-License-Identifier: Apache-2.0
//
// Waits for the state of an object, by a watch from the version that was listed.
#pragma once

#include <functional>

#include <kube/base/result.hpp>
#include <kube/base/time_limit.hpp>
#include <kube/codec/unstructured.hpp>

#include "selection.hpp"

namespace kubecpp {

using kube::TimeLimit;

/// Returns whether the wait is over. The object is null when it does not exist.
using ObjectCheck = std::function<kube::Result<bool>(const kube::Unstructured* object)>;

/// kube::wait_until() with kubectl's words.
/// @par Errors   That of `check`; those of kube::wait_until(); Timeout, "timed out waiting for the
///   condition", when the limit is over; Cancelled.
/// @par Blocks   Until then.
kube::Result<void> wait_for_object(const Cluster& cluster, const SelectedObject& object,
                                   const ObjectCheck& check, const TimeLimit& limit);

/// Adds " on pods/web" to the error of a wait whose time is over.
kube::Result<void> named_timeout(kube::Result<void> result, const SelectedObject& object);

}  // namespace kubecpp
