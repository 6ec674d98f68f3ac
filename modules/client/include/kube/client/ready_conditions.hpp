// SPDX-License-Identifier: Apache-2.0
//
// When the kinds that programs wait for are ready: conditions for wait_for(), which can be called
// with an object, too. The header declares the kinds only; include those that you use.
#pragma once

#include <string_view>

#include <kube/base/result.hpp>
#include <kube/client/condition_is.hpp>

namespace kube::apiextensions::v1 {
struct CustomResourceDefinition;
}
namespace kube::apps::v1 {
struct Deployment;
}
namespace kube::batch::v1 {
struct Job;
}
namespace kube::core::v1 {
struct Node;
struct Pod;
}  // namespace kube::core::v1

namespace kube {

/// A condition of one kind that has to be True.
/// @par Thread safety   A value.
template <class T>
struct ReadyCondition {
  std::string_view type{};

  /// As ConditionIs: a condition of an older generation does not count.
  bool operator()(const T& object) const;
  /// The same, for a wait, which ends when the condition can't become true any more.
  /// @par Errors   Internal for a Job that has failed, with the reason of its condition
  ///   ("BackoffLimitExceeded") as Error::reason(). None for other kinds.
  Result<bool> check(const T& object) const;

  ConditionIs condition() const { return condition_is(std::string(type)); }
};

extern template struct ReadyCondition<apiextensions::v1::CustomResourceDefinition>;
extern template struct ReadyCondition<apps::v1::Deployment>;
extern template struct ReadyCondition<batch::v1::Job>;
extern template struct ReadyCondition<core::v1::Node>;
extern template struct ReadyCondition<core::v1::Pod>;

inline constexpr ReadyCondition<core::v1::Pod> is_pod_ready{"Ready"};
/// The Deployment has its minimum of available pods, by a status that describes its current
/// generation. During a rolling update these may be pods of the old revision.
inline constexpr ReadyCondition<apps::v1::Deployment> is_deployment_available{"Available"};
/// A wait for it fails at once when the Job has failed. Wait for is_job_finished() to get the Job
/// in either case.
inline constexpr ReadyCondition<batch::v1::Job> is_job_complete{"Complete"};
inline constexpr ReadyCondition<core::v1::Node> is_node_ready{"Ready"};
/// The server serves the custom resources.
inline constexpr ReadyCondition<apiextensions::v1::CustomResourceDefinition> is_crd_established{
    "Established"};

/// Whether the Job is complete or has failed.
bool is_job_finished(const batch::v1::Job& job);

}  // namespace kube
