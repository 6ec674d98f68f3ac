// SPDX-License-Identifier: Apache-2.0
//
// A server's end of a connection, and what it answers to the requests that come by it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "loopback_server.hpp"

namespace faults {

enum class CallKind { List, Watch, Other };

/// A request, as far as an API server understands it.
struct Call {
  CallKind kind = CallKind::Other;
  std::size_t nth = 0;  ///< How many of its kind came to this server before.
  std::string method{};
  std::string path{};
  std::map<std::string, std::string> query{};  ///< Without percent decoding.
  std::string body{};

  std::string parameter(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? std::string() : found->second;
  }
  static Call of(const kube::transport::Peer::Request& request);
  /// Of a method and a target alone.
  static Call of(std::string method, std::string_view target);
};

class FaultServer;
class Incarnation;

/// What answers have in their hands. For the connection's thread.
class Connection {
 public:
  Connection(kube::transport::Peer& peer, Incarnation& life) : peer_(peer), life_(life) {}

  /// False when the client is gone.
  bool write(std::string_view bytes) { return peer_.write(bytes); }
  /// False when the server ends first.
  bool pause(std::chrono::milliseconds time);
  /// Until the server ends.
  void hang();
  /// The client sees a reset instead of an end.
  void reset() { peer_.reset(); }

  kube::transport::Peer& peer() { return peer_; }
  /// To be called with each request: counts it and numbers it.
  void count(Call& call);

 private:
  kube::transport::Peer& peer_;
  Incarnation& life_;
};

/// Answers one request. True: the connection serves the next one; false: it is closed.
using Answer = std::function<bool(Connection& connection, const Call& call)>;

}  // namespace faults
