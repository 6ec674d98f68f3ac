// SPDX-License-Identifier: Apache-2.0
//
// The methods that typed clients of evictions have in addition to Api<T> (client-go's
// EvictionExpansion).
#pragma once

#include <stop_token>
#include <utility>

#include <kube/client/api.hpp>

namespace kube::clientset::expansion {

/// @par Thread safety   As Api<T>.
template <ApiObject T>
class EvictionExpansion : public Api<T> {
 public:
  using Api<T>::Api;

  /// POST .../pods/{eviction.name}/eviction
  /// @par Errors   TooManyRequests (is_too_many_requests()) while a disruption budget forbids it,
  ///   and those of Api<T>::create_subresource().
  Result<void> evict(const T& eviction, const CreateOptions& options = {},
                     std::stop_token stop = {}) const {
    return this->post_subresource(eviction.metadata.name, "eviction", eviction, options,
                                  std::move(stop));
  }
};

}  // namespace kube::clientset::expansion
