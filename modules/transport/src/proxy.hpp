// SPDX-License-Identifier: Apache-2.0
//
// Which proxy a request goes through, by the rules of Go's net/http, which users of Kubernetes'
// clients know. curl's own reading of the environment differs: no HTTP_PROXY in capitals, and
// loopback addresses go through the proxy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kube::transport {

/// @par Thread safety   Constant.
class ProxyRules {
 public:
  /// The variable's value, empty when unset.
  using Environment = std::function<std::string(const char* name)>;

  ProxyRules() = default;
  /// One proxy for everything.
  static ProxyRules always(std::string proxy_url);
  /// HTTPS_PROXY for https, HTTP_PROXY for http (unless REQUEST_METHOD says that this is a CGI
  /// program, whose HTTP_PROXY a client can set), NO_PROXY for exceptions; also in small letters.
  static ProxyRules from_environment(const Environment& environment);
  /// Of this process.
  static ProxyRules from_environment();

  /// The proxy's URL, empty for a direct connection. `host` without brackets.
  std::string proxy_for(bool https, std::string_view host, std::uint16_t port) const;

 private:
  bool is_exempt(std::string_view host, std::uint16_t port) const;

  std::string http_;
  std::string https_;
  std::string exceptions_;
  bool always_ = false;
};

}  // namespace kube::transport
