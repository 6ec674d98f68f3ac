// SPDX-License-Identifier: Apache-2.0
//
// What a run did, line by line, for the one who looks into a seed; and its verdict.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>

namespace kube::lying {

/// Bytes fit for a line: control characters and what is no ASCII as \xNN, a long middle left out.
std::string printable(std::string_view bytes, std::size_t limit = 600);

/// What is found first counts; the run ends with it.
class Findings {
 public:
  explicit Findings(bool trace) : trace_(trace) {}
  Findings(const Findings&) = delete;
  Findings& operator=(const Findings&) = delete;

  void set_clock(std::shared_ptr<Clock> clock) { clock_ = std::move(clock); }

  /// `make_line()` is called only for a trace.
  template <class F>
  void note(F&& make_line) {
    if (trace_) print(make_line());
  }
  void add(const std::string& rule, const std::string& what) {
    if (!first_) first_ = rule + ": " + what;
    note([&] { return "FOUND " + rule + ": " + what; });
  }
  bool any() const { return first_.has_value(); }
  const std::optional<std::string>& first() const { return first_; }

 private:
  void print(const std::string& line) const;

  const bool trace_;
  std::shared_ptr<Clock> clock_;
  std::optional<std::string> first_;
};

}  // namespace kube::lying
