// SPDX-License-Identifier: Apache-2.0
//
// A server that has nothing but pods, and sends them as fast as a client takes them: what a client
// costs is measured beside it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "loopback_http.hpp"
#include "pods.hpp"

namespace kube::bench {

/// Responds, on HTTP/1.1 and a loopback port, in protobuf or JSON as the client accepts, to
///
///   - a list of pods, of all namespaces or of one: all of them, whatever its selectors, at
///     kFirstVersion and one more for each event that has happened; in pages if it has a limit and,
///     as of a server with a watch cache, does not ask for any version ("0");
///   - a watch: the events since its version, MODIFIED, of pod after pod in a fixed odd order. One
///     that asks for initial events is refused as by a server before WatchList (Invalid, 422), so
///     that all clients list;
///   - a list of the namespaces, "ns-000" and so on;
///   - GET /storm?events=N: so many more events happen; with &a_second=N, in time, or until the
///     next storm;
///   - GET /wedge: the watches there are stay open and silent for ever, as behind a middlebox that
///     has forgotten them;
///   - GET /version.
///
/// @par Thread safety   Each connection has a thread.
class ReplayServer {
 public:
  static constexpr std::uint64_t kFirstVersion = 1'500'000'000;

  /// Listens.
  /// @par Errors   Throws std::runtime_error.
  ReplayServer(std::size_t pods, std::size_t bytes, std::size_t namespaces);
  ~ReplayServer() = delete;  // It ends with the process.

  std::uint16_t port() const { return listener_.port; }
  [[noreturn]] void serve();

 private:
  void respond(int connection);
  /// Of all pods, or of those of a namespace: first, first + step, ..., before end.
  struct Scope {
    std::size_t first;
    std::size_t step;
    std::size_t end;
  };
  Scope scope_of(std::string_view line) const;
  /// The part that a list asks for. Its continue token is the number of its first pod.
  Scope page_of(std::string_view line) const;
  void happen(std::uint64_t events);
  void storm(std::uint64_t events, std::uint64_t events_a_second);
  void list_namespaces(int connection) const;
  void list(int connection, Scope scope, bool protobuf);
  void watch(int connection, std::string_view line, bool protobuf);
  /// The pod that an event changes.
  std::size_t pod_of(std::uint64_t event) const { return event * 7919 % count_; }
  void append_event(std::uint64_t event, bool protobuf, std::string& scratch,
                    std::string& out) const;

  const std::size_t count_;
  const std::size_t namespaces_;
  const Pods pods_;
  const Listener listener_ = listen_on_loopback();

  std::atomic<int> storms_{0};  // The last one goes on.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t events_ = 0;  // so many have happened
  int wedges_ = 0;
};

}  // namespace kube::bench
