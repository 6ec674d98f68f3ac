// SPDX-License-Identifier: Apache-2.0
//
// The server of a scenario: misbehaves, is mended, and counts all the time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "honest_server.hpp"
#include "loopback_server.hpp"
#include "scenario.hpp"

namespace faults {

using Instant = std::chrono::steady_clock::time_point;

/// When something happened, again and again.
class Tally {
 public:
  void add();
  std::size_t count(Instant from, Instant to) const;
  /// Most in any second that begins in [from, to).
  std::size_t most_in_a_second(Instant from, Instant to) const;

 private:
  mutable std::mutex mutex_;
  std::vector<Instant> when_;
};

/// The server between two restarts: connections end with it.
class Incarnation {
 public:
  using Serve = std::function<void(Connection&)>;
  Incarnation(FaultServer& server, Serve serve, Certificate certificate, bool http2);
  ~Incarnation();
  Incarnation(const Incarnation&) = delete;
  Incarnation& operator=(const Incarnation&) = delete;

  FaultServer& server() { return server_; }
  /// False when it ends first.
  bool pause(std::chrono::milliseconds time);
  std::uint64_t sent() const { return listener_->sent(); }

 private:
  FaultServer& server_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::optional<kube::transport::LoopbackServer> listener_;
};

/// @par Threads   One for each connection, and one that accepts. Its functions are for one thread.
class FaultServer {
 public:
  explicit FaultServer(const Scenario& scenario) : scenario_(scenario) {}
  ~FaultServer();
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;

  std::string url() const;
  /// Of the authority whose certificates clients shall trust; empty without https.
  std::string ca() const;

  void misbehave();
  /// From now on an honest server of another world answers, on connections of its own, unless the
  /// scenario says that the misbehaviour ends by itself.
  void mend();

  const Tally& requests() const { return requests_; }
  const Tally& connections() const { return connections_; }
  std::uint64_t bytes_sent() const;

 private:
  friend class Incarnation;
  friend class Connection;

  void live(Incarnation::Serve serve, Certificate certificate, bool http2);
  void die();
  void serve_faulty(Connection& connection);

  const Scenario& scenario_;
  const kube::transport::HeldPort port_;
  const kube::transport::TestAuthority authority_{"faults"};
  const kube::transport::TestAuthority stranger_{"stranger"};
  Tally requests_;
  Tally connections_;
  std::atomic<std::size_t> calls_[3] = {};  // by CallKind
  HonestServer before_{old_world()};
  HonestServer after_{new_world()};

  mutable std::mutex mutex_;
  std::uint64_t sent_by_former_ = 0;
  std::unique_ptr<Incarnation> life_;
  std::jthread restarter_;
};

/// Reads requests of HTTP/1.1 and has them answered, until one says that it was the last.
void serve_http(Connection& connection, const Answer& answer);

}  // namespace faults
