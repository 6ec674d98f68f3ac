// SPDX-License-Identifier: Apache-2.0
//
// Parses URLs, and prints them without secrets. Any thread may call these functions.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/result.hpp>
#include <kube/base/secret_text.hpp>

namespace kube::transport {

struct Url {
  std::string scheme{};     ///< Lower case.
  SecretText user_info{};   ///< "user:password", still encoded.
  std::string authority{};  ///< "host" or "host:port"; brackets around an IPv6 address.
  std::string path{};       ///< "" or "/...".
  std::string query{};      ///< Without '?'.
  bool has_user_info = false;
  bool has_port = false;
};

/// Parses "scheme://[user@]host[:port][/path][?query][#fragment]".
/// @par Errors   InvalidArgument, with the reason and without the text, which may hold a password.
Result<Url> parse_url(std::string_view text);

/// Parses the configured URL of a server or a proxy. It also rejects a '@' after the host, which is
/// there when a password has an unencoded '/', '?' or '#': then the "host" belongs to it.
/// @par Errors   As parse_url().
Result<Url> parse_server_url(std::string_view text);

/// Whether the host, without brackets and port, is "localhost" or a loopback address (127.0.0.0/8,
/// ::1), written out: "localhost.example.com" and "127.1" are not.
bool is_loopback_host(std::string_view host);
/// Whether the host of a URL is one; false for a text that is not a URL.
bool is_loopback_url(std::string_view url);

/// Returns the URL of a request for messages and logs: without user, password, query and fragment,
/// and with control characters as %0A. "(not a URL)" without a valid host: it may contain a secret.
std::string printable_url(std::string_view url);

/// Returns the printable part of a configured server or proxy, with or without a scheme: as above,
/// with "***@" for user and password; "(not a URL)" for a text that parse_server_url() rejects.
std::string printable_server_url(std::string_view url);

}  // namespace kube::transport
