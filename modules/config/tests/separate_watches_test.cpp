// SPDX-License-Identifier: Apache-2.0
//
// Config::separate_watch_connections, with a plugin whose certificate both connections need.
#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/config/transport_for.hpp>
#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/testing/round_trip.hpp>

#include "http2_server.hpp"
#include "loopback_server.hpp"
#include "plugin_folder.hpp"
#include "recording.hpp"

namespace kube::rest {
namespace {

class SeparateWatches : public ::testing::Test {
 protected:
  void print(const transport::PemPair& pair) const {
    folder.print_status({{"clientCertificateData", pair.certificate}, {"clientKeyData", pair.key}});
  }
  std::shared_ptr<transport::RoundTripper> make(bool separate) const {
    Config config{.host = server.url(),
                  .exec_provider = folder.config(),
                  .separate_watch_connections = separate};
    config.tls.ca.data = authority.certificate();
    auto made = transport_for(config, runtime);
    EXPECT_TRUE(made) << transport::error_text(made);
    return *made;
  }
  std::string get(transport::RoundTripper& transport, const std::string& path = "/") const {
    return transport::body_or_error(testing::round_trip(transport, {.url = server.url(path)}, {}));
  }
  // Opens a watch and returns whose certificate the server saw.
  std::shared_ptr<transport::Recording> watch(transport::RoundTripper& transport,
                                              const std::string& name) const {
    auto opened = std::make_shared<transport::Recording>();
    transport.start({.url = server.url("/watch"), .is_watch = true}, opened, {});
    EXPECT_EQ(opened->await_body(name.size()), name);
    return opened;
  }

  const transport::TestAuthority authority{"CA"};
  PluginFolder folder;
  std::shared_ptr<testing::FakeClock> clock = std::make_shared<testing::FakeClock>();
  Runtime runtime{
      .executor = std::make_shared<ThreadPool>(ThreadPool::Options{.threads = 2, .clock = clock})};
  transport::LoopbackServer server{
      [](transport::Peer& peer) {
        const std::string name = peer.client_name();
        transport::http2([&name](const transport::Http2Request& request) {
          if (request.path == "/watch") return transport::Http2Answer{.body = name, .open = true};
          return transport::Http2Answer{.status = request.path == "/refused" ? 401 : 200,
                                        .body = name};
        })(peer);
      },
      {.tls = transport::ServerTls{.certificate = authority.server({"127.0.0.1"}),
                                   .client_ca = authority.certificate(),
                                   .protocols = {"h2"}}}};
};

TEST_F(SeparateWatches, HaveASecondConnection) {
  print(authority.client("alice"));
  for (const bool separate : {false, true}) {
    const int before = server.accepted();
    const auto transport = make(separate);
    EXPECT_EQ(get(*transport), "alice");
    const auto first = watch(*transport, "alice");
    const auto second = watch(*transport, "alice");
    EXPECT_EQ(get(*transport), "alice");
    EXPECT_EQ(server.accepted() - before, separate ? 2 : 1);
  }
}

TEST_F(SeparateWatches, GetTheNewCertificateOfThePluginToo) {
  print(authority.client("alice"));
  const auto transport = make(true);
  EXPECT_EQ(get(*transport), "alice");
  const auto old = watch(*transport, "alice");
  print(authority.client("bob"));
  EXPECT_EQ(get(*transport, "/refused"), "alice");
  EXPECT_TRUE(testing::eventually([&] { return folder.runs() >= 2; }));
  EXPECT_EQ(get(*transport), "bob");
  EXPECT_EQ(old->await_end(), ErrorCode::Unreachable) << "it is to be opened again";
  (void)watch(*transport, "bob");
  EXPECT_EQ(server.accepted(), 4);
}

}  // namespace
}  // namespace kube::rest
