// SPDX-License-Identifier: Apache-2.0
#include "listening.hpp"

#include <charconv>
#include <utility>

#include <kube/base/ascii.hpp>

namespace kube::cacheserver {
namespace {

constexpr std::string_view kUnix = "unix:";

Error wrong(std::string_view listen, const std::string& expected) {
  return Error(ErrorCode::InvalidArgument,
               "listen address \"" + std::string(listen) + "\": expected " + expected);
}

Result<void> read_address(std::string_view listen, serving::HttpServer::Options& out) {
  const std::size_t colon = listen.rfind(':');
  const std::string form = "ADDRESS:PORT with an IP address or localhost, or unix:PATH";
  if (colon == std::string_view::npos || colon == 0) return wrong(listen, form);
  std::string_view address = listen.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  }
  const std::string_view port = listen.substr(colon + 1);
  const auto read = std::from_chars(port.data(), port.data() + port.size(), out.port);
  if (read.ec == std::errc::result_out_of_range) return wrong(listen, "a port up to 65535");
  if (read.ec != std::errc{} || read.ptr != port.data() + port.size()) return wrong(listen, form);
  out.address = ascii::equal_ignoring_case(address, "localhost") ? "127.0.0.1" : address;
  return {};
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace

Result<serving::HttpServer::Options> http_options(const CacheServer::Options& options) {
  serving::HttpServer::Options out;
  const std::string_view listen = options.listen;
  if (listen.starts_with(kUnix)) {
    out.unix_path = listen.substr(kUnix.size());
    // The form of a URL, as a server prints it.
    if (out.unix_path.starts_with("///")) out.unix_path.erase(0, 2);
    if (out.unix_path.empty()) return wrong(listen, "a path after unix:");
  } else if (auto read = read_address(listen, out); !read) {
    return read.error();
  }
  if (options.tls_cert_file.empty() != options.tls_key_file.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "TLS: expected a certificate file and a key file, or neither");
  }
  const bool is_local = !out.unix_path.empty() || is_loopback(out.address);
  if (!is_local && (options.tls_cert_file.empty() || options.token_auth_file.empty() ||
                    options.authorization_rules_file.empty())) {
    return wrong(listen,
                 "loopback or a unix socket: for others on the network, give a certificate and key "
                 "(TLS), a file of tokens, and one of authorization rules");
  }
  if (!options.authorization_rules_file.empty() && options.token_auth_file.empty()) {
    return Error(ErrorCode::InvalidArgument,
                 "authorization rules: expected a file of tokens, too, which says who a caller is");
  }
  out.tls_cert_file = options.tls_cert_file;
  out.tls_key_file = options.tls_key_file;
  out.max_connections = options.max_connections;
  out.fresh_read_timeout = options.fresh_read_timeout;
  out.write_timeout = options.write_timeout;
  out.stream_timeout = options.list_timeout;
  out.stop_timeout = options.stop_timeout;
  return out;
}

}  // namespace kube::cacheserver
