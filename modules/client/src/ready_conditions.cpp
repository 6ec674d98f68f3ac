// SPDX-License-Identifier: Apache-2.0
#include <kube/client/ready_conditions.hpp>

#include <concepts>
#include <string>

#include <kube/api/apiextensions/v1/custom_resource_definition.hpp>
#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/batch/v1/job.hpp>
#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/base/printable.hpp>
#include <kube/meta/conditions.hpp>

namespace kube {
namespace {

constexpr std::size_t kMaxMessage = 1024;

const batch::v1::JobCondition* failure_of(const batch::v1::Job& job) {
  const auto* const failed = find_status_condition(job.status.conditions, "Failed");
  return failed != nullptr && failed->status == "True" ? failed : nullptr;
}

}  // namespace

template <class T>
bool ReadyCondition<T>::operator()(const T& object) const {
  return condition()(object);
}

template <class T>
Result<bool> ReadyCondition<T>::check(const T& object) const {
  if constexpr (std::same_as<T, batch::v1::Job>) {
    if (const auto* const failed = failure_of(object)) {
      return Error(ErrorCode::Internal, "the job \"" + printable(object.metadata.name) +
                                            "\" has failed: " + printable(failed->reason) + ": " +
                                            printable(failed->message, kMaxMessage))
          .with_reason(failed->reason);
    }
  }
  return (*this)(object);
}

template struct ReadyCondition<apiextensions::v1::CustomResourceDefinition>;
template struct ReadyCondition<apps::v1::Deployment>;
template struct ReadyCondition<batch::v1::Job>;
template struct ReadyCondition<core::v1::Node>;
template struct ReadyCondition<core::v1::Pod>;

bool is_job_finished(const batch::v1::Job& job) {
  return is_job_complete(job) || failure_of(job) != nullptr;
}

}  // namespace kube
