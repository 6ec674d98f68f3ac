// SPDX-License-Identifier: Apache-2.0
#include <kube/client/pods.hpp>

namespace kube {

Result<void> bind(const Api<core::v1::Pod>& pods, const core::v1::Binding& binding,
                  const CreateOptions& options, std::stop_token stop) {
  const Result<std::string> answer = pods.raw().create(
      binding.metadata.name, "binding", detail::to_body(binding), options, std::move(stop));
  if (!answer) return answer.error();
  return {};
}

}  // namespace kube
