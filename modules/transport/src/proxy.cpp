// SPDX-License-Identifier: Apache-2.0
#include "proxy.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <arpa/inet.h>

#include <kube/base/ascii.hpp>

namespace kube::transport {
namespace {

// IPv4 is kept as IPv4-mapped IPv6, so that one comparison serves both.
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

bool is_loopback(const Address& address) {
  if (is_mapped(address)) return address[12] == 127;
  Address loopback{};
  loopback[15] = 1;
  return address == loopback;
}

std::optional<int> parse_number(std::string_view text, int largest) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > largest) {
    return std::nullopt;
  }
  return value;
}

// "10.0.0.0/8" contains the address; false also when it is no such block.
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

// "host", "host:80", "[::1]:80", "::1".
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

// One entry of NO_PROXY; `name` in small letters, `address` if it is one.
bool entry_matches(std::string_view entry, std::string_view name,
                   const std::optional<Address>& address, std::uint16_t port) {
  if (entry == "*") return true;
  if (address && block_contains(entry, *address)) return true;
  const HostPort wanted = split_port(entry);
  if (wanted.port && *wanted.port != port) return false;
  if (const std::optional<Address> other = parse_address(wanted.host)) return address == other;
  if (address) return false;
  // "example.com" covers the domain and what is below it; ".example.com" and "*.example.com" only
  // what is below.
  std::string_view domain = wanted.host;
  if (domain.substr(0, 2) == "*.") domain.remove_prefix(1);
  if (domain.empty()) return false;
  const bool subdomains_only = domain.front() == '.';
  if (subdomains_only) domain.remove_prefix(1);
  if (name == domain) return !subdomains_only;
  return name.size() > domain.size() && name.ends_with(domain) &&
         name[name.size() - domain.size() - 1] == '.';
}

}  // namespace

ProxyRules ProxyRules::always(std::string proxy_url) {
  ProxyRules rules;
  rules.http_ = proxy_url;
  rules.https_ = std::move(proxy_url);
  rules.always_ = true;
  return rules;
}

ProxyRules ProxyRules::from_environment(const Environment& environment) {
  const auto either = [&environment](const char* capitals, const char* small) {
    std::string value = environment(capitals);
    return value.empty() ? environment(small) : value;
  };
  ProxyRules rules;
  rules.https_ = either("HTTPS_PROXY", "https_proxy");
  rules.http_ = environment("REQUEST_METHOD").empty() ? either("HTTP_PROXY", "http_proxy") : "";
  rules.exceptions_ = ascii::to_lower(either("NO_PROXY", "no_proxy"));
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
  if (name == "localhost") return true;
  const std::optional<Address> address = parse_address(name);
  if (address && is_loopback(*address)) return true;
  std::string_view rest = exceptions_;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(item.size() + 1, rest.size()));
    const std::string_view entry = ascii::trim_blanks(item);
    if (!entry.empty() && entry_matches(entry, name, address, port)) return true;
  }
  return false;
}

std::string ProxyRules::proxy_for(bool https, std::string_view host, std::uint16_t port) const {
  const std::string& proxy = https ? https_ : http_;
  if (proxy.empty() || (!always_ && is_exempt(host, port))) return {};
  return proxy;
}

}  // namespace kube::transport
