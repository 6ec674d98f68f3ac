// SPDX-License-Identifier: Apache-2.0
//
// The parts of a URL, and what of it may be printed.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>

namespace kube::transport {

struct Url {
  std::string scheme{};     ///< Lower case.
  std::string user_info{};  ///< "user:password", still encoded.
  std::string authority{};  ///< "host" or "host:port"; brackets around an IPv6 address.
  std::string path{};       ///< "" or "/...".
  std::string query{};      ///< Without '?'.
  bool has_user_info = false;
  bool has_port = false;
};

/// Takes "scheme://[user@]host[:port][/path][?query][#fragment]".
/// @par Errors   InvalidArgument says what is wrong, without the text itself, which may hold a
///   password.
Result<Url> parse_url(std::string_view text);

/// The same for the URL of a server or a proxy, which somebody has configured. It also refuses a
/// '@' behind the host: a password in which '/', '?' or '#' is not encoded makes one, and then the
/// "host" is a part of it.
Result<Url> parse_server_url(std::string_view text);

/// The URL of a request for messages and logs: without user, password, query and fragment, control
/// characters as %0A. "(not a URL)" when its host is none: nothing says what the text holds then.
std::string printable_url(std::string_view url);

/// What may be printed of a text that somebody has configured as a server or a proxy, with or
/// without a scheme: as above, with "***@" for a user and a password; "(not a URL)" for what
/// parse_server_url() refuses.
std::string printable_server_url(std::string_view url);

}  // namespace kube::transport
