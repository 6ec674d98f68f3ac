// SPDX-License-Identifier: Apache-2.0
//
// The server under test as clusters are reached: by https, with credentials, and through proxies.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "loopback_server.hpp"
#include "test_pki.hpp"

namespace scenarios {

/// The server under test on https://127.0.0.1, a token and a client certificate that it accepts,
/// and ones that it answers with 401. The embedded one has a front with TLS, of tests/rotation.
class SecuredServer {
 public:
  /// What the front demands. A real server accepts both.
  enum class Demand { Token, Certificate };
  /// A name in the server's certificate, beside its address.
  static constexpr const char* kName = "kubernetes.default.svc";

  explicit SecuredServer(Demand demand);
  ~SecuredServer();
  /// False for a real server that is not of tests/cluster: its files are not here.
  static bool exists();

  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  int port() const { return port_; }
  const std::string& authority() const { return authority_; }  ///< PEM
  const std::string& token() const { return token_; }
  const kube::transport::PemPair& certificate() const { return certificate_; }
  const kube::transport::PemPair& unknown_certificate() const { return unknown_certificate_; }

 private:
  struct Front;
  std::unique_ptr<Front> front_;
  int port_ = 0;
  std::string authority_;
  std::string token_;
  kube::transport::PemPair certificate_;
  kube::transport::PemPair unknown_certificate_;
};

/// A proxy that leads kUnresolvedHost, which it alone resolves, to a port of 127.0.0.1. It refuses
/// other hosts; that of HTTP has a user, too.
/// @par Thread safety   All functions may be called from any thread.
class NamingProxy {
 public:
  enum class Protocol { HttpConnect, Socks5 };

  NamingProxy(Protocol protocol, int server_port);

  std::string url() const;  ///< With the user and the password.
  std::string url_without_user() const;
  std::string server_url() const;  ///< What a client asks for.
  /// What clients have asked for: "host:port".
  std::set<std::string> targets() const;
  void cut() { proxy_.cut(); }

 private:
  void serve_http(kube::transport::Peer& peer);
  void serve_socks(kube::transport::Peer& peer);
  bool leads(const std::string& target);

  const Protocol protocol_;
  const int server_port_;
  mutable std::mutex mutex_;
  std::set<std::string> targets_;
  kube::transport::LoopbackServer proxy_;
};

}  // namespace scenarios
