// SPDX-License-Identifier: Apache-2.0
#include "url.hpp"

#include <algorithm>
#include <charconv>

#include <kube/base/ascii.hpp>

namespace kube::rest {
namespace {

Error invalid(std::string text) {
  return {ErrorCode::InvalidArgument, std::move(text)};
}

bool is_scheme(std::string_view text) {
  return !text.empty() && ascii::is_alpha(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return ascii::is_alnum(c) || c == '+' || c == '-' || c == '.'; });
}

bool is_host_character(char c) {
  return ascii::is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~' || c == '%' ||
         static_cast<unsigned char>(c) >= 0x80;
}

Result<void> check_port(std::string_view port) {
  if (port.empty()) return invalid("the port after ':' is missing");
  unsigned number = 0;
  const auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (code != std::errc{} || end != port.data() + port.size() || number > 65535) {
    return invalid("the port is not a number up to 65535");
  }
  return {};
}

Result<void> check_authority(std::string_view authority) {
  if (authority.empty()) return invalid("the host is missing");
  if (authority.front() == '[') {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return invalid("missing ']' in the host");
    const std::string_view address = authority.substr(1, close - 1);
    if (address.empty() ||
        address.find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos) {
      return invalid("the host in brackets is not an IPv6 address");
    }
    const std::string_view rest = authority.substr(close + 1);
    if (rest.empty()) return {};
    if (rest.front() != ':') return invalid("unexpected text after ']' in the host");
    return check_port(rest.substr(1));
  }
  const std::size_t colon = authority.find(':');
  const std::string_view host = authority.substr(0, colon);
  if (host.empty()) return invalid("the host is missing");
  if (!std::all_of(host.begin(), host.end(), is_host_character)) {
    return invalid("the host contains a character that is not allowed there");
  }
  if (colon == std::string_view::npos) return {};
  return check_port(authority.substr(colon + 1));
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  if (std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte <= ' ' || byte == 0x7f;
      })) {
    return invalid("white space or a control character in a URL");
  }
  const std::size_t mark = text.find("://");
  if (mark == std::string_view::npos || !is_scheme(text.substr(0, mark))) {
    return invalid("not a URL: expected scheme://host");
  }
  Url url;
  url.scheme = ascii::to_lower(text.substr(0, mark));
  text.remove_prefix(mark + 3);
  text = text.substr(0, text.find('#'));
  if (const std::size_t question = text.find('?'); question != std::string_view::npos) {
    url.query = std::string(text.substr(question + 1));
    text = text.substr(0, question);
  }
  const std::size_t slash = std::min(text.find('/'), text.size());
  url.path = std::string(text.substr(slash));
  std::string_view authority = text.substr(0, slash);
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    url.has_user_info = true;
    url.user_info = std::string(authority.substr(0, at));
    authority.remove_prefix(at + 1);
  }
  if (auto checked = check_authority(authority); !checked) return checked.error();
  url.authority = std::string(authority);
  return url;
}

std::string without_credentials(std::string_view url) {
  const std::size_t mark = url.find("://");
  const std::size_t begin = mark == std::string_view::npos ? 0 : mark + 3;
  const std::size_t end = std::min(url.find_first_of("/?#", begin), url.size());
  const std::size_t at = url.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < begin) return std::string(url);
  std::string text(url.substr(0, begin));
  return text.append("***").append(url.substr(at));
}

}  // namespace kube::rest
