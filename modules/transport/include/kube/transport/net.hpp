// SPDX-License-Identifier: Apache-2.0
//
// What kind of network failure an Error tells of, and paths of URLs: apimachinery's util/net.
#pragma once

#include <string>
#include <string_view>

#include <kube/base/error.hpp>

namespace kube::transport {

/// The network took too long, whichever layer noticed.
bool is_timeout(const Error& error);
/// Nobody listens there.
bool is_connection_refused(const Error& error);
/// The peer broke a connection that existed.
bool is_connection_reset(const Error& error);
/// An HTTP/2 connection went away under its streams.
bool is_http2_connection_lost(const Error& error);
/// The connection ended in a way that a server's restart or an idle timeout would explain: nothing
/// is wrong with what came before. Watches take it for an end.
bool is_probable_eof(const Error& error);

/// `base` and `path` with one slash between them; a slash at the end of the last part that isn't
/// empty stays: "/foo/" and "/foo/" make "/foo/foo/".
std::string join_path(std::string_view base, std::string_view path);

}  // namespace kube::transport
