// SPDX-License-Identifier: Apache-2.0
#include "proxy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>

#include <arpa/inet.h>

#include <kube/base/ascii.hpp>
#include <kube/base/percent.hpp>
#include <kube/transport/url.hpp>

namespace kube::transport {
namespace {

// IPv4 addresses are stored as IPv4-mapped IPv6, so that one comparison serves both.
using Address = std::array<std::uint8_t, 16>;
constexpr int kMappedPrefix = 96;

std::optional<Address> parse_address(std::string_view text) {
  const std::string zero_terminated(text);
  Address address{};
  if (inet_pton(AF_INET6, zero_terminated.c_str(), address.data()) == 1) return address;
  address = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0};
  if (inet_pton(AF_INET, zero_terminated.c_str(), address.data() + 12) == 1) return address;
  return std::nullopt;
}

bool is_mapped(const Address& address) {
  return std::all_of(address.begin(), address.begin() + 10, [](auto byte) { return byte == 0; }) &&
         address[10] == 0xff && address[11] == 0xff;
}

std::optional<int> parse_number(std::string_view text, int largest) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > largest) {
    return std::nullopt;
  }
  return value;
}

// Whether a block such as "10.0.0.0/8" contains the address; false also when it is not a block.
bool block_contains(std::string_view block, const Address& address) {
  const std::size_t slash = block.find('/');
  if (slash == std::string_view::npos) return false;
  const std::optional<Address> base = parse_address(block.substr(0, slash));
  if (!base || is_mapped(*base) != is_mapped(address)) return false;
  const std::optional<int> length =
      parse_number(block.substr(slash + 1), is_mapped(*base) ? 32 : 128);
  if (!length) return false;
  const int bits = *length + (is_mapped(*base) ? kMappedPrefix : 0);
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (std::memcmp(base->data(), address.data(), whole) != 0) return false;
  const int rest = bits % 8;
  if (rest == 0) return true;
  const int shift = 8 - rest;
  return ((*base)[whole] >> shift) == (address[whole] >> shift);
}

struct HostPort {
  std::string_view host;
  std::optional<int> port{};
};

HostPort split_port(std::string_view entry) {
  if (entry.size() > 1 && entry.front() == '[') {
    const std::size_t close = entry.find(']');
    if (close == std::string_view::npos) return {entry};
    const std::string_view rest = entry.substr(close + 1);
    return {entry.substr(1, close - 1),
            rest.size() > 1 && rest[0] == ':' ? parse_number(rest.substr(1), 65535) : std::nullopt};
  }
  const std::size_t colon = entry.find(':');
  if (colon == std::string_view::npos || entry.find(':', colon + 1) != std::string_view::npos) {
    return {entry};
  }
  const std::optional<int> port = parse_number(entry.substr(colon + 1), 65535);
  if (!port) return {entry};
  return {entry.substr(0, colon), port};
}

// Whether an entry of NO_PROXY matches; `name` is in lower case, `address` is set if it is one.
bool entry_matches(std::string_view entry, std::string_view name,
                   const std::optional<Address>& address, std::uint16_t port) {
  if (entry == "*") return true;
  if (address && block_contains(entry, *address)) return true;
  const HostPort wanted = split_port(entry);
  if (wanted.port && *wanted.port != port) return false;
  if (const std::optional<Address> other = parse_address(wanted.host)) return address == other;
  if (address) return false;
  // "example.com" covers the domain and its subdomains; ".example.com" and "*.example.com" only
  // the subdomains.
  std::string_view domain = wanted.host;
  if (domain.substr(0, 2) == "*.") domain.remove_prefix(1);
  if (domain.empty()) return false;
  const bool subdomains_only = domain.front() == '.';
  if (subdomains_only) domain.remove_prefix(1);
  if (name == domain) return !subdomains_only;
  return name.size() > domain.size() && name.ends_with(domain) &&
         name[name.size() - domain.size() - 1] == '.';
}

struct ProxyScheme {
  std::string_view name;
  std::string_view port;  // Go's default
};
constexpr std::array<ProxyScheme, 4> kProxySchemes = {
    {{"http", "80"}, {"https", "443"}, {"socks5", "1080"}, {"socks5h", "1080"}}};

// Decodes a user or a password.
Result<std::string> decode_escapes(std::string_view text) {
  auto decoded = percent_decoded(text);
  if (decoded && decoded->find('\0') == std::string::npos) return *std::move(decoded);
  return Error(ErrorCode::InvalidArgument,
               "the user or password has a '%' without two hexadecimal digits; "
               "write '%' as %25");
}

}  // namespace

Result<Proxy> Proxy::parse(std::string_view text) {
  const Result<Url> url = parse_server_url(text);
  if (!url) return url.error();
  const auto known = std::ranges::find(kProxySchemes, url->scheme, &ProxyScheme::name);
  if (known == std::end(kProxySchemes)) {
    return Error(ErrorCode::InvalidArgument,
                 "expected the scheme http, https or socks5, found " + url->scheme);
  }
  Proxy proxy;
  // curl's socks5 resolves the name here, which a bastion's clients often can't; Go's never does.
  proxy.url = (url->scheme == "socks5" ? "socks5h" : url->scheme) + "://" + url->authority;
  if (!url->has_port) proxy.url.append(":").append(known->port);
  if (!url->has_user_info) return proxy;
  proxy.has_credentials = true;
  const std::string_view user_info = url->user_info.reveal();
  const std::size_t colon = std::min(user_info.find(':'), user_info.size());
  Result<std::string> user = decode_escapes(user_info.substr(0, colon));
  if (!user) return user.error();
  proxy.user = *std::move(user);
  if (colon == user_info.size()) return proxy;
  Result<std::string> password = decode_escapes(user_info.substr(colon + 1));
  if (!password) return password.error();
  proxy.password = *std::move(password);
  return proxy;
}

ProxyRules ProxyRules::always(Proxy proxy) {
  ProxyRules rules;
  rules.http_ = Result<Proxy>(proxy);
  rules.https_ = Result<Proxy>(std::move(proxy));
  rules.always_ = true;
  return rules;
}

ProxyRules::Setting ProxyRules::read(const Environment& environment, const char* capitals,
                                     const char* small) {
  const char* name = capitals;
  std::string value = environment(capitals);
  if (value.empty()) value = environment(name = small);
  if (value.empty()) return std::nullopt;
  // "host:port" and "user:password@host" are not URLs with a scheme.
  if (value.find("://") == std::string::npos) value.insert(0, "http://");
  Result<Proxy> proxy = Proxy::parse(value);
  if (proxy) return proxy;
  return Result<Proxy>(
      Error(ErrorCode::Config,
            std::string("the proxy in the environment variable ") + name +
                " is invalid: " + proxy.error().message() +
                "; expected [SCHEME://][user:password@]host[:port], where SCHEME is http "
                "(the default), https or socks5"));
}

ProxyRules ProxyRules::from_environment(const Environment& environment) {
  ProxyRules rules;
  rules.https_ = read(environment, "HTTPS_PROXY", "https_proxy");
  if (environment("REQUEST_METHOD").empty()) {
    rules.http_ = read(environment, "HTTP_PROXY", "http_proxy");
  }
  std::string exceptions = environment("NO_PROXY");
  if (exceptions.empty()) exceptions = environment("no_proxy");
  rules.exceptions_ = ascii::to_lower(exceptions);
  return rules;
}

ProxyRules ProxyRules::from_environment() {
  return from_environment([](const char* name) {
    const char* value = std::getenv(name);  // read, never written
    return std::string(value != nullptr ? value : "");
  });
}

bool ProxyRules::is_exempt(std::string_view host, std::uint16_t port) const {
  const std::string name = ascii::to_lower(host);
  if (is_loopback_host(name)) return true;
  const std::optional<Address> address = parse_address(name);
  std::string_view rest = exceptions_;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::string_view entry = ascii::trim_blanks(item);
    if (!entry.empty() && entry_matches(entry, name, address, port)) return true;
  }
  return false;
}

Result<const Proxy*> ProxyRules::proxy_for(bool https, std::string_view host,
                                           std::uint16_t port) const {
  const Setting& proxy = https ? https_ : http_;
  if (!proxy || (!always_ && is_exempt(host, port))) return nullptr;
  if (!*proxy) return proxy->error();
  return &**proxy;
}

}  // namespace kube::transport
