// SPDX-License-Identifier: Apache-2.0
#include <kube/client/ready_conditions.hpp>

#include <gtest/gtest.h>

#include <kube/api/apiextensions/v1/custom_resource_definition.hpp>
#include <kube/api/apps/v1/deployment.hpp>
#include <kube/api/batch/v1/job.hpp>
#include <kube/api/core/v1/node.hpp>
#include <kube/api/core/v1/pod.hpp>
#include <kube/base/stop.hpp>
#include <kube/meta/errors.hpp>

namespace kube {
namespace {

// An object with one condition.
template <class T>
T with(std::string type, std::string status) {
  T object;
  object.metadata.name = "a";
  object.status.conditions.push_back({.type = std::move(type), .status = std::move(status)});
  return object;
}

template <class T>
void expect_needs(const ReadyCondition<T>& is_ready, const std::string& type) {
  EXPECT_TRUE(is_ready(with<T>(type, "True"))) << type;
  EXPECT_FALSE(is_ready(with<T>(type, "False"))) << type;
  EXPECT_FALSE(is_ready(with<T>(type, "Unknown"))) << type;
  EXPECT_FALSE(is_ready(with<T>("Other", "True"))) << type;
  EXPECT_FALSE(is_ready(T())) << type;
  EXPECT_EQ(is_ready.condition(), condition_is(type));
  EXPECT_TRUE(*is_ready.check(with<T>(type, "True"))) << type;
  EXPECT_FALSE(*is_ready.check(T())) << type;
}

TEST(ReadyConditions, OneConditionIsTrue) {
  expect_needs(is_pod_ready, "Ready");
  expect_needs(is_node_ready, "Ready");
  expect_needs(is_deployment_available, "Available");
  expect_needs(is_job_complete, "Complete");
  expect_needs(is_crd_established, "Established");
}

TEST(ReadyConditions, ADeploymentIsAvailableInItsCurrentGeneration) {
  auto deployment = with<apps::v1::Deployment>("Available", "True");
  deployment.metadata.generation = 2;
  deployment.status.observed_generation = 1;
  EXPECT_FALSE(is_deployment_available(deployment)) << "the controller has not seen the change";
  deployment.status.observed_generation = 2;
  EXPECT_TRUE(is_deployment_available(deployment));
}

TEST(ReadyConditions, AFailedJobEndsAWaitWithItsReason) {
  auto job = with<batch::v1::Job>("Failed", "True");
  job.status.conditions.front().reason = "BackoffLimitExceeded";
  job.status.conditions.front().message = "Job has reached the specified backoff limit";
  EXPECT_FALSE(is_job_complete(job));
  const Result<bool> checked = is_job_complete.check(job);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code(), ErrorCode::Internal);
  EXPECT_EQ(checked.error().reason(), "BackoffLimitExceeded");
  EXPECT_FALSE(is_interrupted(checked.error()));
  EXPECT_EQ(checked.error().message(),
            "the job \"a\" has failed: BackoffLimitExceeded: Job has reached the specified backoff "
            "limit");

  job.status.conditions.front().reason = "NotFound";
  EXPECT_FALSE(is_not_found(is_job_complete.check(job).error()))
      << "no reason of a Job is a server's";
  job.status.conditions.front().status = "False";
  EXPECT_FALSE(*is_job_complete.check(job));
}

TEST(ReadyConditions, AJobIsFinishedWhenItIsCompleteOrHasFailed) {
  EXPECT_TRUE(is_job_finished(with<batch::v1::Job>("Complete", "True")));
  EXPECT_TRUE(is_job_finished(with<batch::v1::Job>("Failed", "True")));
  EXPECT_FALSE(is_job_finished(with<batch::v1::Job>("Failed", "False")));
  EXPECT_FALSE(is_job_finished(with<batch::v1::Job>("Suspended", "True")));
  EXPECT_FALSE(is_job_finished({}));
}

}  // namespace
}  // namespace kube
