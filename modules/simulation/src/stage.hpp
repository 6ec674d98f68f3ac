// SPDX-License-Identifier: Apache-2.0
//
// Where a scenario runs: on the simulated scheduler and network, or, for the tests of this library,
// on threads and sockets. The rules are the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <kube/apiserver/frontend.hpp>
#include <kube/simulation/simulation.hpp>

#include "journal.hpp"
#include "truth.hpp"

namespace kube::testing {

/// @par Thread safety   The thread of the scenario, except where a function says otherwise.
class Stage {
 public:
  /// What a run waits for in the end.
  struct Patience {
    Duration recovery{};  ///< The maximum time from calm() to rest.
    Duration look{};      ///< Between two looks.
    Duration stays{};     ///< How long it has to stay so.
  };

  virtual ~Stage() = default;
  virtual const Client& client() const = 0;
  virtual const std::shared_ptr<Clock>& clock() const = 0;
  virtual apiserver::ApiServer& server() = 0;
  /// Whether one thread runs at any moment; else the rules need a lock.
  virtual bool takes_turns() const = 0;
  virtual Patience patience() const = 0;

  /// Begins with the faults. `look` is called on the thread of the scenario, or in its turn, when
  /// something may have changed.
  virtual void begin(std::function<void()> look) = 0;
  /// Ends the faults.
  virtual void calm() = 0;
  /// Returns how long a pause of the scenario lasts at most now.
  virtual Duration longest_pause() const { return Duration::max(); }
  /// Lets everything run until `done`, or the time is `end`.
  virtual void wait_until(TimePoint end, const std::function<bool()>& done) = 0;
  /// Runs code that may block. `done` is called after it. Returns what waits for its end.
  virtual std::function<void()> run(std::function<void()> code) = 0;

  /// Returns the writes to the server's store, oldest first, without the first `from`. Any thread.
  virtual std::vector<apiserver::StoreWrite> writes(std::size_t from) const = 0;
  /// Blocks until writes() has what a handler has received. Any thread.
  virtual void await_write(const std::string& resource_version) const = 0;
  /// Returns the version of the oldest state that a list may have.
  virtual std::uint64_t oldest_version() const = 0;
  /// Called in each handler: may make it slow. Any thread.
  virtual void delay_handler() = 0;

  /// All of the scenario is gone: ends everything, and reports what is left to the journal.
  virtual void end() = 0;
  /// Sets what end() calls when threads are left: it asks SimulatedThreads to stop. A stage whose
  /// run() has real threads can't know of them.
  virtual void on_threads_left(std::function<void()> /*stop*/) {}
  virtual std::size_t steps() const = 0;
};

/// Makes the stage of a run, which the journal and the truth outlive.
struct StageMaker {
  std::function<std::unique_ptr<Stage>(const SimulationOptions& options, Journal& journal,
                                       Truth& truth)>
      make{};
};

/// The simulated one.
StageMaker simulated_stage();

/// Runs a scenario once, on a stage.
SimulationReport simulate(const SimulationOptions& options, const StageMaker& stage,
                          const Scenario& scenario);

}  // namespace kube::testing
