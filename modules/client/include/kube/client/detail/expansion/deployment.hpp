// SPDX-License-Identifier: Apache-2.0
//
// The methods that typed clients of extensions/v1beta1 deployments have in addition to Api<T>
// (client-go's DeploymentExpansion).
#pragma once

#include <stop_token>
#include <string>
#include <utility>

#include <kube/api/extensions/v1beta1/deployment_rollback.hpp>
#include <kube/client/api.hpp>

namespace kube::clientset::expansion {

/// @par Thread safety   As Api<T>.
template <ApiObject T>
class DeploymentExpansion : public Api<T> {
 public:
  using Api<T>::Api;

  /// POST .../{rollback.name}/rollback
  /// @par Errors   As Api<T>::create_subresource().
  Result<void> rollback(const extensions::v1beta1::DeploymentRollback& rollback,
                        const CreateOptions& options = {}, std::stop_token stop = {}) const {
    const Result<std::string> answer =
        detail::send_object(this->raw(), rollback, [&](const RawApi& raw, std::string body) {
          return raw.create(rollback.name, "rollback", std::move(body), options, stop);
        });
    if (!answer) return answer.error();
    return {};
  }
};

}  // namespace kube::clientset::expansion
