// SPDX-License-Identifier: Apache-2.0
#include <kube/transport/url.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <kube/base/ascii.hpp>
#include <kube/base/percent.hpp>

namespace kube::transport {
namespace {

constexpr std::string_view kNotAUrl = "(not a URL)";

Error invalid_url(std::string text) {
  return {ErrorCode::InvalidArgument, std::move(text)};
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

bool is_scheme(std::string_view text) {
  return !text.empty() && ascii::is_alpha(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return ascii::is_alnum(c) || c == '+' || c == '-' || c == '.'; });
}

bool is_host_character(char c) {
  return ascii::is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~' ||
         static_cast<unsigned char>(c) >= 0x80;
}

Result<void> check_port(std::string_view port) {
  if (port.empty()) return invalid_url("the port after ':' is missing");
  unsigned number = 0;
  const auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (code != std::errc{} || end != port.data() + port.size() || number > 65535) {
    return invalid_url("the port is not a number up to 65535");
  }
  return {};
}

// Returns the text after the host: "" or ":port".
Result<std::string_view> check_host(std::string_view authority) {
  if (authority.empty()) return invalid_url("the host is missing");
  if (authority.front() == '[') {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return invalid_url("missing ']' in the host");
    const std::string_view address = authority.substr(1, close - 1);
    if (address.empty() ||
        address.find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos) {
      return invalid_url("the host in brackets is not an IPv6 address");
    }
    const std::string_view rest = authority.substr(close + 1);
    if (!rest.empty() && rest.front() != ':') {
      return invalid_url("unexpected text after ']' in the host");
    }
    return rest;
  }
  const std::size_t colon = std::min(authority.find(':'), authority.size());
  const std::string_view host = authority.substr(0, colon);
  if (host.empty()) return invalid_url("the host is missing");
  if (!std::all_of(host.begin(), host.end(), is_host_character)) {
    return invalid_url("the host contains a character that is not allowed there");
  }
  return authority.substr(colon);
}

struct Parts {
  std::string_view scheme;
  std::optional<std::string_view> user_info;
  std::string_view authority;
  std::string_view path;
  std::string_view query;
  std::string_view fragment;
};

// Splits the text at its separators; checks only the scheme.
std::optional<Parts> split(std::string_view text) {
  const std::size_t mark = text.find("://");
  if (mark == std::string_view::npos || !is_scheme(text.substr(0, mark))) return std::nullopt;
  Parts parts;
  parts.scheme = text.substr(0, mark);
  text.remove_prefix(mark + 3);
  if (const std::size_t hash = text.find('#'); hash != std::string_view::npos) {
    parts.fragment = text.substr(hash + 1);
    text = text.substr(0, hash);
  }
  if (const std::size_t question = text.find('?'); question != std::string_view::npos) {
    parts.query = text.substr(question + 1);
    text = text.substr(0, question);
  }
  const std::size_t slash = std::min(text.find('/'), text.size());
  parts.path = text.substr(slash);
  parts.authority = text.substr(0, slash);
  if (const std::size_t at = parts.authority.rfind('@'); at != std::string_view::npos) {
    parts.user_info = parts.authority.substr(0, at);
    parts.authority.remove_prefix(at + 1);
  }
  return parts;
}

Result<Url> checked(std::string_view text, const std::optional<Parts>& parts) {
  if (std::any_of(text.begin(), text.end(), [](char c) { return c == ' ' || is_control(c); })) {
    return invalid_url("white space or a control character in a URL");
  }
  if (!parts) return invalid_url("not a URL: expected scheme://host");
  const Result<std::string_view> port = check_host(parts->authority);
  if (!port) return port.error();
  Url url;
  url.has_port = !port->empty();
  if (url.has_port) {
    if (auto valid = check_port(port->substr(1)); !valid) return valid.error();
  }
  url.scheme = ascii::to_lower(parts->scheme);
  url.authority = std::string(parts->authority);
  url.path = std::string(parts->path);
  url.query = std::string(parts->query);
  url.has_user_info = parts->user_info.has_value();
  url.user_info = parts->user_info.value_or("");
  return url;
}

// Escapes control characters as URLs do, so that a path can't add a line break to a log.
std::string on_one_line(std::string_view text) {
  return percent_encoded(text, [](char c) { return !is_control(c); });
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  return checked(text, split(text));
}

Result<Url> parse_server_url(std::string_view text) {
  const std::optional<Parts> parts = split(text);
  for (const std::string_view part :
       {parts ? parts->path : "", parts ? parts->query : "", parts ? parts->fragment : ""}) {
    if (part.find('@') != std::string_view::npos) {
      return invalid_url(
          "'@' after the host; in a user or password, write '/' as %2F, '?' as %3F and '#' as "
          "%23");
    }
  }
  return checked(text, parts);
}

bool is_loopback_host(std::string_view host) {
  if (ascii::equal_ignoring_case(host, "localhost")) return true;
  const std::string text(host);
  in_addr four{};
  if (inet_pton(AF_INET, text.c_str(), &four) == 1) {
    return reinterpret_cast<const std::uint8_t*>(&four)[0] == 127;
  }
  in6_addr six{};
  if (inet_pton(AF_INET6, text.c_str(), &six) != 1) return false;
  return IN6_IS_ADDR_LOOPBACK(&six) || (IN6_IS_ADDR_V4MAPPED(&six) && six.s6_addr[12] == 127);
}

bool is_loopback_url(std::string_view url) {
  const Result<Url> parsed = parse_url(url);
  if (!parsed) return false;
  const std::string_view authority = parsed->authority;
  if (authority.starts_with('['))
    return is_loopback_host(authority.substr(1, authority.find(']') - 1));
  return is_loopback_host(authority.substr(0, authority.find(':')));
}

std::string printable_url(std::string_view url) {
  const std::optional<Parts> parts = split(url);
  if (!parts) return std::string(kNotAUrl);
  const Result<std::string_view> port = check_host(parts->authority);
  if (!port || (!port->empty() && !check_port(port->substr(1)))) return std::string(kNotAUrl);
  return std::string(parts->scheme) + "://" + std::string(parts->authority) +
         on_one_line(parts->path);
}

std::string printable_server_url(std::string_view url) {
  if (url.empty()) return {};
  const bool has_scheme = url.find("://") != std::string_view::npos;
  const Result<Url> parsed =
      parse_server_url(has_scheme ? std::string(url) : "http://" + std::string(url));
  if (!parsed) return std::string(kNotAUrl);
  return (has_scheme ? parsed->scheme + "://" : "") + (parsed->has_user_info ? "***@" : "") +
         parsed->authority + parsed->path;
}

}  // namespace kube::transport
