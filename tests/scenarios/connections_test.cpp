// SPDX-License-Identifier: Apache-2.0
//
// How many connections many informers take.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/cache/shared_informer_factory.hpp>
#include <kube/client/api.hpp>

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

TEST_F(ConnectionsScenario, EachOfTwoHundredHandlesOfAFactoryEndsItsWatchAlone) {
  const auto transport = new_observed_transport();
  const kube::Client client = new_client(transport);
  kube::SharedInformerFactory factory(client.rest());
  factory.start();
  std::vector<kube::InformerHandle<ConfigMap>> handles;
  const auto acquire = [&](std::size_t number) {  // an informer of its own for each number
    kube::InformerOptions options;
    options.namespace_ = namespace_;
    options.label_selector = "number!=" + std::to_string(number);
    handles.push_back(factory.acquire<ConfigMap>(std::move(options)));
  };
  acquire(0);
  ASSERT_TRUE(handles.back()->wait_for_sync({}));
  const std::size_t threads = threads_of_this_process();
  while (handles.size() < 200) acquire(handles.size());
  for (const auto& handle : handles) ASSERT_TRUE(handle->wait_for_sync({}));
  const auto expect_open = [&](std::size_t watches) {
    ASSERT_TRUE(eventually([&] { return transport->open_watches() == watches; }))
        << transport->open_watches() << " and not " << watches;
    ASSERT_EQ(factory.status().size(), watches);
    EXPECT_EQ(threads_of_this_process(), threads);
    // The embedded server speaks HTTP/1.1: there each watch has a connection.
    if (on_real_server()) {
      EXPECT_LE(transport->stats().connections, 2U);
    }
  };
  expect_open(200);

  while (!handles.empty()) {
    handles.pop_back();
    ASSERT_NO_FATAL_FAILURE(expect_open(handles.size()));
    if (handles.size() != 100) continue;
    ConfigMap map;
    map.metadata.name = "late";
    must(client_.api<ConfigMap>(namespace_).create(map));
    for (const auto& handle : handles) {
      EXPECT_TRUE(eventually([&] { return handle->indexer().size() > 0; })) << "goes on";
    }
  }
  EXPECT_EQ(transport->watches(), 200U) << "none is opened again";
}

}  // namespace
}  // namespace scenarios
