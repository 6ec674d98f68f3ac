// SPDX-License-Identifier: Apache-2.0
//
// Hides the values of Secrets in what is printed, as kubectl diff does.
#pragma once

#include <kube/json/value.hpp>

namespace kubecpp {

/// Returns whether the object is a Secret, of any group's v1 as in kubectl.
bool is_secret(const kube::json::Value& object);

/// Replaces the values of Secrets: by `***`, or by `*** (before)` and `*** (after)` where both have
/// a value and they differ. The annotation of the last applied configuration, which repeats them,
/// is one of these values; kubectl prints it. Null is no object.
void mask_secrets(kube::json::Value& before, kube::json::Value& after);

}  // namespace kubecpp
