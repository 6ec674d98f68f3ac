// SPDX-License-Identifier: Apache-2.0
#include <kube/client/pods.hpp>

namespace kube {

Result<void> bind(const Api<core::v1::Pod>& pods, const core::v1::Binding& binding,
                  const CreateOptions& options, std::stop_token stop) {
  return pods.post_subresource(binding.metadata.name, "binding", binding, options, std::move(stop));
}

}  // namespace kube
