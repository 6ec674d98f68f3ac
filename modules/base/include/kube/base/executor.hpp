// SPDX-License-Identifier: Apache-2.0
//
// kube::Executor: where work runs. Informers and controllers start no threads: they submit tasks
// and timers. ThreadPool runs them on a few threads; SeededExecutor runs everything on the calling
// thread in an order that a seed decides, so that any interleaving can be replayed; Strand runs its
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

/// A unit of work. The executor catches and counts an exception that leaves it, and logs it when it
/// has a logger.
using Task = std::function<void()>;

/// A pending timer. Its destructor cancels it. Movable, not copyable.
/// @par Thread safety   One thread at a time, any thread.
class Timer {
 public:
  /// Implemented by executors.
  /// @par Thread safety   cancel() may be called from any thread.
  struct State {
    virtual ~State() = default;
    virtual void cancel() = 0;
  };
  Timer() = default;
  explicit Timer(std::shared_ptr<State> state) : state_(std::move(state)) {}
  Timer(Timer&& other) noexcept = default;
  Timer& operator=(Timer&& other) noexcept;
  ~Timer() { cancel(); }

  /// The task does not start after this returns, but may still be running in another thread (a
  /// Strand's timer that is cancelled on that strand is not). Idempotent; does not block.
  void cancel();

 private:
  std::shared_ptr<State> state_;
};

/// Runs tasks and timers. An implementation may throw only std::bad_alloc, and then has not
/// accepted the task.
///
/// @par Thread safety   All functions may be called from any thread, tasks included.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Runs the task soon, never inside this call. An executor that has stopped drops it.
  virtual void submit(Task task) = 0;

  /// Runs the task at `when` by the executor's clock, or soon when that time has passed.
  [[nodiscard]] virtual Timer submit_at(TimePoint when, Task task) = 0;

  /// Never null.
  virtual const std::shared_ptr<Clock>& clock() const = 0;

  [[nodiscard]] Timer submit_after(Duration delay, Task task) {
    return submit_at(deadline_after(clock()->now(), delay), std::move(task));
  }
};

/// A fixed number of threads that share one queue of tasks and timers.
///
/// A task that is submitted while a thread is idle starts at once, even when all others block.
/// Timers that are due run after the tasks that are already ready.
///
/// Its threads, as all threads of the library, block signals, SIGINT and SIGTERM among them. A task
/// that starts a program unblocks them in the child before exec, which inherits the mask.
///
/// @par Thread safety   All functions may be called from any thread, tasks included.
/// @par Stopping   After stop() no task starts; running ones finish, queued ones are destroyed, the
///   threads are joined. Called on one of the pool's threads, stop() does not wait for that thread,
///   nor for others that are inside stop(). The destructor calls stop(); when it runs on one of the
///   pool's threads, that thread ends after its task and is joined later, by the start of another
///   pool or at the end of the program.
class ThreadPool final : public Executor {
 public:
  struct Options {
    std::size_t threads = 2;           ///< At least 1.
    std::string name = "kube";         ///< Threads are named name-0, name-1, ...
    std::shared_ptr<Clock> clock{};    ///< Empty: real_clock().
    std::shared_ptr<Logger> logger{};  ///< Logs exceptions that leave tasks. Empty: silent.
  };
  ThreadPool();
  explicit ThreadPool(Options options);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void submit(Task task) override;
  [[nodiscard]] Timer submit_at(TimePoint when, Task task) override;
  const std::shared_ptr<Clock>& clock() const override;
  /// See "Stopping" above. Idempotent.
  /// @par Blocks   Until running tasks have finished.
  void stop();

  /// Returns the number of exceptions that left tasks since the start.
  std::uint64_t failed_tasks() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// Runs everything on the calling thread, in an order that a seed decides and in virtual time: for
/// tests.
///
/// Ready tasks are picked at random; when none is ready, time jumps to the next timer. The same
/// seed and the same program give the same run.
///
/// A task may block in Clock::wait_until() of its clock: other tasks run, and time moves, during
/// that call. A wait that no remaining task can end throws std::logic_error, because the program
/// under test would hang.
/// @par Thread safety   One thread submits and runs.
class SeededExecutor final : public Executor {
 public:
  explicit SeededExecutor(std::uint64_t seed);
  ~SeededExecutor() override;
  SeededExecutor(const SeededExecutor&) = delete;
  SeededExecutor& operator=(const SeededExecutor&) = delete;

  void submit(Task task) override;
  [[nodiscard]] Timer submit_at(TimePoint when, Task task) override;
  const std::shared_ptr<Clock>& clock() const override;

  /// Runs one ready task, or moves time to the next timer. Returns false when there is neither.
  bool step();
  /// Runs until nothing is ready, without moving time. Returns the number of tasks run.
  std::size_t run_ready();
  /// Runs everything that is due within `duration` of virtual time, then sets the clock to its end.
  void run_for(Duration duration);
  /// Calls step() until done() holds or `limit` steps were taken. Returns done().
  bool run_until(const std::function<bool()>& done, std::size_t limit = 1'000'000);

  /// After this call no task starts; queued ones are destroyed. A task may hold objects that hold
  /// this executor: the test that made it breaks that cycle by this call. The destructor calls it.
  void stop();

  /// Returns the next random number of the seed, for jitter and injected faults of the same run.
  std::uint64_t random();

  /// Returns the number of exceptions that left tasks since the start.
  std::uint64_t failed_tasks() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

/// Runs its tasks one at a time and in order of submission on another executor. A cheap handle:
/// copies share the strand. Tasks that are queued when the last handle is destroyed still run.
///
/// A strand gives its thread back after a batch of 16 tasks, so that a busy one does not starve
/// others. A task is destroyed on the thread that ran it, before the next one starts. A task that
/// throws does not stop those after it; the executor counts the exception. When the executor has
/// stopped, queued tasks are dropped. Lack of memory drops no accepted task, and no due timer.
/// @par Thread safety   All functions may be called from any thread, tasks included.
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
