// SPDX-License-Identifier: Apache-2.0
//
// How far the rollout of a deployment, daemon set or stateful set is, in kubectl's words.
#pragma once

#include <cstdint>
#include <string>

#include <kube/base/result.hpp>
#include <kube/codec/unstructured.hpp>
#include <kube/names/group_version.hpp>

namespace kubecpp {

/// Returns whether objects of the kind are rolled out; versions do not matter.
bool has_rollout(const kube::meta::ResourceInfo& resource);

struct RolloutState {
  std::string text{};  ///< A line.
  bool done = false;
};

/// Reads the state from the object, whose kind has a rollout. A `revision` other than 0 must be
/// that of a deployment.
/// @par Errors   Config: another revision, a deployment that has made no progress for too long, an
///   update strategy other than RollingUpdate.
kube::Result<RolloutState> rollout_state(const kube::meta::ResourceInfo& resource,
                                         const kube::Unstructured& object, std::int64_t revision);

}  // namespace kubecpp
