// SPDX-License-Identifier: Apache-2.0
//
// Finds an exchange that has taken too long or was silent for too long. All times are arguments.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace kube::transport {

using SteadyTime = std::chrono::steady_clock::time_point;

class Deadlines {
 public:
  using Bound = std::optional<std::chrono::milliseconds>;
  Deadlines(SteadyTime start, Bound whole, Bound idle, Bound head = {});

  /// Bytes were received or sent, or reading resumes after a pause.
  void heard(SteadyTime now) { heard_ = now; }
  SteadyTime last_heard() const { return heard_; }
  /// The head of the response has arrived: its bound ends.
  void answered() { head_.reset(); }
  /// The bound on the head, until it has arrived.
  Bound head() const { return head_; }
  /// A description of the bound that has passed; std::nullopt, with a new next(), when none has.
  /// Silence does not count while the handler has paused.
  std::optional<std::string> check(SteadyTime now, bool paused);
  /// When to check again; time_point::max() for never. Received bytes do not move it: the
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
