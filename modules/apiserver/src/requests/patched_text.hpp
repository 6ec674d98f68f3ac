// SPDX-License-Identifier: Apache-2.0
//
// How errors show what a patch has made.
#pragma once

#include <kube/json/value.hpp>

#include "requests/patching.hpp"
#include "resources/resource.hpp"

namespace kube::apiserver {

/// Returns the result of a JSON or merge patch, which can be applied, with its members in the order
/// of the reference server: sorted where the patch has gone into an object, as the type writes them
/// elsewhere.
json::Value shown_result(const Resource& resource, PatchFormat format, const json::Value& current,
                         const json::Value& patch);

/// Returns a strategic merge patch as the reference server shows it after it was applied: what it
/// has put in the place of nothing has lost its nulls.
json::Value shown_patch(const json::Value& current, const json::Value& patch);

}  // namespace kube::apiserver
