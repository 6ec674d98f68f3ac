// SPDX-License-Identifier: Apache-2.0
//
// The methods that typed clients of nodes have in addition to Api<T> (client-go's NodeExpansion).
#pragma once

#include <stop_token>
#include <string_view>
#include <utility>

#include <kube/client/api.hpp>

namespace kube::clientset::expansion {

/// @par Thread safety   As Api<T>.
template <ApiObject T>
class NodeExpansion : public Api<T> {
 public:
  using Api<T>::Api;

  using Api<T>::patch_status;
  /// Sends a strategic merge patch of the status.
  /// @par Errors   As Api<T>::patch().
  Result<T> patch_status(std::string_view name, json::Value data, std::stop_token stop = {}) const {
    return patch_status(name, Patch::strategic_merge(std::move(data)), {}, std::move(stop));
  }
};

}  // namespace kube::clientset::expansion
