// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/inspection.hpp>

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>

#include <kube/base/printable.hpp>
#include <kube/transport/url.hpp>

#include "openssl.hpp"

namespace kube::certificate {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct HostPort {
  std::string host{};
  std::string port{};
};

Result<HostPort> split(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  HostPort parts;
  if (colon != std::string::npos) {
    parts = {address.substr(0, colon), address.substr(colon + 1)};
  }
  if (parts.host.size() > 2 && parts.host.front() == '[' && parts.host.back() == ']') {
    parts.host = parts.host.substr(1, parts.host.size() - 2);
  } else if (parts.host.find(':') != std::string::npos) {
    parts.host.clear();
  }
  if (!parts.host.empty() && !parts.port.empty()) return parts;
  return Error(ErrorCode::InvalidArgument,
               "\"" + printable(address) + "\" is not an address: expected host:port");
}

// One handshake without any check of the peer.
class Handshake {
 public:
  Handshake(HostPort peer, const InspectionOptions& options)
      : peer_(std::move(peer)), options_(options) {
    tls_.set_verify_mode(asio::ssl::verify_none);
    error_code not_an_address;
    asio::ip::make_address(peer_.host, not_an_address);
    std::string name = options.server_name;
    if (name.empty() && not_an_address) name = peer_.host;
    if (!name.empty()) SSL_set_tlsext_host_name(stream_.native_handle(), name.c_str());
  }

  Result<void> run(const std::stop_token& stop) {
    resolver_.async_resolve(peer_.host, peer_.port, [this](error_code failed, auto found) {
      if (failed) return finish("cannot resolve", failed);
      asio::async_connect(stream_.next_layer(), found, [this](error_code refused, auto) {
        if (refused) return finish("cannot connect to", refused);
        stream_.async_handshake(asio::ssl::stream_base::client, [this](error_code broken) {
          finish("the TLS handshake failed with", broken);
        });
      });
    });
    const std::stop_callback wake(stop, [this] { context_.stop(); });
    context_.run_for(options_.timeout);
    if (outcome_) return *outcome_;
    const std::string where = peer_.host + ":" + peer_.port;
    if (stop.stop_requested()) {
      return Error(ErrorCode::Cancelled, "stopped during the TLS handshake with " + where);
    }
    return Error(ErrorCode::Timeout, "no TLS handshake with " + where + " within " +
                                         std::to_string(options_.timeout.count()) + " ms");
  }

  SSL* tls() { return stream_.native_handle(); }

 private:
  void finish(std::string_view what, error_code failed) {
    outcome_.emplace();
    if (!failed) return;
    outcome_ = Error(ErrorCode::Unreachable, std::string(what) + " " + peer_.host + ":" +
                                                 peer_.port + ": " + failed.message());
  }

  const HostPort peer_;
  const InspectionOptions& options_;
  asio::io_context context_{1};
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  tcp::resolver resolver_{context_};
  asio::ssl::stream<tcp::socket> stream_{context_, tls_};
  std::optional<Result<void>> outcome_;
};

// Calls `read` with the connection after the handshake.
Result<void> inspect(const std::string& address, const InspectionOptions& options,
                     const std::stop_token& stop, const std::function<void(SSL*)>& read) {
  auto peer = split(address);
  if (!peer) return peer.error();
  Handshake handshake(*std::move(peer), options);
  auto done = handshake.run(stop);
  if (done) read(handshake.tls());
  forget_openssl_errors();
  return done;
}

}  // namespace

Result<std::vector<std::string>> client_authorities(const std::string& address,
                                                    const InspectionOptions& options,
                                                    std::stop_token stop) {
  std::vector<std::string> names;
  const auto done = inspect(address, options, stop, [&](SSL* tls) {
    const STACK_OF(X509_NAME)* found = SSL_get0_peer_CA_list(tls);
    for (int i = 0; found != nullptr && i < sk_X509_NAME_num(found); ++i) {
      names.push_back(one_line(sk_X509_NAME_value(found, i)));
    }
  });
  if (!done) return done.error();
  return names;
}

Result<std::vector<Certificate>> serving_certificates(const std::string& address,
                                                      const InspectionOptions& options,
                                                      std::stop_token stop) {
  std::vector<Certificate> certificates;
  const auto done = inspect(address, options, stop, [&](SSL* tls) {
    STACK_OF(X509)* chain = SSL_get_peer_cert_chain(tls);
    for (int i = 0; chain != nullptr && i < sk_X509_num(chain); ++i) {
      X509* certificate = sk_X509_value(chain, i);
      X509_up_ref(certificate);
      certificates.push_back(make_certificate(X509Ptr(certificate)));
    }
  });
  if (!done) return done.error();
  return certificates;
}

Result<std::string> address_of_url(const std::string& url) {
  const auto parsed = transport::parse_server_url(url);
  if (!parsed) return parsed.error();
  return parsed->has_port ? parsed->authority : parsed->authority + ":443";
}

}  // namespace kube::certificate
