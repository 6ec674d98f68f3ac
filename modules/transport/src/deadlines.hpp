// SPDX-License-Identifier: Apache-2.0
//
// Detects an exchange that has taken too long or was silent for too long. All times are arguments.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace kube::transport {

using SteadyTime = std::chrono::steady_clock::time_point;

/// "10 s", "100 ms".
std::string in_words(std::chrono::milliseconds time);

class Deadlines {
 public:
  using Bound = std::optional<std::chrono::milliseconds>;
  Deadlines(SteadyTime start, Bound whole, Bound idle, Bound head = {});

  /// Records that bytes were received or sent, or that reading resumes after a pause.
  void heard(SteadyTime now) { heard_ = now; }
  /// Records that the head of the response has arrived, which ends its limit.
  void answered() { head_.reset(); }
  /// Returns the limit on the head, until it has arrived.
  Bound head() const { return head_; }
  /// Returns a description of the limit that was exceeded; std::nullopt, with a new next(), when
  /// none was. Silence does not count while the handler has paused.
  std::optional<std::string> check(SteadyTime now, bool paused);
  /// Returns when to check again; time_point::max() for never. Received bytes do not change it: the
  /// check takes them into account.
  SteadyTime next() const { return next_; }

 private:
  void arm(SteadyTime silent_since);

  SteadyTime start_;
  Bound whole_;
  Bound idle_;
  Bound head_;
  SteadyTime heard_;
  SteadyTime next_;
};

}  // namespace kube::transport
