// SPDX-License-Identifier: Apache-2.0
//
// The output of the demo while it runs: on a terminal a table that refreshes in place, otherwise
// one line per second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "output.hpp"

namespace kubecpp {

struct DemoFrame {
  int second = 0;
  int seconds = 0;
  double events_per_second = 0;
  std::size_t nodes = 0;
  std::size_t pods = 0;
  std::size_t cached_objects = 0;  ///< In all caches together.
  std::size_t cached_bytes = 0;
  std::size_t queued = 0;  ///< Keys in the queues of the scheduler and the counter.
  std::uint64_t created = 0;
  std::uint64_t bound = 0;
  std::uint64_t finished = 0;
  std::uint64_t deleted = 0;
  std::uint64_t retried = 0;
  /// Times from creation to binding of the pods bound since the last frame.
  struct Latency {
    double median_ms = 0;
    double p99_ms = 0;
  };
  std::optional<Latency> latency{};
};

class DemoView {
 public:
  explicit DemoView(Output& out);
  ~DemoView();
  DemoView(const DemoView&) = delete;
  DemoView& operator=(const DemoView&) = delete;

  void show(const DemoFrame& frame);

 private:
  void show_table(const DemoFrame& frame);

  Output& out_;
  bool terminal_;
  std::size_t lines_shown_ = 0;
};

/// "p50 1.2 ms, p99 8.0 ms"; "no pod was bound".
std::string describe(const std::optional<DemoFrame::Latency>& latency);
/// "12.3 MB"
std::string human_bytes(std::size_t bytes);

}  // namespace kubecpp
