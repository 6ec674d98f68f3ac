// SPDX-License-Identifier: Apache-2.0
//
// A server that asks to come back later.
#include <string>
#include <thread>

#include <kube/api/core/v1/pod.hpp>
#include <kube/client/api.hpp>
#include <kube/meta/errors.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

using kube::core::v1::Pod;

class ThrottlingScenario : public Scenario {};

// The embedded server can be told that it is overloaded. A real one says the same to an eviction
// when the budget of the pod has not been looked at yet, which nobody does here.
TEST_F(ThrottlingScenario, API_333_ARequestIsSentAgainAfterTheTimeThatA429AsksFor) {
  const auto pods = client_.api<Pod>(namespace_);
  Pod pod;
  pod.metadata.name = "guarded";
  pod.metadata.labels["app"] = "guarded";
  auto& container = pod.spec.containers.emplace_back();
  container.name = "main";
  container.image = "registry.example/app:1";
  pod = must(pods.create(pod));
  pod.status.phase = "Running";
  must(pods.update_status(pod));

  const auto budgets = client_.api(
      {"policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", "poddisruptionbudget", true},
      namespace_);
  const bool by_budget = !throttle_next_request();
  if (by_budget) {
    must(budgets.create(must(kube::unstructured_from_json(
        R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"all"},
            "spec":{"minAvailable":1,"selector":{"matchLabels":{"app":"guarded"}}}})"))));
  }

  const auto transport = new_observed_transport();
  const kube::Client client = new_client(transport);
  const kube::Unstructured eviction = must(kube::unstructured_from_json(
      R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"guarded"}})"));
  kube::Result<kube::Unstructured> evicted = kube::Error(kube::ErrorCode::Internal, "not asked");
  std::jthread evictor([&](const std::stop_token& stop) {
    evicted =
        client.api<Pod>(namespace_).create_subresource("guarded", "eviction", eviction, {}, stop);
  });
  EXPECT_TRUE(eventually([&] { return transport->throttled() == 1; }));
  if (by_budget) must(budgets.delete_("all"));
  evictor.join();  // which ends by itself: requests are sent again a few times only
  ASSERT_TRUE(evicted) << evicted.error().to_string();
  EXPECT_EQ(transport->throttled(), 1u);
  const auto gone = pods.get("guarded");
  EXPECT_TRUE(gone ? gone->metadata.deletion_timestamp.has_value()
                   : kube::is_not_found(gone.error()));
}

}  // namespace
}  // namespace scenarios
