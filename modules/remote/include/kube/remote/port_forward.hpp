// SPDX-License-Identifier: Apache-2.0
//
// Forwards local TCP ports to a pod: `kubectl port-forward`, in a WebSocket
// (docs/reference/clients-and-config.md ch. 22).
//
//   auto ports = kube::portforward::parse_ports({"8888:5000"});
//   if (!ports) return ports.error();
//   auto forwarder =
//       kube::portforward::PortForwarder::start(client, "web", "front-0", *ports, {}, stop);
//   if (!forwarder) return forwarder.error();
//   auto ended = (*forwarder)->wait(stop);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/result.hpp>
#include <kube/client/rest_client.hpp>

namespace kube::portforward {

/// A local port and the pod's port to which it is forwarded.
struct ForwardedPort {
  std::uint16_t local = 0;  ///< 0: one that is free.
  std::uint16_t remote = 0;
  bool operator==(const ForwardedPort&) const = default;
};

/// Parses "5000", "8888:5000", ":5000" and "0:5000".
/// @par Errors   InvalidArgument, naming the text: no port, or one that is not in 1 to 65535 (0 to
///   65535 for the local one).
Result<std::vector<ForwardedPort>> parse_ports(const std::vector<std::string>& texts);

/// @par Thread safety   A value.
struct Options {
  /// IP addresses to listen on, and "localhost": 127.0.0.1 and ::1, of which one suffices.
  std::vector<std::string> addresses{"localhost"};
  /// Receive kubectl's lines: "Forwarding from 127.0.0.1:8888 -> 5000", "Handling connection for
  /// 8888"; and "Unable to listen on port 8888: ...", "error accepting connection on port 8888:
  /// ...". Called on the caller's thread in start(), later on the forwarder's thread, without a
  /// lock held. Empty: dropped.
  std::function<void(std::string_view line)> out{};
  std::function<void(std::string_view line)> err{};
};

/// Listens on local ports and forwards their connections, all through one connection to the server.
/// Bytes wait in memory only up to about 1 MiB each way; then the writer has to wait. A connection
/// that can't be accepted, since the process has no file descriptor left, waits too: it is tried
/// again every 100 ms.
///
/// @par Thread safety   All functions may be called from any thread, Options' functions included,
///   which must not call the destructor.
/// @par Threads   One.
/// @par Stopping   stop(), the token of start(), or the destructor, which waits for the thread.
class PortForwarder {
 public:
  /// Connects to the server and listens.
  /// @par Errors   InvalidArgument: "you must specify at least 1 port" (or address), "X is not a
  ///   valid IP", and names that can't be in a path. Unreachable: "unable to listen on any of the
  ///   requested ports: ...". Those of remotecommand::exec() for the connection.
  /// @par Blocks   Until the server has switched protocols, at most 30 s, or `stop` is requested.
  static Result<std::unique_ptr<PortForwarder>> start(
      const RestClient& client, std::string_view namespace_, std::string_view pod,
      std::vector<ForwardedPort> ports, Options options = {}, std::stop_token stop = {});
  ~PortForwarder();
  PortForwarder(const PortForwarder&) = delete;
  PortForwarder& operator=(const PortForwarder&) = delete;

  /// Returns the ports, with the local ones that were chosen.
  const std::vector<ForwardedPort>& ports() const&;

  /// Waits for the end of the forwarding. Success: it was stopped.
  /// @par Errors   Unreachable: "lost connection to pod", with the reason. InvalidArgument:
  ///   the call would wait for itself, in Options::out and err or in a response handler.
  /// @par Blocks   Until then, or until `stop` is requested, which stops the forwarding.
  Result<void> wait(std::stop_token stop = {});
  void stop();

 private:
  class Impl;
  explicit PortForwarder(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kube::portforward
