// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/curl_transport.hpp>

#include <array>
#include <latch>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <kube/transport/exchange_failure.hpp>

#include "loopback_server.hpp"
#include "recording.hpp"
#include "tls_file.hpp"

namespace kube::transport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Says who called, by which name, and with which protocol.
void introduce(Peer& peer) {
  while (const auto request = peer.read_request()) {
    const std::size_t host = request->head.find("Host: ") + 6;
    const std::string body =
        "client=" + peer.client_name() + " sni=" + peer.server_name() +
        " host=" + request->head.substr(host, request->head.find('\r', host) - host);
    peer.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
               body);
  }
}

class CurlTls : public ::testing::Test {
 protected:
  static const TestAuthority& authority() {
    static const TestAuthority one("kube test CA");
    return one;
  }
  static const TestAuthority& other_authority() {
    static const TestAuthority one("another CA");
    return one;
  }
  static ServerTls server_tls(const std::vector<std::string>& names = {"127.0.0.1", "localhost"}) {
    return {.certificate = authority().server(names)};
  }

  // The answer's body, or the error.
  static Result<std::string> call(const std::string& url, TlsConfig tls,
                                  CurlTransport::Options options = {}) {
    options.tls = std::move(tls);
    const auto transport = CurlTransport::create(std::move(options));
    if (!transport) return transport.error();
    HttpRequest request;
    request.url = url;
    Result<HttpResponse> response = round_trip(**transport, std::move(request), {});
    if (!response) return response.error();
    return response->body;
  }

  static std::string creation_error(TlsConfig tls) {
    const auto transport = CurlTransport::create({.tls = std::move(tls)});
    if (transport) return "created";
    return std::string(to_string(transport.error().code())) + ": " + transport.error().to_string();
  }
};

TEST_F(CurlTls, TRN_03_TrustsTheGivenRootsFromMemoryAndFromAFile) {
  LoopbackServer server(introduce, {.tls = server_tls()});
  const auto from_memory = call(server.url(), {.ca = {.data = authority().certificate()}});
  EXPECT_TRUE(from_memory) << error_text(from_memory);
  const TlsFile file("ca.crt", authority().certificate());
  EXPECT_TRUE(call(server.url(), {.ca = {.file = file.path()}}));
  // Bytes win over a file, even one that isn't there.
  EXPECT_TRUE(
      call(server.url(), {.ca = {.data = authority().certificate(), .file = "/no/such/file"}}));
}

TEST_F(CurlTls, AnUnknownRootIsRefused) {
  LoopbackServer server(introduce, {.tls = server_tls()});
  for (const PemSource& ca : {PemSource{}, PemSource{.data = other_authority().certificate()}}) {
    const auto answer = call(server.url("/secret?token=x"), {.ca = ca});
    ASSERT_FALSE(answer);
    EXPECT_EQ(code_of(answer), ErrorCode::Credentials) << error_text(answer);
    EXPECT_THAT(error_text(answer), AllOf(HasSubstr("certificate"), Not(HasSubstr("token"))));
  }
}

TEST_F(CurlTls, TheInsecureFlagTrustsEveryone) {
  LoopbackServer server(introduce, {.tls = server_tls({"elsewhere.example"})});
  EXPECT_TRUE(call(server.url(), {.insecure_skip_verify = true}));
}

TEST_F(CurlTls, TheServerNameIsWhatIsAskedForAndVerified) {
  LoopbackServer server(introduce, {.tls = server_tls({"kubernetes.default"})});
  const std::string port = std::to_string(server.port());
  const PemSource ca{.data = authority().certificate()};
  EXPECT_EQ(code_of(call(server.url(), {.ca = ca})), ErrorCode::Credentials);
  const auto answer = call(server.url(), {.ca = ca, .server_name = "kubernetes.default"});
  ASSERT_TRUE(answer) << error_text(answer);
  EXPECT_EQ(*answer, "client= sni=kubernetes.default host=127.0.0.1:" + port);
  EXPECT_EQ(code_of(call(server.url(), {.ca = ca, .server_name = "kubernetes.other"})),
            ErrorCode::Credentials);
}

TEST_F(CurlTls, TRN_03_RootsThatCannotBeReadOrAreNotPemFailTheCreation) {
  EXPECT_THAT(
      creation_error({.ca = {.file = "/no/such/ca.crt"}}),
      AllOf(HasSubstr("Credentials"), HasSubstr("/no/such/ca.crt"), HasSubstr("No such file")));
  EXPECT_THAT(creation_error({.ca = {.data = "garbage"}}),
              AllOf(HasSubstr("Credentials"), HasSubstr("CA data"), HasSubstr("certificate"),
                    Not(HasSubstr("garbage"))));
  const TlsFile no_pem("no-pem.crt", "garbage");
  EXPECT_THAT(creation_error({.ca = {.file = no_pem.path()}}), HasSubstr(no_pem.path()));
  EXPECT_THAT(creation_error({.ca = {.file = "/"}}), HasSubstr("Credentials"));
}

TEST_F(CurlTls, TRN_04_RootsBesideTheInsecureFlagAreRefused) {
  EXPECT_EQ(
      creation_error({.ca = {.data = authority().certificate()}, .insecure_skip_verify = true}),
      "Config: specifying a root certificates file with the insecure flag is not allowed");
}

TEST_F(CurlTls, TRN_07_BadClientCertificatesAndKeysFailTheCreation) {
  const PemPair pair = authority().client("alice");
  const PemPair stranger = authority().client("bob");
  const auto error = [](PemSource certificate, KeySource key) {
    return creation_error({.certificate = std::move(certificate), .key = std::move(key)});
  };
  EXPECT_EQ(error({.data = pair.certificate}, {.data = pair.key, .file = "/no/such.key"}),
            "created");
  EXPECT_THAT(error({.data = pair.certificate}, {}), HasSubstr("without a key"));
  EXPECT_THAT(error({}, {.data = pair.key}), HasSubstr("without a certificate"));
  EXPECT_THAT(error({.data = "x"}, {.data = pair.key}), HasSubstr("client certificate data"));
  EXPECT_THAT(error({.data = pair.certificate}, {.data = "x"}), HasSubstr("client key data"));
  EXPECT_THAT(error({.file = "/no/such.crt"}, {.data = pair.key}), HasSubstr("/no/such.crt"));
  EXPECT_THAT(error({.data = pair.certificate}, {.file = "/no/such.key"}),
              HasSubstr("/no/such.key"));
  EXPECT_THAT(error({.data = pair.certificate}, {.data = stranger.key}),
              HasSubstr("does not belong"));
  EXPECT_THAT(error({.data = pair.certificate}, {.data = encrypted(pair.key)}),
              HasSubstr("is encrypted"));
}

TEST_F(CurlTls, AClientCertificateIsShownFromMemoryAndFromFiles) {
  ServerTls tls = server_tls();
  tls.client_ca = authority().certificate();
  LoopbackServer server(introduce, {.tls = tls});
  const PemSource ca{.data = authority().certificate()};
  const PemPair alice = authority().client("alice");
  const auto memory =
      call(server.url(),
           {.ca = ca, .certificate = {.data = alice.certificate}, .key = {.data = alice.key}});
  ASSERT_TRUE(memory) << error_text(memory);
  EXPECT_THAT(*memory, HasSubstr("client=alice"));

  const TlsFile certificate("client.crt", alice.certificate);
  const TlsFile key("client.key", alice.key);
  const auto files =
      call(server.url(),
           {.ca = ca, .certificate = {.file = certificate.path()}, .key = {.file = key.path()}});
  ASSERT_TRUE(files) << error_text(files);
  EXPECT_THAT(*files, HasSubstr("client=alice"));
}

TEST_F(CurlTls, AMissingOrUnknownClientCertificateIsACredentialsError) {
  // The server waits for the client to read its alert before it closes.
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    ServerTls tls = server_tls();
    tls.client_ca = authority().certificate();
    tls.highest_version = version;
    LoopbackServer server([](Peer& peer) { introduce(peer); }, {.tls = tls, .linger = true});
    const PemSource ca{.data = authority().certificate()};
    const auto none = call(server.url(), {.ca = ca});
    EXPECT_EQ(code_of(none), ErrorCode::Credentials) << error_text(none);
    ASSERT_FALSE(none);
    EXPECT_EQ(exchange_failure(none.error()), ExchangeFailure::NoConnection)
        << "no request was carried out";
    const PemPair stranger = other_authority().client("mallory");
    const auto unknown = call(
        server.url(),
        {.ca = ca, .certificate = {.data = stranger.certificate}, .key = {.data = stranger.key}});
    EXPECT_EQ(code_of(unknown), ErrorCode::Credentials) << error_text(unknown);
  }
}

// Between client and server: damages the first record with data of the client.
void damage_the_request(Peer& peer, int port) {
  const int upstream = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(upstream, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  std::jthread back([&] {
    std::array<char, 16384> bytes{};
    for (;;) {
      const ssize_t size = ::read(upstream, bytes.data(), bytes.size());
      if (size <= 0 || !peer.write({bytes.data(), static_cast<std::size_t>(size)})) break;
    }
    peer.abort();
  });
  constexpr char kData = 23;
  for (std::string bytes = peer.read_some(); !bytes.empty(); bytes = peer.read_some()) {
    if (bytes.front() == kData) bytes.back() = static_cast<char>(bytes.back() ^ 1);
    if (::write(upstream, bytes.data(), bytes.size()) < 0) break;
  }
  back.join();
  ::close(upstream);
}

TEST_F(CurlTls, AnAlertThatIsNotAboutCertificatesIsALostConnection) {
  ServerTls tls = server_tls();
  tls.highest_version = TLS1_2_VERSION;
  LoopbackServer server([](Peer& peer) { introduce(peer); }, {.tls = tls});
  LoopbackServer front([&](Peer& peer) { damage_the_request(peer, server.port()); });
  const auto transport =
      CurlTransport::create({.tls = {.ca = {.data = authority().certificate()}}}).value();
  HttpRequest request;
  request.method = "DELETE";
  request.url = "https://127.0.0.1:" + std::to_string(front.port()) + "/";
  const auto response = round_trip(*transport, request, {});
  ASSERT_FALSE(response);
  EXPECT_THAT(error_text(response), HasSubstr("bad record mac"));
  EXPECT_EQ(response.error().code(), ErrorCode::Unreachable);
  EXPECT_EQ(exchange_failure(response.error()), ExchangeFailure::LostAfterRequest);
}

TEST_F(CurlTls, RenewedFilesAreUsedByNewConnections) {
  ServerTls tls = server_tls();
  tls.client_ca = authority().certificate();
  // One request for each connection.
  LoopbackServer server(
      [](Peer& peer) {
        peer.read_request();
        const std::string body = peer.client_name();
        peer.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " +
                   std::to_string(body.size()) + "\r\n\r\n" + body);
      },
      {.tls = tls});
  const PemPair first = authority().client("first");
  const PemPair second = authority().client("second");
  TlsFile ca("renewed-ca.crt", authority().certificate());
  TlsFile certificate("renewed.crt", first.certificate);
  TlsFile key("renewed.key", first.key);
  const auto transport = CurlTransport::create({.tls = {.ca = {.file = ca.path()},
                                                        .certificate = {.file = certificate.path()},
                                                        .key = {.file = key.path()}}})
                             .value();
  HttpRequest request;
  request.url = server.url();
  EXPECT_EQ(body_or_error(round_trip(*transport, request, {})), "first");
  certificate.write(second.certificate);
  key.write(second.key);
  EXPECT_EQ(body_or_error(round_trip(*transport, request, {})), "second");
  // A key that can't be used changes nothing.
  key.write(encrypted(second.key));
  EXPECT_EQ(body_or_error(round_trip(*transport, request, {})), "second");
  key.write(second.key);
  ca.write(other_authority().certificate());
  EXPECT_EQ(code_of(round_trip(*transport, request, {})), ErrorCode::Credentials);
}

TEST_F(CurlTls, TRN_09_TlsBelow12IsRefused) {
  for (const int version : {TLS1_1_VERSION, TLS1_2_VERSION}) {
    ServerTls tls = server_tls();
    tls.highest_version = version;
    LoopbackServer server(introduce, {.tls = tls});
    const auto answer = call(server.url(), {.ca = {.data = authority().certificate()}});
    if (version == TLS1_2_VERSION) {
      EXPECT_TRUE(answer) << error_text(answer);
    } else {
      ASSERT_FALSE(answer);
      EXPECT_EQ(code_of(answer), ErrorCode::Credentials) << error_text(answer);
    }
  }
}

TEST_F(CurlTls, AServerWithoutTlsIsACredentialsError) {
  LoopbackServer server([](Peer& peer) {
    peer.read_some();
    peer.write("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  const auto answer = call("https://127.0.0.1:" + std::to_string(server.port()), {});
  EXPECT_EQ(code_of(answer), ErrorCode::Credentials) << error_text(answer);
}

TEST_F(CurlTls, AHandshakeThatIsCutOffIsUnreachable) {
  for (const bool reset : {false, true}) {
    LoopbackServer server([reset](Peer& peer) {
      peer.read_some();
      if (reset) peer.reset();
    });
    const auto answer = call("https://127.0.0.1:" + std::to_string(server.port()), {});
    EXPECT_EQ(code_of(answer), ErrorCode::Unreachable) << error_text(answer);
  }
}

TEST_F(CurlTls, ABodyCutOffInsideTlsIsUnreachable) {
  LoopbackServer server(
      [](Peer& peer) {
        peer.read_request();
        peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
      },
      {.tls = server_tls()});
  const auto answer = call(server.url(), {.ca = {.data = authority().certificate()}});
  EXPECT_EQ(code_of(answer), ErrorCode::Unreachable) << error_text(answer);
}

TEST_F(CurlTls, APausedBodyInsideTlsLosesNothing) {
  // TLS keeps decrypted bytes that no poll() of the socket announces.
  std::string sent;
  for (int i = 0; i < 200'000; ++i) sent += std::to_string(i) + ',';
  LoopbackServer server(
      [&](Peer& peer) {
        peer.read_request();
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(sent.size()) +
                   "\r\n\r\n");
        peer.write(sent);
        peer.await_close();
      },
      {.tls = server_tls()});
  const auto transport =
      CurlTransport::create({.tls = {.ca = {.data = authority().certificate()}}}).value();
  std::shared_ptr<Exchange> exchange;
  std::latch started(1);
  const auto handler = std::make_shared<Recording>([&](std::string_view) {
    started.wait();
    exchange->resume();
    return Flow::Pause;
  });
  HttpRequest request;
  request.url = server.url();
  exchange = transport->start(request, handler, {});
  started.count_down();
  EXPECT_EQ(handler->await_end(), std::nullopt);
  EXPECT_EQ(handler->body(), sent);
}

TEST_F(CurlTls, ATunnelThroughAProxyIsVerifiedEndToEnd) {
  LoopbackServer server(introduce, {.tls = server_tls({"api.invalid"})});
  std::string asked;
  LoopbackServer proxy([&](Peer& peer) {
    asked = peer.read_request()->target;
    peer.write("HTTP/1.1 200 Connection established\r\nX-Proxy: yes\r\n\r\n");
    peer.forward_to(server.port());
  });
  const auto transport = CurlTransport::create({.tls = {.ca = {.data = authority().certificate()}},
                                                .proxy_url = proxy.url()})
                             .value();
  HttpRequest request;
  request.url = "https://api.invalid:6443/x";
  const auto answer = round_trip(*transport, request, {});
  ASSERT_TRUE(answer) << error_text(answer);
  EXPECT_EQ(asked, "api.invalid:6443");
  EXPECT_EQ(answer->body, "client= sni=api.invalid host=api.invalid:6443");
  EXPECT_EQ(answer->headers.find("X-Proxy"), std::nullopt);
}

}  // namespace
}  // namespace kube::transport
