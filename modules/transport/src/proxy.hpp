// SPDX-License-Identifier: Apache-2.0
//
// Which proxy a request goes through, by the rules of Go's net/http, which users of Kubernetes'
// clients know. curl's own reading of the environment differs: no HTTP_PROXY in capitals, and
// loopback addresses go through the proxy.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::transport {

/// A proxy in parts: what prints a URL, curl among it, gets one without a password.
struct Proxy {
  std::string url{};  ///< "http://host:port"
  std::string user{};
  std::string password{};
  bool has_credentials = false;

  /// Takes "scheme://[user[:password]@]host[:port]", where the scheme is http, https, socks5 or
  /// socks5h and the port has its default: 80, 443, 1080.
  /// @par Errors   InvalidArgument: what is wrong, without any part of the text but the scheme.
  static Result<Proxy> parse(std::string_view text);
};

/// @par Thread safety   Constant.
class ProxyRules {
 public:
  /// The variable's value, empty when unset.
  using Environment = std::function<std::string(const char* name)>;

  ProxyRules() = default;
  /// One proxy for all requests.
  static ProxyRules always(Proxy proxy);
  /// HTTPS_PROXY for https, HTTP_PROXY for http (unless REQUEST_METHOD says that this is a CGI
  /// program, whose HTTP_PROXY a client can set), NO_PROXY for exceptions; also in small letters.
  /// Without a scheme a proxy is an http one. A value that is no proxy fails the requests that
  /// would go through it, and no others.
  static ProxyRules from_environment(const Environment& environment);
  /// The environment of this process.
  static ProxyRules from_environment();

  /// The proxy, null for a direct connection. `host` without brackets. Valid as long as the rules.
  /// @par Errors   Config: the variable that holds no proxy, and why; never what it holds.
  Result<const Proxy*> proxy_for(bool https, std::string_view host, std::uint16_t port) const;

 private:
  bool is_exempt(std::string_view host, std::uint16_t port) const;

  // Without a proxy: not set.
  using Setting = std::optional<Result<Proxy>>;
  static Setting read(const Environment& environment, const char* capitals, const char* small);

  Setting http_;
  Setting https_;
  std::string exceptions_;
  bool always_ = false;
};

}  // namespace kube::transport
