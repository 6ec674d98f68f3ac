// SPDX-License-Identifier: Apache-2.0
//
// The request for a container's log.
#include <kube/client/pod_logs.hpp>

#include <kube/codec/query.hpp>

namespace kube::detail {

TextRequest logs(const RawApi& pods, std::string_view name,
                 const core::v1::PodLogOptions& options) {
  return get_text(pods.rest(), pods.resource(), pods.namespace_(), name, "log", "",
                  meta::to_query(options))
      .limited_as(pods);
}

}  // namespace kube::detail
