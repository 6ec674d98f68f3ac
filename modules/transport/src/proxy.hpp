// SPDX-License-Identifier: Apache-2.0
//
// Finds the proxy of a request, by the rules of Go's net/http, which users of Kubernetes' clients
// know. curl's own reading of the environment differs: it ignores HTTP_PROXY in capitals, and uses
// the proxy for loopback addresses.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/base/secret_text.hpp>

namespace kube::transport {

/// A proxy in parts: functions that print a URL, including curl's, receive one without a password.
struct Proxy {
  std::string url{};  ///< "http://host:port"
  std::string user{};
  SecretText password{};
  bool has_credentials = false;

  /// Parses "scheme://[user[:password]@]host[:port]", where the scheme is http, https, socks5 or
  /// socks5h and the port has its default: 80, 443, 1080. A SOCKS proxy resolves the host's name.
  /// @par Errors   InvalidArgument with the reason; of the text it shows at most the scheme.
  static Result<Proxy> parse(std::string_view text);
};

/// @par Thread safety   Constant.
class ProxyRules {
 public:
  /// Returns the variable's value, empty when unset.
  using Environment = std::function<std::string(const char* name)>;

  ProxyRules() = default;
  static ProxyRules always(Proxy proxy);
  /// Uses HTTPS_PROXY for https, HTTP_PROXY for http (unless REQUEST_METHOD says that this is a CGI
  /// program, whose HTTP_PROXY a client can set), and NO_PROXY for exceptions; also in lower case.
  /// Without a scheme a proxy is an http one. An invalid value fails only the requests that would
  /// go through that proxy.
  static ProxyRules from_environment(const Environment& environment);
  static ProxyRules from_environment();

  /// Returns the proxy; null for a direct connection. `host` has no brackets. Lives as long as the
  /// rules.
  /// @par Errors   Config: names the variable and what is wrong, not its value.
  Result<const Proxy*> proxy_for(bool https, std::string_view host, std::uint16_t port) const;

 private:
  bool is_exempt(std::string_view host, std::uint16_t port) const;

  // Empty without a proxy.
  using Setting = std::optional<Result<Proxy>>;
  static Setting read(const Environment& environment, const char* capitals, const char* small);

  Setting http_;
  Setting https_;
  std::string exceptions_;
  bool always_ = false;
};

}  // namespace kube::transport
