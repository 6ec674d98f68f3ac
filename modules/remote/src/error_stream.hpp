// SPDX-License-Identifier: Apache-2.0
//
// The error stream of a remote command: how the command ended.
#pragma once

#include <string_view>

#include <kube/base/result.hpp>

namespace kube::remotecommand {

/// Returns the exit code that the bytes of the error stream report; no bytes mean 0. Before v4 they
/// are a text, since then a Status in JSON.
/// @par Errors   Server: the server could not run the command. Decode: "error stream protocol
///   error: ...".
Result<int> decode_error_stream(std::string_view protocol, std::string_view bytes);

}  // namespace kube::remotecommand
