// SPDX-License-Identifier: Apache-2.0
//
// Many watches of one server, and the times at which their events arrive.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "connection.hpp"

namespace kube::bench {

using Clock = std::chrono::steady_clock;

/// The text that says in an event when it was written, and that watchers look for.
std::string mark_of(Clock::time_point written);

/// @par Thread safety   None: for one thread at a time. It has a thread of its own.
class Watchers {
 public:
  /// Opens a watch of each target.
  Watchers(const Address& address, const std::vector<std::string>& targets);
  ~Watchers();
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;

  /// Waits until so many marked events have arrived, or the rest will not: because a watch has
  /// ended, or for 20 seconds without one.
  void wait_for(std::size_t events) const;

  std::size_t events() const { return events_.load(); }
  std::size_t ended() const { return ended_.load(); }
  Clock::time_point last() const { return last_; }
  /// From the write of an event to its arrival, in microseconds. Ends the reading.
  std::vector<float> take_delays();

 private:
  struct Watch {
    std::unique_ptr<Connection> connection;
    std::string rest;  ///< The end of what was read, which may be a part of a mark.
  };

  void read();
  void read_from(Watch& watch, int poll);
  void note_marks(Watch& watch, std::size_t size, Clock::time_point now);
  void stop();

  std::vector<Watch> watches_;
  std::vector<char> buffer_;
  std::vector<float> delays_;
  Clock::time_point last_{};
  std::atomic<std::size_t> events_{0};
  std::atomic<std::size_t> ended_{0};
  std::atomic<bool> stopping_{false};
  std::thread reader_;
};

}  // namespace kube::bench
