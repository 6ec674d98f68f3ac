// SPDX-License-Identifier: Apache-2.0
#include <kube/client/pods.hpp>

namespace kube {

Result<void> bind(const Api<core::v1::Pod>& pods, const core::v1::Binding& binding,
                  const CreateOptions& options, std::stop_token stop) {
  const Result<std::string> answer =
      detail::send_object(pods.raw(), binding, [&](std::string body) {
        return pods.raw().create(binding.metadata.name, "binding", std::move(body), options, stop);
      });
  if (!answer) return answer.error();
  return {};
}

}  // namespace kube
