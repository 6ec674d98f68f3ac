// SPDX-License-Identifier: Apache-2.0
//
// The conditions of `kubecpp wait --for`.
#pragma once

#include <string>

#include <kube/base/result.hpp>
#include <kube/codec/unstructured.hpp>

#include "object_wait.hpp"

namespace kubecpp {

struct WaitCondition {
  enum class Kind { Create, Delete, State };
  Kind kind = Kind::State;
  /// Set for State. For an object that exists.
  std::function<kube::Result<bool>(const kube::Unstructured& object)> is_met{};
};

/// Reads `create`, `delete`, `condition=Ready`, `condition=Ready=False`,
/// `jsonpath={.status.phase}` or `jsonpath={.status.phase}=Running`.
/// @par Errors   InvalidArgument, in kubectl's words.
kube::Result<WaitCondition> parse_wait_condition(const std::string& text);

}  // namespace kubecpp
