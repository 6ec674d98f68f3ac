// SPDX-License-Identifier: Apache-2.0
//
// A TLS server in front of the embedded API server, whose certificate, authority and credentials
// the test changes.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "loopback_server.hpp"

namespace rotation {

/// @par Thread safety   All functions may be called from any thread.
class SecuredFront {
 public:
  explicit SecuredFront(int api_server_port);

  std::string url() const { return server_.url(""); }
  /// New connections get a certificate of this authority, and must show one of it if
  /// `demands_certificates`.
  void use_authority(const kube::transport::TestAuthority& authority, bool demands_certificates);
  /// Requests need this token, or get a 401; empty: none.
  void use_token(const std::string& token);
  /// Requests need a token that `is_valid` accepts, or get a 401. Called by several threads.
  void use_token_check(std::function<bool(const std::string& token)> is_valid);
  /// Requests need a client certificate with this name, or get a 401; empty: none.
  void use_client(const std::string& name);
  /// Requests need this path before that of the API, as Rancher's do, or get a 404; empty: none.
  void use_path(const std::string& path);
  /// Cuts off the responses that are under way.
  void cut();

  /// Requests that were passed on, by kind: "list pods", "watch pods", "get pods".
  int passed_on(const std::string& kind) const;
  int refused() const { return refused_; }
  /// The name in the client's certificate of the newest request.
  std::string newest_client() const;

 private:
  void serve(kube::transport::Peer& peer);
  bool remove_path(kube::transport::Peer::Request& request) const;
  bool is_permitted(const kube::transport::Peer::Request& request, const std::string& client);

  const int api_server_port_;
  mutable std::mutex mutex_;
  std::string token_;
  std::function<bool(const std::string& token)> is_valid_;
  std::string client_;
  std::string path_;
  std::string newest_client_;
  std::map<std::string, int> passed_on_;
  std::set<kube::transport::Peer*> responding_;
  std::atomic<int> refused_{0};
  kube::transport::LoopbackServer server_;
};

}  // namespace rotation
