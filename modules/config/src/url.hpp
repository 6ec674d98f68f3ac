// SPDX-License-Identifier: Apache-2.0
//
// The parts of a server's URL.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::rest {

struct Url {
  std::string scheme{};     ///< Lower case.
  std::string user_info{};  ///< "user:password", still encoded.
  std::string authority{};  ///< "host" or "host:port"; brackets around an IPv6 address.
  std::string path{};       ///< "" or "/...".
  std::string query{};      ///< Without '?'.
  bool has_user_info = false;
};

/// Takes "scheme://[user@]host[:port][/path][?query][#fragment]"; InvalidArgument says what is
/// wrong, without the text itself, which may hold a password.
Result<Url> parse_url(std::string_view text);

/// The text with "***" for a user and password before '@'; for messages.
std::string without_credentials(std::string_view url);

}  // namespace kube::rest
