// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/inspection.hpp>

#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/eventually.hpp>
#include <kube/testing/matchers.hpp>

#include "loopback_server.hpp"

namespace kube::certificate {
namespace {

using ::testing::ElementsAre;
using testing::FailsWith;
using testing::HasCode;
using testing::HasMessage;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::IsOk;
using testing::IsOkAndHolds;
using transport::LoopbackServer;
using transport::Peer;
using transport::TestAuthority;

class Inspection : public ::testing::Test {
 protected:
  static std::string address(const LoopbackServer& server) {
    return "127.0.0.1:" + std::to_string(server.port());
  }
  LoopbackServer serve(std::string client_ca) {
    return LoopbackServer(
        [this](Peer& peer) {
          if (!peer.accept()) return;
          {
            const std::scoped_lock lock(mutex_);
            names_.push_back(peer.server_name());
          }
          peer.await_close();
        },
        {.tls = transport::ServerTls{.certificate = servers_.server({"web.example"}),
                                     .client_ca = std::move(client_ca)}});
  }

  const TestAuthority servers_{"servers"};
  const TestAuthority clients_{"clients"};
  std::mutex mutex_;
  std::vector<std::string> names_;
};

TEST_F(Inspection, CERT_19_ReportsTheAuthoritiesOfClientCertificates) {
  const LoopbackServer server = serve(clients_.certificate());
  EXPECT_THAT(client_authorities(address(server)), IsOkAndHolds(ElementsAre("CN=clients")));
  const LoopbackServer open = serve({});
  EXPECT_THAT(client_authorities(address(open)), IsOkAndHolds(IsEmpty()));
}

TEST_F(Inspection, CERT_19_ReportsServingCertificatesWithoutVerifying) {
  const LoopbackServer server = serve({});
  const std::string where = address_of_url(server.url("/api")).value();
  EXPECT_EQ(where, address(server));
  const auto found = serving_certificates(where, {.server_name = "other.example"});
  ASSERT_THAT(found, IsOk());
  ASSERT_EQ(found->size(), 1U);
  EXPECT_THAT(found->front().dns_names(), ElementsAre("web.example"));
  EXPECT_EQ(found->front().issuer(), "CN=servers");
  EXPECT_THAT(serving_certificates(where), IsOk());
  EXPECT_THAT(serving_certificates("localhost" + where.substr(where.find(':'))), IsOk());
  EXPECT_TRUE(testing::eventually([&] {
    const std::scoped_lock lock(mutex_);
    return names_ == std::vector<std::string>{"other.example", "", "localhost"};
  }));
}

TEST_F(Inspection, ErrorsNameTheAddress) {
  EXPECT_THAT(serving_certificates("web"),
              FailsWith(HasMessage("\"web\" is not an address: expected host:port")));
  const std::string closed = "127.0.0.1:" + std::to_string(transport::closed_port());
  EXPECT_THAT(serving_certificates(closed),
              FailsWith(HasMessage(HasSubstr("cannot connect to " + closed))));
  EXPECT_THAT(address_of_url("https://h"), IsOkAndHolds("h:443"));
  EXPECT_FALSE(address_of_url("://"));
}

TEST_F(Inspection, AServerThatSaysNothingIsLeftOnAStop) {
  const LoopbackServer silent([](Peer& peer) { peer.await_close(); });
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THAT(serving_certificates(address(silent), {}, stop.get_token()),
              FailsWith(HasCode(ErrorCode::Cancelled)));
  EXPECT_THAT(serving_certificates(address(silent), {.timeout = std::chrono::milliseconds(1)}),
              FailsWith(HasCode(ErrorCode::Timeout)));
}

}  // namespace
}  // namespace kube::certificate
