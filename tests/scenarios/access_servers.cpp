// SPDX-License-Identifier: Apache-2.0
#include "access_servers.hpp"

#include <cstdlib>

#include <kube/config/kubeconfig.hpp>

#include "secured_front.hpp"
#include "server_under_test.hpp"
#include "socks_request.hpp"

namespace scenarios {

using kube::transport::Peer;
using kube::transport::TestAuthority;

namespace {

// "me:secret".
constexpr const char* kProxyUser = "me:secret@";
constexpr const char* kProxyAuthorization = "Proxy-Authorization: Basic bWU6c2VjcmV0\r\n";

const char* files_of_server() {
  return std::getenv("KUBE_SCENARIO_SERVER_FILES");
}

int port_of(const std::string& url) {
  return std::stoi(url.substr(url.rfind(':') + 1));
}

}  // namespace

struct SecuredServer::Front {
  TestAuthority authority{"scenario CA"};
  rotation::SecuredFront server{port_of(server_config().host)};
};

SecuredServer::SecuredServer(Demand demand) {
  const kube::rest::Config config = server_config();
  if (on_real_server()) {
    port_ = port_of(config.host);
    authority_ = config.tls.ca.data;
    token_ = config.bearer_token.reveal();
    const auto by_certificate =
        kube::kubeconfig::load({.path = std::string(files_of_server()) + "/kubeconfig-cert"})
            .value();
    certificate_ = {by_certificate.tls.certificate.data, by_certificate.tls.key.data.reveal()};
    unknown_certificate_ = TestAuthority("unknown CA").client("cert-admin");
    return;
  }
  front_ = std::make_unique<Front>();
  port_ = port_of(front_->server.url());
  authority_ = front_->authority.certificate();
  token_ = "token-of-the-front";
  certificate_ = front_->authority.client("cert-admin");
  unknown_certificate_ = front_->authority.client("somebody");
  front_->server.use_authority(front_->authority, demand == Demand::Certificate);
  if (demand == Demand::Certificate) {
    front_->server.use_client("cert-admin");
  } else {
    front_->server.use_token(token_);
  }
}

SecuredServer::~SecuredServer() = default;

bool SecuredServer::exists() {
  return !on_real_server() || files_of_server() != nullptr;
}

NamingProxy::NamingProxy(Protocol protocol, int server_port)
    : protocol_(protocol), server_port_(server_port), proxy_([this](Peer& peer) {
        protocol_ == Protocol::Socks5 ? serve_socks(peer) : serve_http(peer);
      }) {}

std::string NamingProxy::url() const {
  if (protocol_ == Protocol::Socks5) return url_without_user();
  return "http://" + std::string(kProxyUser) + "127.0.0.1:" + std::to_string(proxy_.port());
}

std::string NamingProxy::url_without_user() const {
  const std::string scheme = protocol_ == Protocol::Socks5 ? "socks5" : "http";
  return scheme + "://127.0.0.1:" + std::to_string(proxy_.port());
}

std::string NamingProxy::server_url() const {
  return "https://" + std::string(kUnresolvedHost) + ":" + std::to_string(server_port_);
}

std::set<std::string> NamingProxy::targets() const {
  const std::lock_guard lock(mutex_);
  return targets_;
}

bool NamingProxy::leads(const std::string& target) {
  const std::lock_guard lock(mutex_);
  targets_.insert(target);
  return target == std::string(kUnresolvedHost) + ":" + std::to_string(server_port_);
}

void NamingProxy::serve_http(Peer& peer) {
  while (const auto request = peer.read_request()) {
    if (request->head.find(kProxyAuthorization) == std::string::npos) {
      peer.write(
          "HTTP/1.1 407 Proxy Authentication Required\r\n"
          "Proxy-Authenticate: Basic realm=\"test\"\r\nContent-Length: 0\r\n\r\n");
      continue;
    }
    if (request->method != "CONNECT" || !leads(request->target)) {
      peer.write("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
      continue;
    }
    peer.write("HTTP/1.1 200 Connection established\r\n\r\n");
    peer.forward_to(server_port_);
    return;
  }
}

void NamingProxy::serve_socks(Peer& peer) {
  if (leads(kube::transport::socks_target(peer))) peer.forward_to(server_port_);
}

}  // namespace scenarios
