// SPDX-License-Identifier: Apache-2.0
//
// What the admission plugins that kube-apiserver has on by default add to objects. Not here:
// ServiceAccount, LimitRanger, ResourceQuota, PodSecurity, webhooks and policies.
#pragma once

#include <kube/base/result.hpp>
#include <kube/json/value.hpp>

#include "names/serving_names.hpp"
#include "objects/object_rules.hpp"
#include "storage/store.hpp"

namespace kube::apiserver {

/// Adds to an object what other objects and the rules of a cluster say: classes and their values,
/// tolerations, finalizers, taints. A loaded object is never refused.
/// @par Errors   A 403 for an object that names a class that does not exist, or contradicts it.
Result<void> admit(const Write& write, Store& store, json::Value& object);

/// What plugins check when the object is known to be valid.
/// @par Errors   A 403 for a pod with an overhead that no class of it has, and for a claim that
///               grows and whose class does not let it.
Result<void> admit_valid(const Write& write, Store& store, json::Value& object);

}  // namespace kube::apiserver
