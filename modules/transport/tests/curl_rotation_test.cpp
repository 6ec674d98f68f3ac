// SPDX-License-Identifier: Apache-2.0
//
// Certificates that change while a transport is in use.
#include <kube/transport/connection_retired.hpp>
#include <kube/transport/curl_transport.hpp>

#include <sys/stat.h>

#include <atomic>
#include <latch>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <kube/testing/eventually.hpp>
#include <kube/testing/fake_clock.hpp>
#include <kube/testing/recording_logger.hpp>

#include "http2_server.hpp"
#include "loopback_server.hpp"
#include "recording.hpp"
#include "tls_file.hpp"

namespace kube::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const TestAuthority& first_authority() {
  static const TestAuthority one("first CA");
  return one;
}
const TestAuthority& second_authority() {
  static const TestAuthority one("second CA");
  return one;
}
ServerTls http1_of(const TestAuthority& authority) {
  return {.certificate = authority.server({"127.0.0.1"})};
}
ServerTls http2_of(const TestAuthority& authority) {
  ServerTls tls = http1_of(authority);
  tls.protocols = {"h2"};
  return tls;
}

// Answers each request with the client's name and closes nothing.
void name_the_client(Peer& peer) {
  while (peer.read_request()) {
    const std::string body = peer.client_name();
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
               body);
  }
}

// "/watch" stays open after its first bytes, "/slow" waits for the latch, others answer at once.
Http2Script watched(std::latch* slow = nullptr) {
  return [slow](const Http2Request& request) {
    if (request.path == "/watch") return Http2Answer{.body = "event", .open = true};
    if (request.path == "/slow" && slow != nullptr) slow->wait();
    return Http2Answer{.body = "done"};
  };
}

HttpRequest get_from(const LoopbackServer& server, const std::string& path = "/") {
  HttpRequest request;
  request.url = server.url(path);
  return request;
}
HttpRequest watch(const LoopbackServer& server) {
  HttpRequest request = get_from(server, "/watch");
  request.is_watch = true;
  return request;
}
TlsConfig with_client(const TestAuthority& authority, const std::string& name) {
  const PemPair pair = authority.client(name);
  return {.ca = {.data = authority.certificate()},
          .certificate = {.data = pair.certificate},
          .key = {.data = pair.key}};
}

TEST(CurlRotation, TRN_18_ChangedRootsDrainOldConnectionsAndVerifyNewOnes) {
  LoopbackServer old_server(http2(watched()), {.tls = http2_of(first_authority())});
  LoopbackServer new_server(http2(watched()), {.tls = http2_of(second_authority())});
  const TlsFile ca("rotated-ca.crt", first_authority().certificate());
  const auto transport = CurlTransport::create({.tls = {.ca = {.file = ca.path()}}}).value();
  const auto running = std::make_shared<Recording>();
  transport->start(watch(old_server), running, {});
  running->await_body(5);
  EXPECT_EQ(code_of(round_trip(*transport, get_from(new_server), {})), ErrorCode::Credentials);

  ca.replace(second_authority().certificate());
  EXPECT_EQ(body_or_error(round_trip(*transport, get_from(new_server), {})), "done");
  EXPECT_EQ(running->await_end(), ErrorCode::Unreachable);
  EXPECT_THAT(running->await_error(), HasSubstr("certificates have changed"));
  EXPECT_EQ(code_of(round_trip(*transport, get_from(old_server), {})), ErrorCode::Credentials)
      << "the connection of the old roots is not used for new requests";
}

TEST(CurlRotation, APipeInThePlaceOfAFileIsNotWaitedFor) {
  LoopbackServer server(http2(watched()), {.tls = http2_of(first_authority())});
  const TlsFile ca("piped-ca.crt", first_authority().certificate());
  const auto transport = CurlTransport::create({.tls = {.ca = {.file = ca.path()}}}).value();
  EXPECT_EQ(body_or_error(round_trip(*transport, get_from(server), {})), "done");
  ca.remove();
  ASSERT_EQ(::mkfifo(ca.path().c_str(), 0600), 0);
  const auto recording = std::make_shared<Recording>();
  transport->start(get_from(server), recording, {});
  EXPECT_EQ(recording->await_end(), std::nullopt) << recording->await_error();
  EXPECT_EQ(code_of(CurlTransport::create({.tls = {.ca = {.file = ca.path()}}})),
            ErrorCode::Credentials);
}

TEST(CurlRotation, TRN_15_FilesAreReadAgainAndDataIsNot) {
  LoopbackServer server(http2(watched()), {.tls = http2_of(second_authority())});
  const TlsFile ca("beside-data.crt", second_authority().certificate());
  const auto both =
      CurlTransport::create(
          {.tls = {.ca = {.data = first_authority().certificate(), .file = ca.path()}}})
          .value();
  EXPECT_EQ(code_of(round_trip(*both, get_from(server), {})), ErrorCode::Credentials);
  ca.replace(second_authority().certificate() + "\n");
  EXPECT_EQ(code_of(round_trip(*both, get_from(server), {})), ErrorCode::Credentials);

  const auto file = CurlTransport::create({.tls = {.ca = {.file = ca.path()}}}).value();
  EXPECT_EQ(body_or_error(round_trip(*file, get_from(server), {})), "done");
  ca.replace(first_authority().certificate());
  EXPECT_EQ(code_of(round_trip(*file, get_from(server), {})), ErrorCode::Credentials);
}

TEST(CurlRotation, TRN_16_AnEmptyCaFileTrustsNobodyUntilItIsFilled) {
  LoopbackServer server(http2(watched()), {.tls = http2_of(first_authority())});
  const TlsFile ca("empty-ca.crt", "");
  const auto transport = CurlTransport::create({.tls = {.ca = {.file = ca.path()}}});
  ASSERT_TRUE(transport) << error_text(transport);
  const auto refused = round_trip(**transport, get_from(server), {});
  EXPECT_EQ(code_of(refused), ErrorCode::Credentials) << error_text(refused);
  EXPECT_THAT(error_text(refused),
              HasSubstr("the CA file " + ca.path() + " is empty: no server is trusted"));
  ca.replace(first_authority().certificate());
  EXPECT_EQ(body_or_error(round_trip(**transport, get_from(server), {})), "done");
}

TEST(CurlRotation, TRN_17_UnusableRootsAndEqualOnesKeepTheConnection) {
  LoopbackServer server(http2(watched()), {.tls = http2_of(first_authority())});
  const TlsFile ca("kept-ca.crt", first_authority().certificate());
  const auto transport = CurlTransport::create({.tls = {.ca = {.file = ca.path()}}}).value();
  const auto running = std::make_shared<Recording>();
  transport->start(watch(server), running, {});
  running->await_body(5);
  const auto works = [&] { return body_or_error(round_trip(*transport, get_from(server), {})); };
  ca.replace(first_authority().certificate());
  EXPECT_EQ(works(), "done") << "unchanged content";
  ca.replace("-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n");
  EXPECT_EQ(works(), "done") << "invalid PEM";
  ca.replace("");
  EXPECT_EQ(works(), "done") << "emptied";
  ca.remove();
  EXPECT_EQ(works(), "done") << "missing";
  EXPECT_FALSE(running->ended());
  EXPECT_EQ(server.accepted(), 1);
  ca.replace(first_authority().certificate() + second_authority().certificate());
  EXPECT_EQ(works(), "done") << "changed";
  EXPECT_EQ(running->await_end(), ErrorCode::Unreachable);
  EXPECT_EQ(server.accepted(), 2);
}

TEST(CurlRotation, TRN_21_ConnectionsAreClosedOnlyWhenTheClientCertificateChanged) {
  ServerTls tls = http1_of(first_authority());
  tls.client_ca = first_authority().certificate();
  LoopbackServer server(name_the_client, {.tls = tls});
  const PemPair alice = first_authority().client("alice");
  const PemPair bob = first_authority().client("bob");
  const TlsFile certificate("client-of-21.crt", alice.certificate);
  const TlsFile key("client-of-21.key", alice.key);
  const auto transport =
      CurlTransport::create({.tls = {.ca = {.data = first_authority().certificate()},
                                     .certificate = {.file = certificate.path()},
                                     .key = {.file = key.path()}}})
          .value();
  EXPECT_EQ(body_or_error(round_trip(*transport, get_from(server), {})), "alice");
  certificate.replace(alice.certificate);
  EXPECT_EQ(body_or_error(round_trip(*transport, get_from(server), {})), "alice");
  EXPECT_EQ(server.accepted(), 1) << "written again, but the same";
  certificate.replace(bob.certificate);
  EXPECT_EQ(body_or_error(round_trip(*transport, get_from(server), {})), "alice") << "half a pair";
  EXPECT_EQ(server.accepted(), 1);
  key.replace(bob.key);
  EXPECT_EQ(body_or_error(round_trip(*transport, get_from(server), {})), "bob");
  EXPECT_EQ(server.accepted(), 2);
}

TEST(CurlRotation, TRN_22_OldConnectionsCloseNewOnesOpenAndStartsMayRaceIt) {
  std::atomic<int> open{0};
  ServerTls tls = http1_of(first_authority());
  tls.client_ca = first_authority().certificate();
  LoopbackServer server(
      [&](Peer& peer) {
        ++open;
        name_the_client(peer);
        --open;
      },
      {.tls = tls});
  const auto transport =
      CurlTransport::create({.tls = with_client(first_authority(), "client-0")}).value();
  std::atomic<bool> done{false};
  std::vector<std::jthread> callers;
  std::atomic<int> failures{0};
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      while (!done) failures += round_trip(*transport, get_from(server), {}) ? 0 : 1;
    });
  }
  for (int i = 1; i <= 5; ++i) {
    const std::string name = "client-" + std::to_string(i);
    ASSERT_TRUE(transport->replace_tls(with_client(first_authority(), name)));
    EXPECT_EQ(body_or_error(round_trip(*transport, get_from(server), {})), name);
  }
  done = true;
  callers.clear();
  EXPECT_EQ(failures, 0) << "a request in flight ends on its connection";
  ASSERT_TRUE(transport->replace_tls(with_client(first_authority(), "last")));
  EXPECT_EQ(body_or_error(round_trip(*transport, get_from(server), {})), "last");
  EXPECT_TRUE(testing::eventually([&] { return open == 1; })) << "all others are closed";
}

TEST(CurlRotation, ARequestInFlightEndsOnTheOldConnectionAndThenThatCloses) {
  std::latch slow(1);
  LoopbackServer server(http2(watched(&slow)), {.tls = http2_of(first_authority())});
  const auto transport =
      CurlTransport::create({.tls = {.ca = {.data = first_authority().certificate()}}}).value();
  const auto running = std::make_shared<Recording>();
  transport->start(get_from(server, "/slow"), running, {});
  EXPECT_TRUE(transport->replace_tls(
      {.ca = {.data = first_authority().certificate() + second_authority().certificate()}}));
  EXPECT_FALSE(running->ended());
  slow.count_down();
  EXPECT_EQ(running->await_end(), std::nullopt);
  EXPECT_EQ(running->body(), "done");
}

TEST(CurlRotation, UnusableMaterialIsAnErrorAndChangesNothing) {
  LoopbackServer server(http2(watched()), {.tls = http2_of(first_authority())});
  const auto transport =
      CurlTransport::create({.tls = {.ca = {.data = first_authority().certificate()}}}).value();
  EXPECT_EQ(body_or_error(round_trip(*transport, get_from(server), {})), "done");
  const auto replaced = transport->replace_tls({.ca = {.data = "garbage"}});
  EXPECT_EQ(code_of(replaced), ErrorCode::Credentials);
  EXPECT_EQ(body_or_error(round_trip(*transport, get_from(server), {})), "done");
  EXPECT_EQ(server.accepted(), 1);
}

TEST(CurlRotation, AChangeThatCannotBeUsedIsReportedOnceAndKeepsBackNothingElse) {
  ServerTls tls = http1_of(second_authority());
  tls.client_ca = first_authority().certificate();
  LoopbackServer server(name_the_client, {.tls = tls});
  const PemPair alice = first_authority().client("alice");
  const TlsFile ca("reported-ca.crt", first_authority().certificate());
  const TlsFile certificate("reported.crt", alice.certificate);
  const TlsFile key("reported.key", alice.key);
  const auto logger = std::make_shared<testing::RecordingLogger>(LogLevel::Warning);
  const auto transport = CurlTransport::create({.tls = {.ca = {.file = ca.path()},
                                                        .certificate = {.file = certificate.path()},
                                                        .key = {.file = key.path()}},
                                                .logger = logger})
                             .value();
  const auto name = [&] { return body_or_error(round_trip(*transport, get_from(server), {})); };
  const std::string warning =
      "warning transport: TLS files that have changed can't be used; the last ones are still used "
      "error=";
  EXPECT_EQ(code_of(round_trip(*transport, get_from(server), {})), ErrorCode::Credentials);
  key.replace("garbage");
  ca.replace(second_authority().certificate());
  EXPECT_EQ(name(), "alice") << "the new CA, with the old pair";
  EXPECT_EQ(name(), "alice");
  EXPECT_THAT(logger->take_lines(),
              ::testing::ElementsAre(warning + "the client key file " + key.path() +
                                     " contains no PEM private key"));
  key.replace(alice.key);
  EXPECT_EQ(name(), "alice");
  EXPECT_THAT(logger->take_lines(), ::testing::IsEmpty());
  ca.replace("");
  EXPECT_EQ(name(), "alice");
  EXPECT_THAT(logger->take_lines(),
              ::testing::ElementsAre(warning + "the CA file " + ca.path() + " is empty"));
}

TEST(CurlRotation, ReplacedSettingsKeepAFileThatCannotBeUsedNow) {
  ServerTls tls = http1_of(first_authority());
  tls.client_ca = first_authority().certificate();
  LoopbackServer server(name_the_client, {.tls = tls});
  const TlsFile ca("replaced-ca.crt", first_authority().certificate());
  const auto with = [&](const std::string& client) {
    TlsConfig config = with_client(first_authority(), client);
    config.ca = {.file = ca.path()};
    return config;
  };
  const auto transport = CurlTransport::create({.tls = with("alice")}).value();
  EXPECT_EQ(body_or_error(round_trip(*transport, get_from(server), {})), "alice");
  for (const auto& [contents, client] :
       {std::pair("garbage", "bob"), std::pair("", "carol"), std::pair("more garbage", "dave")}) {
    ca.replace(contents);
    const auto replaced = transport->replace_tls(with(client));
    EXPECT_TRUE(replaced) << error_text(replaced);
    EXPECT_EQ(body_or_error(round_trip(*transport, get_from(server), {})), client);
  }
  const TlsFile other("replaced-other.crt", "garbage");
  TlsConfig config = with("eve");
  config.ca = {.file = other.path()};
  EXPECT_EQ(code_of(transport->replace_tls(config)), ErrorCode::Credentials) << "another file";
}

TEST(CurlRotation, FilesAreCheckedWithoutARequestToo) {
  LoopbackServer server(http2(watched()), {.tls = http2_of(first_authority())});
  const TlsFile ca("idle-ca.crt", first_authority().certificate());
  const auto clock = std::make_shared<testing::FakeClock>();
  const auto transport =
      CurlTransport::create(
          {.tls = {.ca = {.file = ca.path()}}, .http2_read_idle_timeout = 0ms, .clock = clock})
          .value();
  const auto running = std::make_shared<Recording>();
  transport->start(watch(server), running, {});
  running->await_body(5);
  ca.replace(second_authority().certificate());
  clock->advance(CurlTransport::Options().tls_check_period);
  EXPECT_EQ(running->await_end(), ErrorCode::Unreachable);
}

}  // namespace
}  // namespace kube::transport
