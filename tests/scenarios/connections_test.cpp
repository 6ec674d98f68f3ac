// SPDX-License-Identifier: Apache-2.0
//
// How many connections many informers take.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/cache/shared_informer.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

using kube::core::v1::ConfigMap;

class ConnectionsScenario : public Scenario {};

TEST_F(ConnectionsScenario, TwoHundredInformersWithAHandlerEachShareTwoConnections) {
  if (!on_real_server()) {
    GTEST_SKIP() << "the embedded server speaks HTTP/1.1: each watch has a connection";
  }
  const auto transport = new_observed_transport();
  const kube::Client client = new_client(transport);
  std::vector<std::unique_ptr<kube::SharedInformer<ConfigMap>>> informers;
  std::vector<kube::HandlerRegistration> registrations;  // these end first
  for (int i = 0; i < 200; ++i) {
    informers.push_back(std::make_unique<kube::SharedInformer<ConfigMap>>(client.rest()));
    registrations.push_back(informers.back()->add_event_handler({}));
    must(informers.back()->start());
  }
  EXPECT_TRUE(eventually([&] { return transport->watches() == 200; }));
  EXPECT_TRUE(eventually([&] {
    return std::all_of(registrations.begin(), registrations.end(),
                       [](const auto& each) { return each.has_synced(); });
  }));
  EXPECT_LE(transport->stats().connections, 2U);
}

}  // namespace
}  // namespace scenarios
