// SPDX-License-Identifier: Apache-2.0
#include "secured_front.hpp"

#include <string_view>
#include <utility>

namespace rotation {

using kube::transport::LoopbackServer;
using kube::transport::Peer;
using kube::transport::ServerTls;
using kube::transport::TestAuthority;

namespace {

ServerTls tls_of(const TestAuthority& authority, bool demands_certificates) {
  ServerTls tls{.certificate = authority.server({"127.0.0.1", "kubernetes.default.svc"})};
  if (demands_certificates) tls.client_ca = authority.certificate();
  return tls;
}

// "list pods" for /api/v1/namespaces/n/pods?limit=500.
std::string kind_of(const Peer::Request& request) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  if (request.method != "GET") return request.method;
  const std::size_t namespaces = path.find("/namespaces/");
  std::string rest = namespaces == std::string::npos
                         ? path.substr(path.find("/v1/") + 4)
                         : path.substr(path.find('/', namespaces + 12) + 1);
  const std::size_t name = rest.find('/');
  if (name != std::string::npos) return "get " + rest.substr(0, name);
  const bool watch = request.target.find("watch=") != std::string::npos;
  return (watch ? "watch " : "list ") + rest;
}

std::string bearer_token_of(const std::string& head) {
  constexpr std::string_view kHeader = "Authorization: Bearer ";
  const std::size_t at = head.find(kHeader);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kHeader.size();
  return head.substr(begin, head.find('\r', begin) - begin);
}

std::string failure(const std::string& code, const std::string& reason) {
  const std::string body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":")" +
                           reason + R"(","reason":")" + reason + R"(","code":)" + code + "}";
  return "HTTP/1.1 " + code + " " + reason +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

}  // namespace

SecuredFront::SecuredFront(int api_server_port)
    : api_server_port_(api_server_port),
      server_([this](Peer& peer) { serve(peer); },
              LoopbackServer::Options{.tls = tls_of(TestAuthority("unused"), false)}) {}

void SecuredFront::use_authority(const TestAuthority& authority, bool demands_certificates) {
  server_.renew(tls_of(authority, demands_certificates));
}

void SecuredFront::use_token(const std::string& token) {
  const std::lock_guard lock(mutex_);
  token_ = token;
}

void SecuredFront::use_token_check(std::function<bool(const std::string& token)> is_valid) {
  const std::lock_guard lock(mutex_);
  is_valid_ = std::move(is_valid);
}

void SecuredFront::use_client(const std::string& name) {
  const std::lock_guard lock(mutex_);
  client_ = name;
}

void SecuredFront::use_path(const std::string& path) {
  const std::lock_guard lock(mutex_);
  path_ = path;
}

void SecuredFront::cut() {
  const std::lock_guard lock(mutex_);
  for (Peer* peer : responding_) peer->abort();
}

int SecuredFront::passed_on(const std::string& kind) const {
  const std::lock_guard lock(mutex_);
  const auto found = passed_on_.find(kind);
  return found == passed_on_.end() ? 0 : found->second;
}

std::string SecuredFront::newest_client() const {
  const std::lock_guard lock(mutex_);
  return newest_client_;
}

bool SecuredFront::remove_path(Peer::Request& request) const {
  const std::lock_guard lock(mutex_);
  if (!request.target.starts_with(path_ + "/")) return false;
  request.target.erase(0, path_.size());
  request.head.erase(request.method.size() + 1, path_.size());
  return true;
}

bool SecuredFront::is_permitted(const Peer::Request& request, const std::string& client) {
  const std::string token = bearer_token_of(request.head);
  const std::lock_guard lock(mutex_);
  const bool has_token = (token_.empty() || token == token_) && (!is_valid_ || is_valid_(token));
  return has_token && (client_.empty() || client == client_);
}

void SecuredFront::serve(Peer& peer) {
  while (auto request = peer.read_request()) {
    if (!remove_path(*request)) {
      peer.write(failure("404", "NotFound"));
      continue;
    }
    const std::string client = peer.client_name();
    if (!is_permitted(*request, client)) {
      ++refused_;
      peer.write(failure("401", "Unauthorized"));
      continue;
    }
    {
      const std::lock_guard lock(mutex_);
      newest_client_ = client;
      ++passed_on_[kind_of(*request)];
      responding_.insert(&peer);
    }
    peer.forward_to(api_server_port_, request->head + "Connection: close\r\n\r\n" + request->body);
    const std::lock_guard lock(mutex_);
    responding_.erase(&peer);
    return;
  }
}

}  // namespace rotation
