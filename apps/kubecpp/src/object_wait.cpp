// SPDX-License-Identifier: Apache-2.0
#include "object_wait.hpp"

#include <kube/client/wait_for.hpp>

namespace kubecpp {

using kube::Error;
using kube::ErrorCode;
using kube::Result;

Result<void> wait_for_object(const Cluster& cluster, const SelectedObject& object,
                             const ObjectCheck& check, const TimeLimit& limit) {
  const auto over = kube::wait_until(cluster.api(object.resource, object.namespace_), object.name,
                                     check, kube::Duration::max(), limit.token());
  if (over) return {};
  if (over.error().code() == ErrorCode::Cancelled && limit.is_over())
    return Error(ErrorCode::Timeout, "timed out waiting for the condition");
  return over.error();
}

Result<void> named_timeout(Result<void> result, const SelectedObject& object) {
  if (result || result.error().code() != ErrorCode::Timeout) return result;
  return Error(ErrorCode::Timeout,
               result.error().message() + " on " + object.resource.plural + "/" + object.name);
}

}  // namespace kubecpp
