// SPDX-License-Identifier: Apache-2.0
//
// Runs tasks, timers and threads, one at any moment, in an order that a seed decides and in
// virtual time.
//
// Invariants:
// 1. One thread has the baton: it runs, all others wait for their turn. Handing the baton over is
//    what orders their memory, so the members need no lock.
// 2. A task runs on a worker, which takes the next one when the task returns. When a task blocks
//    (in a wait of the clock, or in ThreadTurns::wait()), its thread sleeps and another worker goes
//    on with the tasks.
// 3. A sleeper goes on in its turn: once its condition holds it is drawn as the ready tasks are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <kube/base/executor.hpp>
#include <kube/base/thread_turns.hpp>

namespace kube::testing {

/// @par Thread safety   The thread that has the baton: the one that made it, at first.
class Scheduler final : public Executor {
 public:
  struct Options {
    std::uint64_t seed = 0;
    /// Tasks run in the order in which they became ready.
    bool in_order = false;
    std::size_t max_steps = 200'000;
  };
  explicit Scheduler(Options options);
  /// Ends the workers.
  /// @pre The calling thread made it, and no other thread sleeps.
  ~Scheduler() override;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void submit(Task task) override;
  [[nodiscard]] Timer submit_at(TimePoint when, Task task) override;
  const std::shared_ptr<Clock>& clock() const override;

  /// Called after each task, and before a sleeper goes on.
  void on_step(std::function<void()> hook);
  /// Called once when nothing is left to go on while threads wait without a deadline, which then
  /// end as if stopped; and when `max_steps` are taken, after which no task runs.
  void on_stuck(std::function<void(const std::string& why)> hook);
  /// Called before the process is aborted: when nothing is left to go on and no wait can be ended
  /// from here, since none has a stop token, or none ends for good (end_waits()). The call of
  /// on_stuck() came before it, or that of end_waits().
  void on_dead_end(std::function<void()> hook);

  /// Blocks the calling thread until `ready` holds or the deadline has passed; others go on.
  bool wait_until(TimePoint deadline, const std::function<bool()>& ready);

  /// Moves the time of day, or the time itself as when the machine sleeps.
  void jump_wall(Duration by);
  void jump(Duration by);

  /// Destroys what waits to run; nothing is accepted after it.
  void stop();

  /// The number of other threads that wait.
  std::size_t waiting() const;
  /// Ends the waits of all other threads: time moves to their deadlines, and when none is left,
  /// those with a stop token end as if stopped. What they do next runs, tasks too. A thread that
  /// waits on all the same is a dead end, and the process is aborted.
  /// @pre The calling thread made it.
  /// @par Blocks   Until no other thread waits.
  void end_waits();

  std::size_t steps() const;
  /// The number of tasks that an exception has left, and what the first one was.
  std::uint64_t failed_tasks() const;
  const std::string& first_exception() const;
  /// The number of tasks and timers that wait.
  std::size_t pending() const;
  /// Identifies the thread that has the baton: 0 for the one that made this.
  int current() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
  std::shared_ptr<Clock> clock_;
};

}  // namespace kube::testing
