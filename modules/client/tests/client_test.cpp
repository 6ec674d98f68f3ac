// SPDX-License-Identifier: Apache-2.0
//
// Client: its threads, its configuration, its errors.
#include <kube/client/client.hpp>

#include <optional>

#include <kube/api/core/v1/pod.hpp>

#include "client_fixture.hpp"

namespace kube {
namespace {

using core::v1::Pod;

constexpr const char* kSmallPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"web"}})";

TEST(Client, MakesItsOwnThreadsWithoutARuntimeAndTheyLiveAsLongAsWhatUsesThem) {
  const auto server = std::make_shared<ScriptedTransport>();
  server->on("", "*", [](ScriptedCall call) { call.respond(200, kSmallPod); });
  std::optional<Api<Pod>> pods;
  {
    const auto client = Client::create({.host = "https://h"}, {.threads = 1, .transport = server});
    ASSERT_TRUE(client);
    EXPECT_EQ(client->default_namespace(), "default");
    pods = client->api<Pod>("web");
  }
  EXPECT_TRUE(pods->get("a"));
}

TEST(Client, ABadConfigurationIsAnError) {
  const auto client = Client::create({.host = "ftp://h"});
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code(), ErrorCode::Config);
}

TEST(Client, AServerThatIsDownIsOneClearSentence) {
  const auto server = std::make_shared<ScriptedTransport>();
  server->set_down(true);
  const auto client = Client::create({.host = "https://127.0.0.1:1"}, {.transport = server});
  EXPECT_EQ(client->api<Pod>("x").list().error().to_string(),
            "list pods in namespace \"x\": GET https://127.0.0.1:1/api/v1/namespaces/x/pods: "
            "connection refused");
}

}  // namespace
}  // namespace kube
