// SPDX-License-Identifier: Apache-2.0
//
// libcurl tells causes in words, in the system's or in its own; an Error has no more than these.
#include <kube/transport/net.hpp>

#include <algorithm>
#include <initializer_list>
#include <system_error>

#include <kube/base/ascii.hpp>

namespace kube::transport {
namespace {

bool says(const Error& error, std::initializer_list<std::string_view> words) {
  if (error.code() != ErrorCode::Unreachable) return false;
  const std::string text = ascii::to_lower(error.message());
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

bool says_system(const Error& error, std::errc code) {
  return says(error, {ascii::to_lower(std::make_error_code(code).message())});
}

std::string_view trim_slashes(std::string_view text) {
  const std::size_t begin = text.find_first_not_of('/');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of('/') + 1 - begin);
}

}  // namespace

bool is_timeout(const Error& error) {
  return error.code() == ErrorCode::Timeout || says_system(error, std::errc::timed_out) ||
         says(error, {"timeout was reached", "timed out after"});
}

bool is_connection_refused(const Error& error) {
  return says_system(error, std::errc::connection_refused);
}

bool is_connection_reset(const Error& error) {
  return says_system(error, std::errc::connection_reset);
}

bool is_http2_connection_lost(const Error& error) {
  return says(error, {"http2: client connection lost", "http/2 connection was lost",
                      "error in the http2 framing layer"});
}

bool is_probable_eof(const Error& error) {
  if (error.code() == ErrorCode::Unreachable && error.message() == "EOF") return true;
  return is_connection_reset(error) || is_http2_connection_lost(error) ||
         says_system(error, std::errc::broken_pipe) ||
         says(error, {"unexpected eof", "empty reply from server", "transfer closed",
                      "on broken connection", "goaway", "use of closed network connection",
                      "was not closed cleanly"});
}

std::string join_path(std::string_view base, std::string_view path) {
  const bool slash_in_front = base.starts_with('/') || (base.empty() && path.starts_with('/'));
  const std::string_view last = path.empty() ? base : path;
  std::string joined(slash_in_front ? "/" : "");
  for (const std::string_view part : {trim_slashes(base), trim_slashes(path)}) {
    if (part.empty()) continue;
    if (!joined.empty() && joined.back() != '/') joined += '/';
    joined += part;
  }
  if (last.ends_with('/') && !joined.ends_with('/')) joined += '/';
  return joined;
}

}  // namespace kube::transport
