// SPDX-License-Identifier: Apache-2.0
//
// kube::Executor: where work runs. Library code never starts a thread of its own: it submits tasks
// and timers. ThreadPool runs them on a few threads; SeededExecutor runs everything on the calling
// thread in an order drawn from a seed, so that any interleaving can be replayed; Strand runs its
// tasks one at a time, in order, on another executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <kube/base/clock.hpp>

namespace kube {

class Logger;

/// A unit of work. An exception that leaves it is caught and counted by the executor, and logged if
/// it was given a logger.
using Task = std::function<void()>;

/// A pending timer; its destructor cancels it. Movable, not copyable.
class Timer {
 public:
  /// What an executor implements.
  struct State {
    virtual ~State() = default;
    virtual void cancel() = 0;
  };
  Timer() = default;
  explicit Timer(std::shared_ptr<State> state) : state_(std::move(state)) {}
  Timer(Timer&& other) noexcept = default;
  Timer& operator=(Timer&& other) noexcept;
  ~Timer() { cancel(); }

  /// The task won't start after this returns; it may be running in another thread (for a timer of
  /// a Strand, cancelled on that strand: it is not). Idempotent.
  void cancel();

 private:
  std::shared_ptr<State> state_;
};

/// An implementation must not throw but for lack of memory, and has not taken the task then:
/// whoever submits counts on it being run or dropped.
///
/// @par Thread safety   All functions may be called from any thread, tasks included.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Runs the task soon, never inside this call. After the executor has stopped: dropped.
  virtual void submit(Task task) = 0;

  /// Runs the task at `when` by the executor's clock, or soon if that has passed.
  [[nodiscard]] virtual Timer submit_at(TimePoint when, Task task) = 0;

  /// Never null; shared because components outlive calls.
  virtual const std::shared_ptr<Clock>& clock() const = 0;

  [[nodiscard]] Timer submit_after(Duration delay, Task task) {
    return submit_at(deadline_after(clock()->now(), delay), std::move(task));
  }
};

/// A fixed number of threads that share one queue of tasks and timers; no timer thread.
///
/// A task that is submitted while a thread is idle starts at once, even if the others block for
/// ever. Due timers queue up behind the tasks that are ready already.
///
/// @par Stopping   stop(): no task starts any more, running ones finish, queued ones are dropped
///   and destroyed, threads are joined. Called from one of its own threads it does not wait for
///   that thread, nor for others that are inside stop() too. The destructor calls it; when it runs
///   on one of the pool's own threads, that thread ends after its task and is joined later, by
///   another pool's start or the program's end.
class ThreadPool final : public Executor {
 public:
  struct Options {
    std::size_t threads = 2;           ///< At least 1.
    std::string name = "kube";         ///< Threads are named name-0, name-1, ...
    std::shared_ptr<Clock> clock{};    ///< Empty: real_clock().
    std::shared_ptr<Logger> logger{};  ///< Told of exceptions that leave tasks. Empty: silent.
  };
  ThreadPool();
  explicit ThreadPool(Options options);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void submit(Task task) override;
  [[nodiscard]] Timer submit_at(TimePoint when, Task task) override;
  const std::shared_ptr<Clock>& clock() const override;
  void stop();

  /// Exceptions that left tasks since the start.
  std::uint64_t failed_tasks() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// Everything on the calling thread, in an order that the seed decides; virtual time.
///
/// Ready tasks are picked at random; when none is ready, time jumps to the next timer. The same
/// seed and the same program give the same run.
///
/// Its clock can wait, too: a task that blocks in Clock::wait_until has the other tasks run, and
/// time move on, inside that call. A wait that nothing left to run can end throws std::logic_error:
/// the program under test would hang.
/// @par Thread safety   Not thread-safe: one thread submits and runs.
class SeededExecutor final : public Executor {
 public:
  explicit SeededExecutor(std::uint64_t seed);
  ~SeededExecutor() override;
  SeededExecutor(const SeededExecutor&) = delete;
  SeededExecutor& operator=(const SeededExecutor&) = delete;

  void submit(Task task) override;
  [[nodiscard]] Timer submit_at(TimePoint when, Task task) override;
  const std::shared_ptr<Clock>& clock() const override;

  /// Runs one ready task, or moves time to the next timer; false when there is neither.
  bool step();
  /// Runs until nothing is ready, without moving time. Returns the number of tasks run.
  std::size_t run_ready();
  /// Runs everything that is due within `duration` of virtual time, and leaves the clock at its
  /// end.
  void run_for(Duration duration);
  /// Runs, moving time, until done() holds or `limit` steps were taken; returns done().
  bool run_until(const std::function<bool()>& done, std::size_t limit = 1'000'000);

  /// No task starts any more; queued ones are dropped and destroyed. What a task holds may hold
  /// this executor; whoever made it ends that circle here, as with a ThreadPool. The destructor
  /// calls it.
  void stop();

  /// The seeded source of randomness, for jitter and fault decisions of the same run.
  std::uint64_t random();

  /// Exceptions that left tasks since the start.
  std::uint64_t failed_tasks() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// Runs its tasks one at a time and in order of submission on another executor. A cheap handle:
/// copies share the strand. Tasks still queued when the last handle goes are run.
///
/// A strand gives its thread back after a batch of 16 tasks, so that a busy one does not starve the
/// others. Tasks are destroyed where they ran, before the next one starts. A task that throws does
/// not stop the ones behind it; the executor below counts the exception. When that executor has
/// stopped, queued tasks are dropped.
class Strand final : public Executor {
 public:
  explicit Strand(std::shared_ptr<Executor> executor);

  void submit(Task task) override;
  [[nodiscard]] Timer submit_at(TimePoint when, Task task) override;
  const std::shared_ptr<Clock>& clock() const override;

  /// True while the calling thread is running a task of this strand.
  bool running_in_this_thread() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kube
