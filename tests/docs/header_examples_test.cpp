// SPDX-License-Identifier: Apache-2.0
//
// The code in the comments of public headers, as in header_examples.cpp, that needs nothing but
// itself: it runs, and does what its comments say.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/api/core/v1/pod.hpp>
#include <kube/testing/cached_objects.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/testing/round_trip.hpp>
#include <kube/testing/scripted_transport.hpp>

namespace kube::header_examples {
namespace {

using core::v1::Pod;
using testing::eventually;
using testing::FakeClock;
using testing::round_trip;
using testing::ScriptedCall;
using testing::ScriptedTransport;
using std::chrono_literals::operator""h;

// The status of a GET; 0 when it has failed.
int status_of(transport::RoundTripper& transport, const std::string& path) {
  const auto response = round_trip(transport, {.url = "http://server" + path}, {});
  return response ? response->status : 0;
}

TEST(HeaderExamples, Eventually) {
  std::atomic<int> calls = 0;
  const std::jthread caller([&] { ++calls; });
  // [kube/testing/eventually.hpp]
  ASSERT_TRUE(eventually([&] { return calls > 0; })) << "the handler was never called";
  // [kube/testing/eventually.hpp]
}

TEST(HeaderExamples, FakeClock) {
  // [kube/testing/fake_clock.hpp]
  FakeClock clock;
  std::jthread worker([&](std::stop_token stop) { clock.sleep_for(1h, stop); });
  clock.await_deadline(clock.now() + 1h);  // the worker does sleep
  clock.advance(1h);                       // and sees that its hour is over
  // [kube/testing/fake_clock.hpp]
}

TEST(HeaderExamples, ScriptedTransport) {
  // [kube/testing/scripted_transport.hpp]
  // 1. One request after the other, for code that runs in another thread or on an executor.
  auto transport = std::make_shared<ScriptedTransport>();
  std::jthread user([&](std::stop_token stop) {
    auto pods = round_trip(*transport, {.url = "http://server/api/v1/pods"}, stop);
    EXPECT_FALSE(pods);
  });
  ScriptedCall call = transport->await_request().value();
  EXPECT_EQ(call.path(), "/api/v1/pods");
  call.head(200).data(R"({"items":[)").reset();  // cut off in the middle of the list
  // [kube/testing/scripted_transport.hpp]
  user.join();

  const std::string pod_list = R"({"items":[]})";
  const std::string not_found = "{}";
  // [kube/testing/scripted_transport.hpp:2]
  // 2. Rules, run inside start(): once() comes before on(); of several on() the newest counts.
  transport->on("GET", "/api/v1/*", [&](ScriptedCall c) { c.respond(404, not_found); });
  transport->on("GET", "/api/v1/pods", [&](ScriptedCall c) { c.respond(200, pod_list); });
  transport->once("GET", "/api/v1/pods", [](ScriptedCall c) { c.refuse(); });
  // [kube/testing/scripted_transport.hpp:2]
  EXPECT_EQ(status_of(*transport, "/api/v1/pods"), 0);
  EXPECT_EQ(status_of(*transport, "/api/v1/pods"), 200);
  EXPECT_EQ(status_of(*transport, "/api/v1/pods"), 200);
  EXPECT_EQ(status_of(*transport, "/api/v1/nodes"), 404);
}

TEST(HeaderExamples, ScriptedTransportBeforeAnother) {
  const auto network = std::make_shared<ScriptedTransport>();
  network->on("", "*", [](ScriptedCall c) { c.respond(200); });
  const std::string conflict = "{}";
  // [kube/testing/scripted_transport.hpp:3]
  auto transport =
      std::make_shared<ScriptedTransport>(ScriptedTransport::Options{.otherwise = network});
  transport->once("PUT", "/api/v1/*", [&](ScriptedCall c) { c.respond(409, conflict); });
  // [kube/testing/scripted_transport.hpp:3]
  const transport::HttpRequest put{.method = "PUT", .url = "http://server/api/v1/pods"};
  EXPECT_EQ(round_trip(*transport, put, {}).value().status, 409);
  EXPECT_EQ(round_trip(*transport, put, {}).value().status, 200);
}

Pod pod(const std::string& namespace_, const std::string& name) {
  Pod made;
  made.metadata.namespace_ = namespace_;
  made.metadata.name = name;
  return made;
}
// Code under test: the letter behind the last name.
std::string next_name(const Lister<Pod>& pods) {
  char last = 'a';
  for (const Cached<Pod>& each : pods.list()) last = std::max(last, each.name().back());
  return {static_cast<char>(last + 1)};
}
std::vector<ObjectKey> keys_of(const Cached<Pod>& pod) {
  return {pod.object_key()};
}

TEST(HeaderExamples, CachedObjects) {
  using ::testing::ElementsAre;
  const IndexFunc<Pod> index_by_node = [](const Cached<Pod>& cached) {
    return std::vector<std::string>{cached->spec.node_name};
  };
  // [kube/testing/cached_objects.hpp]
  const auto pods = testing::lister_of<Pod>({pod("web", "a"), pod("web", "b")});
  EXPECT_EQ(next_name(pods), "c");
  // [kube/testing/cached_objects.hpp]

  // [kube/testing/cached_objects.hpp:2]
  const auto by_node = testing::indexer_of<Pod>({pod("web", "a")}, {{"node", index_by_node}});
  EXPECT_THAT(keys_of(testing::cached(pod("web", "a"))), ElementsAre(ObjectKey{"web", "a"}));
  // [kube/testing/cached_objects.hpp:2]
  EXPECT_EQ(by_node.by_index("node", "").value().size(), 1U);
}

}  // namespace
}  // namespace kube::header_examples
