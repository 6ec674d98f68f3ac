// SPDX-License-Identifier: Apache-2.0
//
// The methods that typed clients of certificate signing requests have in addition to Api<T>
// (client-go's CertificateSigningRequestExpansion).
#pragma once

#include <stop_token>
#include <utility>

#include <kube/client/api.hpp>

namespace kube::clientset::expansion {

/// @par Thread safety   As Api<T>.
template <ApiObject T>
class CertificateSigningRequestExpansion : public Api<T> {
 public:
  using Api<T>::Api;

  /// PUT .../{object.name}/approval
  /// @par Errors   As Api<T>::update().
  Result<T> update_approval(const T& object, const UpdateOptions& options = {},
                            std::stop_token stop = {}) const {
    return this->template update_subresource<T>(object.metadata.name, "approval", object, options,
                                                std::move(stop));
  }
};

}  // namespace kube::clientset::expansion
