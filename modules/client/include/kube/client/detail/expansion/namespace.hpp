// SPDX-License-Identifier: Apache-2.0
//
// The methods that typed clients of namespaces have in addition to Api<T> (client-go's
// NamespaceExpansion).
#pragma once

#include <stop_token>
#include <utility>

#include <kube/client/api.hpp>

namespace kube::clientset::expansion {

/// @par Thread safety   As Api<T>.
template <ApiObject T>
class NamespaceExpansion : public Api<T> {
 public:
  using Api<T>::Api;

  /// PUT .../{object.name}/finalize: replaces spec.finalizers.
  /// @par Errors   As Api<T>::update().
  Result<T> finalize(const T& object, const UpdateOptions& options = {},
                     std::stop_token stop = {}) const {
    return this->template update_subresource<T>(object.metadata.name, "finalize", object, options,
                                                std::move(stop));
  }
};

}  // namespace kube::clientset::expansion
