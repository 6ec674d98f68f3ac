// SPDX-License-Identifier: Apache-2.0
//
// The server of a program's caches, as documents show it: it runs, and clients read from it.
#include <iostream>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/base/stop.hpp>
#include <kube/cache/shared_informer.hpp>
#include <kube/cacheserver/cache_server.hpp>
#include <kube/client/client.hpp>
#include <kube/fake/fake_client.hpp>
#include <kube/testing/eventually.hpp>

#include "temporary_folder.hpp"

namespace kube::header_examples {
namespace {

// [serve-pods]
kube::Result<void> serve_pods(const kube::Client& client, std::string listen,
                              std::stop_token stop) {
  kube::SharedInformer<kube::core::v1::Pod> pods(client.rest());
  const auto server = kube::CacheServer::start({.listen = std::move(listen)});
  if (!server) return server.error();
  if (auto added = (*server)->add(pods); !added) return added;
  if (auto started = pods.start(); !started) return started;
  std::cout << "kubectl --server " << (*server)->url() << " get pods -A\n";
  kube::wait_for_stop(stop);
  return {};
}
// [serve-pods]

TEST(CacheServerExamples, ServePods) {
  const auto fake = fake::FakeClient::start(
                        "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: web},"
                        " spec: {containers: [{name: c, image: i}]}}")
                        .value();
  const programs::TemporaryFolder folder;
  const std::string socket = folder.path("cache.sock");
  Result<void> served;
  std::jthread server([&](const std::stop_token& stop) {
    served = serve_pods(fake->client(), "unix:" + socket, stop);
  });
  rest::Config config;
  config.host = "unix://" + socket;
  const auto pods = Client::create(config).value().api<core::v1::Pod>("web");
  EXPECT_TRUE(testing::eventually([&] { return pods.get("a").has_value(); }));
  server.request_stop();
  server.join();
  EXPECT_TRUE(served);
}

Result<json::Value> resize(const std::string& name, const std::string& size, std::stop_token) {
  return json::Value(name + " " + size);
}

TEST(CacheServerExamples, Routes) {
  CacheServer::Options options;
  // [kube/cacheserver/route.hpp]
  options.routes["PUT /shop/{name}/size"] = [&](const kube::RouteRequest& request) {
    return resize(request.path_value("name"), request.query_value("size", "1"), request.stop);
  };
  // [kube/cacheserver/route.hpp]
  const auto server = CacheServer::start(options).value();
  rest::Config config;
  config.host = server->url();
  const auto client = Client::create(config).value();
  const auto answer =
      client.rest().send({.verb = "put", .method = "PUT", .path = "/shop/a/size"}, {});
  EXPECT_EQ(answer.value().body, "\"a 1\"\n");
}

}  // namespace
}  // namespace kube::header_examples
