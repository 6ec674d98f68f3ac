// SPDX-License-Identifier: Apache-2.0
//
// Shortens a failing run: halves, quarters, ... of its happenings are left out as long as the same
// rule stays broken (delta debugging).
#include "shrink.hpp"

#include <algorithm>
#include <utility>

namespace kube::testing {
namespace {

using Run = std::function<RunOutcome(const SimulationOptions&)>;

class Shrinker {
 public:
  Shrinker(SimulationOptions failing, const Run& run, std::size_t max_runs)
      : best_(std::move(failing)), run_(run), runs_left_(max_runs) {
    best_.trace = false;
  }

  SimulationOptions shrink() {
    --runs_left_;
    RunOutcome first = run_(best_);
    if (first.rule.empty()) return best_;
    rule_ = std::move(first.rule);
    happened_ = std::move(first.happened);
    if (!best_.in_order) {
      SimulationOptions calmer = best_;
      calmer.in_order = true;
      static_cast<void>(stays_broken(std::move(calmer)));
    }
    std::size_t size = std::max<std::size_t>(1, happened_.size());
    while (runs_left_ != 0) {
      const bool smaller = pass(size);
      if (size == 1 && !smaller) break;
      size = std::max<std::size_t>(1, size / 2);
    }
    return best_;
  }

 private:
  // Leaves out `size` happenings at a time, from the last on.
  bool pass(std::size_t size) {
    bool any = false;
    std::size_t end = happened_.size();
    while (end != 0 && runs_left_ != 0) {
      const std::size_t begin = end - std::min(size, end);
      SimulationOptions next = best_;
      next.without.insert(happened_.begin() + static_cast<std::ptrdiff_t>(begin),
                          happened_.begin() + static_cast<std::ptrdiff_t>(end));
      if (stays_broken(std::move(next))) any = true;
      end = std::min(begin, happened_.size());
    }
    return any;
  }

  bool stays_broken(SimulationOptions options) {
    if (runs_left_ == 0) return false;
    --runs_left_;
    RunOutcome outcome = run_(options);
    if (outcome.rule != rule_ || outcome.happened.size() > happened_.size()) return false;
    best_ = std::move(options);
    happened_ = std::move(outcome.happened);
    return true;
  }

  SimulationOptions best_;
  const Run& run_;
  std::size_t runs_left_;
  std::string rule_;
  std::vector<std::uint32_t> happened_;
};

}  // namespace

SimulationOptions shrink_by(SimulationOptions failing, const Run& run, std::size_t max_runs) {
  if (max_runs == 0) return failing;
  const bool trace = failing.trace;
  SimulationOptions out = Shrinker(std::move(failing), run, max_runs).shrink();
  out.trace = trace;
  return out;
}

SimulationOptions shrink(SimulationOptions failing, const Scenario& scenario,
                         std::size_t max_runs) {
  const auto run = [&scenario](const SimulationOptions& options) {
    SimulationReport report = simulate(options, scenario);
    RunOutcome out;
    if (report.broken) out.rule = std::move(report.broken->rule);
    out.happened = std::move(report.happened);
    return out;
  };
  return shrink_by(std::move(failing), run, max_runs);
}

}  // namespace kube::testing
