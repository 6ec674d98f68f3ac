// SPDX-License-Identifier: Apache-2.0
//
// What programs run `kubectl exec` and `kubectl port-forward` for, in one call each.
//
//   auto date = kube::exec(pods, "web-0", {"date"});
//   if (!date) return date.error();
//   std::cout << date->out;  // and err, exit_code
//
//   auto forwarder = kube::port_forward(pods, "web-0", 8080);
//   if (!forwarder) return forwarder.error();
//   const std::uint16_t local = (*forwarder)->ports().front().local;  // of 127.0.0.1
//
// Programs that talk to the command, or forward several ports, use remote_command.hpp and
// port_forward.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/api/core/v1/pod.hpp>
#include <kube/base/result.hpp>
#include <kube/client/api.hpp>
#include <kube/remote/port_forward.hpp>

namespace kube {

/// @par Thread safety   A value.
struct ExecOptions {
  std::string container{};  ///< Empty: the server takes the only one, or refuses.
  std::size_t max_bytes = std::size_t{16} << 20;  ///< Of out and err together.
};

/// @par Thread safety   A value.
struct ExecResult {
  int exit_code = 0;
  std::string out{};
  std::string err{};
};

/// Runs a command in a container and returns what it printed, whatever its exit code is. The
/// command gets no input.
/// @par Errors   Those of remotecommand::exec() and of Session::exit_code(). Decode: the output is
///   longer than `max_bytes`. Timeout: the limit of Api<T>::within() has passed. Cancelled when
///   `stop` is requested. None of them ends the command itself: a server kills it or not.
/// @par Blocks   Until the command has ended, or one of these errors.
/// @par Thread safety   Any thread may call it.
Result<ExecResult> exec(const Api<core::v1::Pod>& pods, std::string_view name,
                        std::vector<std::string> command, const ExecOptions& options = {},
                        std::stop_token stop = {});

/// Forwards a free port of 127.0.0.1 and ::1 to a port of the pod, until the result is destroyed.
/// @par Errors   As portforward::PortForwarder::start(). Whether the pod listens on the port shows
///   with the first connection.
/// @par Blocks   Until the server has switched protocols, at most 30 s, or `stop` is requested,
///   which later ends the forwarding. Api<T>::within() does not limit it.
/// @par Thread safety   Any thread may call it.
Result<std::unique_ptr<portforward::PortForwarder>> port_forward(const Api<core::v1::Pod>& pods,
                                                                 std::string_view name,
                                                                 std::uint16_t port,
                                                                 portforward::Options options = {},
                                                                 std::stop_token stop = {});

}  // namespace kube
