// SPDX-License-Identifier: Apache-2.0
//
// What the network does, and those who sit in it.
#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include <kube/api/core/v1/pod.hpp>
#include <kube/config/transport_for.hpp>
#include <kube/testing/fake_clock.hpp>

#include "faults.hpp"
#include "http2_server.hpp"

namespace errors {
namespace {

using namespace std::chrono_literals;
using kube::Error;
using kube::transport::closed_port;
using kube::transport::http2;
using kube::transport::Http2Answer;
using kube::transport::Http2Request;
using kube::transport::LoopbackServer;
using kube::transport::Peer;
using kube::transport::ServerTls;
using kube::transport::TestAuthority;

const TestAuthority& authority() {
  static const TestAuthority one("the cluster's CA");
  return one;
}
const TestAuthority& another_authority() {
  static const TestAuthority one("another CA");
  return one;
}

Fault scripted(std::string what, LoopbackServer::Script script,
               Error (*call)(const kube::rest::Config&) = get) {
  return {std::move(what), [script = std::move(script), call] {
            LoopbackServer server(script);
            return call(config_for(server));
          }};
}

// The script behind TLS of the cluster's own authority.
Fault with_tls(std::string what, ServerTls tls, kube::transport::TlsConfig config,
               LoopbackServer::Script script, Error (*call)(const kube::rest::Config&) = get) {
  return {std::move(what),
          [tls = std::move(tls), config = std::move(config), script = std::move(script), call] {
            LoopbackServer server(script, {.tls = tls});
            kube::rest::Config settings = config_for(server);
            settings.tls = config;
            return call(settings);
          }};
}

Fault of_http2(std::string what, Http2Answer reply,
               Error (*call)(const kube::rest::Config&) = get) {
  return with_tls(std::move(what),
                  {.certificate = authority().server({"127.0.0.1"}), .protocols = {"h2"}},
                  {.ca = {.data = authority().certificate()}},
                  http2([reply](const Http2Request&) { return reply; }), call);
}

void silent(Peer& peer) {
  peer.read_request();
  peer.await_close();
}

void add_names_and_ports(std::vector<Fault>& faults) {
  faults.push_back({"no server listens", [] {
                      return get({.host = "http://127.0.0.1:" + std::to_string(closed_port())});
                    }});
  faults.push_back({"the name does not exist",
                    [] { return get({.host = "https://no-such-host.invalid:6443"}); }});
  faults.push_back({"the proxy does not answer", [] {
                      return get({.host = "https://cluster.invalid",
                                  .proxy_url = "http://user:password@127.0.0.1:" +
                                               std::to_string(closed_port())});
                    }});
  faults.push_back({"the proxy refuses", [] {
                      LoopbackServer proxy(answers(answer("403 Forbidden", "")));
                      return get({.host = "https://cluster.invalid", .proxy_url = proxy.url("")});
                    }});
}

void add_cuts(std::vector<Fault>& faults) {
  faults.push_back(scripted("the server closes the connection without an answer",
                            [](Peer& peer) { peer.read_request(); }));
  faults.push_back(scripted(
      "the server closes the connection without an answer to a write",
      [](Peer& peer) { peer.read_request(); }, create));
  faults.push_back(scripted("the connection is reset", [](Peer& peer) {
    peer.read_request();
    peer.reset();
  }));
  faults.push_back(scripted("the head is cut off", answers("HTTP/1.1 200 OK\r\nContent-")));
  faults.push_back(
      scripted("the body is cut off", answers("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{")));
  faults.push_back(
      scripted("the chunks are cut off",
               answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\r\n")));
  faults.push_back(
      scripted("the length of a chunk is not a number",
               answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")));
  faults.push_back(scripted("another protocol answers", answers("SSH-2.0-OpenSSH_9.2\r\n")));
  faults.push_back(scripted("an endless header line",
                            answers("HTTP/1.1 200 OK\r\nX-Long: " + std::string(200'000, 'a'))));
  std::string trailers;
  while (trailers.size() < 100'000) trailers += "X-More: " + std::string(1000, 'm') + "\r\n";
  faults.push_back(scripted(
      "endless trailers",
      answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + trailers)));
  faults.push_back(scripted("the body is not gzip as its header says",
                            answers(answer("200 OK\r\nContent-Encoding: gzip", "abcd"))));
}

// The server hangs; the time of its client passes when the request has arrived.
Fault hanging(std::string what, std::chrono::milliseconds kube::rest::Config::*limit,
              Error (*call)(const kube::rest::Config&) = get) {
  return {std::move(what), [limit, call] {
            const auto clock = std::make_shared<kube::testing::FakeClock>();
            LoopbackServer server([clock](Peer& peer) {
              peer.read_request();
              clock->advance(50ms);
              peer.await_close();
            });
            auto config = config_for(server);
            config.*limit = 50ms;
            config.wrap_transport = [clock](const auto&) {
              return kube::transport::CurlTransport::create({.clock = clock}).value();
            };
            return call(config);
          }};
}

void add_silences(std::vector<Fault>& faults) {
  using kube::rest::Config;
  faults.push_back(hanging("the server hangs", &Config::idle_timeout));
  faults.push_back(
      hanging("the server hangs, and the request was a write", &Config::idle_timeout, create));
  faults.push_back(hanging("the answer takes longer than the timeout", &Config::timeout));
  faults.push_back({"the caller stops", [] {
                      std::stop_source stop;
                      LoopbackServer server([stop](Peer& peer) mutable {
                        peer.read_request();
                        stop.request_stop();
                        peer.await_close();
                      });
                      const auto client = kube::Client::create(config_for(server));
                      return error_of(client->api<kube::core::v1::Pod>("web").get(
                          "front-0", {}, stop.get_token()));
                    }});
}

void add_tls(std::vector<Fault>& faults) {
  const ServerTls server{.certificate = authority().server({"127.0.0.1"})};
  const kube::transport::TlsConfig trusting{.ca = {.data = authority().certificate()}};
  faults.push_back(with_tls("another authority has signed the server's certificate", server,
                            {.ca = {.data = another_authority().certificate()}}, silent));
  faults.push_back(with_tls("the server's certificate is for another name",
                            {.certificate = authority().server({"other.example"})}, trusting,
                            silent));
  faults.push_back({"https, and the server speaks http", [] {
                      LoopbackServer plain([](Peer& peer) {
                        peer.read_some();
                        peer.write(answer("400 Bad Request", ""));
                      });
                      return get({.host = "https://127.0.0.1:" + std::to_string(plain.port())});
                    }});
  faults.push_back({"http, and the server speaks https", [server] {
                      LoopbackServer tls(silent, {.tls = server});
                      return get({.host = "http://127.0.0.1:" + std::to_string(tls.port())});
                    }});
}

void add_http2(std::vector<Fault>& faults) {
  faults.push_back(of_http2("HTTP/2: the server refuses the stream", {.refuse = true}, create));
  faults.push_back(of_http2("HTTP/2: the server goes away before it answers",
                            {.silent = true, .go_away = true}, create));
  faults.push_back(of_http2("HTTP/2: the connection is cut", {.cut = true}, create));
}

}  // namespace

std::vector<Fault> connection_faults() {
  std::vector<Fault> faults;
  add_names_and_ports(faults);
  add_cuts(faults);
  add_silences(faults);
  add_tls(faults);
  add_http2(faults);
  return faults;
}

}  // namespace errors
