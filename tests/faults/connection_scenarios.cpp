// SPDX-License-Identifier: Apache-2.0
//
// Servers that fail before they say anything, or in the way they say it.
#include "answers.hpp"
#include "curl_answers.hpp"
#include "fault_server.hpp"
#include "scenario.hpp"
#include "wire.hpp"

namespace faults {
namespace {

using namespace std::chrono_literals;
using kube::transport::chunk;

// What a connection meets that nobody asked anything.
std::vector<Scenario> before_the_request() {
  std::vector<Scenario> all;
  all.push_back({.name = "refused",
                 .server = "refuses connections",
                 .bounds = {.says = "refused"},
                 .listens = false});
  all.push_back(
      {.name = "accept-close", .server = "accepts and closes", .connection = [](Connection&) {}});
  all.push_back({.name = "accept-reset",
                 .server = "accepts and resets",
                 .connection = [](Connection& connection) { connection.reset(); }});
  all.push_back({.name = "accept-silence",
                 .server = "accepts and says nothing",
                 .connection = [](Connection& connection) { connection.hang(); }});
  all.push_back(
      {.name = "not-http", .server = "speaks SSH", .connection = [](Connection& connection) {
         connection.write("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n");
         connection.peer().read_some();
       }});
  all.push_back({.name = "restarts", .server = "restarts every second", .restart_every = 1s});
  return all;
}

std::vector<Scenario> tls_faults() {
  const Setup https{.https = true};
  std::vector<Scenario> all;
  all.push_back({.name = "tls-plain-server",
                 .server = "speaks plain HTTP on the port of an https URL",
                 .setup = https,
                 .connection = [](Connection& connection) {
                   connection.peer().read_some();
                   connection.write(http_answer_of("text/plain", 400, "this is plain HTTP"));
                 }});
  all.push_back({.name = "tls-plain-client",
                 .server = "speaks TLS on the port of an http URL",
                 .certificate = Certificate::Good});
  all.push_back({.name = "tls-other-name",
                 .server = "has a certificate for another host",
                 .setup = https,
                 .bounds = {.says = "certificate"},
                 .certificate = Certificate::OtherName});
  all.push_back({.name = "tls-stranger",
                 .server = "has a certificate of an authority that is not trusted",
                 .setup = https,
                 .bounds = {.says = "certificate"},
                 .certificate = Certificate::Stranger});
  all.push_back({.name = "tls-silence",
                 .server = "accepts and never shakes hands",
                 .setup = https,
                 .connection = [](Connection& connection) { connection.hang(); }});
  return all;
}

std::vector<Scenario> broken_heads() {
  const std::string body = HonestServer(old_world()).list_body();
  std::vector<Scenario> all;
  all.push_back({.name = "head-slow",
                 .server = "sends a byte of the head each second",
                 .list = [](Connection& connection, const Call&) {
                   const std::string head = http_head(200, "Content-Type: application/json\r\n");
                   for (const char byte : head) {
                     if (!connection.write({&byte, 1}) || !connection.pause(1s)) return false;
                   }
                   return false;
                 }});
  all.push_back({.name = "head-reset",
                 .server = "resets in the middle of the head",
                 .list = then_reset("HTTP/1.1 200 OK\r\nContent-")});
  all.push_back({.name = "head-close",
                 .server = "closes in the middle of the head",
                 .list = then_close("HTTP/1.1 200 OK\r\nContent-")});
  all.push_back(
      {.name = "head-endless-lines",
       .server = "sends header lines for ever",
       .list = flood("HTTP/1.1 200 OK\r\n", "X-More: " + std::string(1000, 'm') + "\r\n")});
  all.push_back({.name = "head-endless-line",
                 .server = "sends one header line for ever",
                 .list = flood("HTTP/1.1 200 OK\r\nX-Long: ", std::string(4096, 'l'))});
  all.push_back({.name = "head-1xx-slow",
                 .server = "says 100 Continue ten times a second, for ever",
                 .list = drip("", "HTTP/1.1 100 Continue\r\n\r\n", 100ms)});
  all.push_back({.name = "head-1xx-flood",
                 .server = "says 103 Early Hints as fast as it can, for ever",
                 .list = flood("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
                 .heavy = true});
  all.push_back({.name = "head-no-status",
                 .server = "leaves the status out of the status line",
                 .list = then_close("HTTP/1.1 \r\nContent-Length: 2\r\n\r\n{}")});
  all.push_back({.name = "head-two-lengths",
                 .server = "sends two Content-Length that differ",
                 .list = then_close(http_answer(200, body, "Content-Length: 3\r\n"))});
  return all;
}

std::vector<Scenario> broken_bodies() {
  const std::string body = HonestServer(old_world()).list_body();
  const std::string chunked =
      http_head(200, "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n");
  const std::string longer = http_head(200, "Content-Type: application/json\r\nContent-Length: " +
                                                std::to_string(body.size() + 9) + "\r\n");
  std::vector<Scenario> all;
  all.push_back({.name = "body-slow",
                 .server = "sends a byte of the body each second",
                 .list = drip(longer, "{", 1s)});
  all.push_back({.name = "body-reset",
                 .server = "resets in the middle of the body",
                 .list = then_reset(longer + body.substr(0, body.size() / 2))});
  all.push_back({.name = "body-close",
                 .server = "closes before Content-Length is reached",
                 .list = then_close(longer + body)});
  all.push_back({.name = "body-silence",
                 .server = "stops in the middle of the body",
                 .list = then_hang(longer + body.substr(0, body.size() / 2))});
  all.push_back({.name = "body-longer",
                 .server = "sends more than Content-Length says",
                 .list = always(http_answer(200, body) + "HTTP/1.1 garbage")});
  all.push_back({.name = "body-shorter-length",
                 .server = "says a Content-Length that cuts the list",
                 .list = then_close(http_head(200, "Content-Length: 40\r\n") + body)});
  all.push_back({.name = "chunk-garbage",
                 .server = "sends a chunk size that is no number",
                 .list = then_close(chunked + "zz\r\n" + body)});
  all.push_back({.name = "chunk-huge",
                 .server = "says that a chunk has 2^64 bytes",
                 .list = then_close(chunked + "10000000000000000\r\n" + body)});
  all.push_back({.name = "chunk-cut",
                 .server = "leaves the last chunk out",
                 .list = then_close(chunked + chunk(body))});
  all.push_back({.name = "chunk-endless-extension",
                 .server = "sends a chunk extension for ever",
                 .list = flood(chunked + "2;a=", std::string(std::size_t{64} << 10, 'b')),
                 .heavy = true});
  all.push_back({.name = "body-endless-trailers",
                 .server = "sends trailers for ever",
                 .bounds = {.says = "more than 64 KiB of trailers"},
                 .list = flood(endless_trailers(body), trailer())});
  all.push_back({.name = "gzip-garbage",
                 .server = "says gzip and sends JSON",
                 .list = always(http_answer(200, body, "Content-Encoding: gzip\r\n"))});
  return all;
}

}  // namespace

std::vector<Scenario> connection_scenarios() {
  std::vector<Scenario> all = before_the_request();
  for (const auto& more : {tls_faults(), broken_heads(), broken_bodies()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace faults
