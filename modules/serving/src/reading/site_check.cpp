// SPDX-License-Identifier: Apache-2.0
#include "reading/site_check.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

#include <kube/base/ascii.hpp>

#include "reading/route.hpp"

namespace kube::serving {
namespace {

// The parts of "name:port"; an IPv6 address without its brackets.
struct Authority {
  std::string host;
  std::string port;
  bool operator==(const Authority&) const = default;
};

Authority parse_authority(std::string_view text, std::string_view default_port) {
  Authority out;
  out.port = default_port;
  const bool bracketed = text.starts_with('[');
  const std::size_t end =
      bracketed ? std::min(text.find(']'), text.size()) : std::min(text.find(':'), text.size());
  out.host = ascii::to_lower(text.substr(bracketed ? 1 : 0, end - (bracketed ? 1 : 0)));
  if (const std::size_t colon = text.find(':', end); colon != std::string_view::npos) {
    if (colon + 1 < text.size()) out.port = text.substr(colon + 1);
  }
  // Not a name with a port: the whole text is taken as a name.
  if (!std::ranges::all_of(out.port, ascii::is_digit)) out.host = ascii::to_lower(text);
  // A name may end with the dot of the root.
  if (out.host.size() > 1 && out.host.ends_with('.')) out.host.pop_back();
  return out;
}

bool is_listed(std::string_view host, const std::vector<std::string>& names) {
  return std::ranges::any_of(
      names, [&](const std::string& name) { return ascii::equal_ignoring_case(name, host); });
}

bool is_own_host(const std::string& host, const std::vector<std::string>& own_names) {
  if (host.find('.') == std::string::npos && host.find(':') == std::string::npos) return true;
  if (host.ends_with(".localhost") || host.ends_with(".internal")) return true;
  boost::system::error_code no_address;
  boost::asio::ip::make_address(host, no_address);
  return !no_address || is_listed(host, own_names);
}

bool changes_nothing(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS";
}

bool is_own_origin(std::string_view origin, std::string_view host,
                   const std::vector<std::string>& own_names) {
  const std::size_t scheme = origin.find("://");
  // "null" is the origin of a page that hides it.
  if (scheme == std::string_view::npos) return false;
  const bool is_https = ascii::equal_ignoring_case(origin.substr(0, scheme), "https");
  const Authority from = parse_authority(origin.substr(scheme + 3), is_https ? "443" : "80");
  return from == parse_authority(host, "80") || is_listed(from.host, own_names);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMax = 100;
  std::string out = "\"";
  out += text.substr(0, kMax);
  return out += text.size() > kMax ? "...\"" : "\"";
}

}  // namespace

std::optional<std::string> refuse_foreign_site(const HttpRequest& request,
                                               const std::vector<std::string>& own_names) {
  if (is_listed("*", own_names)) return std::nullopt;
  std::vector<std::string_view> hosts = {request.host};
  const auto target = split_target(request.target);
  if (target && !target->authority.empty()) hosts.push_back(target->authority);
  for (const std::string_view host : hosts) {
    if (is_own_host(parse_authority(host, "80").host, own_names)) continue;
    return "the server does not have the name " + in_quotes(host) +
           ": expected an IP address, localhost, a name without a dot, or a name that was "
           "given to the server at its start";
  }
  if (changes_nothing(request.method)) return std::nullopt;
  if (!request.origin.empty()) {
    if (is_own_origin(request.origin, request.host, own_names)) return std::nullopt;
    return "a page from the origin " + in_quotes(request.origin) +
           " may not change objects: expected no Origin header, or the server's own origin";
  }
  if (ascii::equal_ignoring_case(request.fetch_site, "cross-site") ||
      ascii::equal_ignoring_case(request.fetch_site, "same-site")) {
    return "a page from another site may not change objects: Sec-Fetch-Site is " +
           in_quotes(request.fetch_site);
  }
  return std::nullopt;
}

}  // namespace kube::serving
