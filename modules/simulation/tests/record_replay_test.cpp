// SPDX-License-Identifier: Apache-2.0
//
// The traffic of an informer on a real connection, recorded, saved, loaded and replayed from a
// seed.
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/apiserver/api_server.hpp>
#include <kube/base/executor.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/client/client.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/recording_transport.hpp>
#include <kube/transport/curl_transport.hpp>

namespace kube::testing {
namespace {

using core::v1::ConfigMap;

ConfigMap config_map(const std::string& name, const std::string& value) {
  ConfigMap object;
  object.metadata.name = name;
  object.data["value"] = value;
  return object;
}

std::vector<std::string> contents(const Lister<ConfigMap>& lister) {
  std::vector<std::string> out;
  const auto objects = lister.list();
  for (const Cached<ConfigMap>& each : objects) {
    out.push_back(std::string(each.key()) + "@" + std::string(each.resource_version()) + " " +
                  each->data.at("value"));
  }
  return out;
}

// [record]
// Runs an informer on a real connection, and saves what came.
std::vector<std::string> record(const std::string& file) {
  const auto server = apiserver::ApiServer::start().value();
  const auto recording = std::make_shared<RecordingTransport>(
      transport::CurlTransport::create({}).value(), real_clock());
  const auto client = Client::create({.host = server->url()}, {.transport = recording}).value();
  const auto api = client.api<ConfigMap>("default");
  EXPECT_TRUE(api.create(config_map("a", "1")));
  EXPECT_TRUE(api.create(config_map("b", "1")));

  SharedInformer<ConfigMap> informer(client.rest(), {.namespace_ = "default"});
  EXPECT_TRUE(informer.start());
  EXPECT_TRUE(informer.wait_for_sync({}));
  EXPECT_TRUE(api.update(config_map("a", "2")));
  EXPECT_TRUE(api.delete_("b"));
  const auto last = api.create(config_map("c", "1"));
  EXPECT_TRUE(last);
  EXPECT_TRUE(informer.wait_for(last->metadata.resource_version, kPatience));
  std::ofstream(file) << recording->text();
  return contents(informer.lister());
}
// [record]

// [replay]
TEST(RecordAndReplay, AnInformerHasTheSameCacheFromEachSeed) {
  const std::string file = ::testing::TempDir() + "record_replay_test.jsonl";
  const std::vector<std::string> recorded = record(file);
  EXPECT_EQ(recorded.size(), 2U);

  std::ifstream in(file);
  const std::string saved{std::istreambuf_iterator<char>(in), {}};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto executor = std::make_shared<SeededExecutor>(seed);
    const auto replay = ReplayTransport::create(saved, executor).value();
    const auto client = Client::create({.host = "http://recorded"},
                                       {.runtime = {.executor = executor}, .transport = replay})
                            .value();
    SharedInformer<ConfigMap> informer(client.rest(), {.namespace_ = "default"});
    ASSERT_TRUE(informer.start());
    EXPECT_TRUE(
        executor->run_until([&] { return contents(informer.lister()) == recorded; }, 20'000))
        << "seed " << seed << ": " << ::testing::PrintToString(contents(informer.lister()));
    informer.stop();
    executor->run_ready();
  }
}
// [replay]

}  // namespace
}  // namespace kube::testing
