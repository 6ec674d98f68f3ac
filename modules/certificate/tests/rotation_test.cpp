// SPDX-License-Identifier: Apache-2.0
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <kube/testing/matchers.hpp>

#include "loopback_server.hpp"
#include "manager_fixture.hpp"

namespace kube::certificate {
namespace {

using namespace std::chrono_literals;
using testing::eventually;
using testing::IsOk;

using RotationTest = ManagerTest;

// The whole way: a client whose certificate the manager rotates, against the API server behind TLS.
TEST_F(RotationTest, ClientsFollowTheCurrentFileThroughRotations) {
  // The TLS server checks certificates by the real time.
  clock->set_wall(real_clock()->wall_now() - 1h);
  const TestFolder folder;
  const transport::TestAuthority servers("servers");
  std::mutex mutex;
  std::string wanted_name = "first";
  std::vector<std::string> seen;
  const transport::LoopbackServer tls(
      [&](transport::Peer& peer) {
        if (!peer.accept()) return;
        {
          const std::scoped_lock lock(mutex);
          if (seen.empty() || seen.back() != peer.client_name()) {
            seen.push_back(peer.client_name());
          }
        }
        peer.forward_to(server->port());
      },
      {.tls = transport::ServerTls{.certificate = servers.server({"127.0.0.1"}),
                                   .client_ca = ca.certificate.pem()}});

  const auto files =
      FileStore::open({.prefix = "node", .certificate_folder = folder.path("pki"), .clock = clock})
          .value();
  rest::Config secure{.host = "https://127.0.0.1:" + std::to_string(tls.port())};
  secure.tls.ca.data = servers.certificate();
  secure.tls.certificate.file = files->current_path();
  secure.tls.key.file = files->current_path();

  const KeyPair bootstrap =
      ca.pair({.common_name = "bootstrap"}, {.lifetime = 24h, .clock = clock});
  ManagerOptions wanted = options();
  wanted.store = files;
  wanted.bootstrap_certificate = bootstrap.leaf().pem();
  wanted.bootstrap_key = bootstrap.key().pem();
  wanted.get_template = [&]() -> Optional<RequestTemplate> {
    const std::scoped_lock lock(mutex);
    return RequestTemplate{.common_name = wanted_name, .organizations = {"system:nodes"}};
  };
  std::optional<Client> shared;  // the same for all rotations, and for the program
  wanted.client = [&](const Optional<KeyPair>&) -> Result<Client> {
    if (!shared) shared = client_of(secure);
    return *shared;
  };
  const auto manager = start(std::move(wanted));
  approve_and_issue(await_request());
  await_rotation_of(*manager, "first");
  EXPECT_THAT(shared->api<CertificateSigningRequest>().list(), IsOk());

  {
    const std::scoped_lock lock(mutex);
    wanted_name = "second";
  }
  EXPECT_TRUE(eventually([&] {
    clock->advance(1s);
    return names().size() == 2;
  }));
  approve_and_issue(await_request());
  await_rotation_of(*manager, "second");
  EXPECT_THAT(shared->api<CertificateSigningRequest>().list(), IsOk());

  const std::scoped_lock lock(mutex);
  EXPECT_THAT(seen, ::testing::ElementsAre("bootstrap", "first", "second"));
  EXPECT_EQ(manager->current(),
            FileStore::open({.prefix = "node", .certificate_folder = folder.path("pki")})
                .value()
                ->current()
                .value());
}

}  // namespace
}  // namespace kube::certificate
