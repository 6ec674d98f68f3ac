// SPDX-License-Identifier: Apache-2.0
#include "scheduler.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <semaphore>
#include <utility>
#include <vector>

#include <kube/base/worker_thread.hpp>

#include "exception_text.hpp"
#include "random.hpp"

namespace kube::testing {
namespace {

// Not zero, so that tests find code that takes the epoch for "never".
constexpr TimePoint kSimulatedStart{std::chrono::hours(1)};
constexpr WallTime kSimulatedDate{std::chrono::seconds(1'767'225'600)};  // 2026-01-01T00:00:00Z

// What threads may do when their waits end, before that counts as a loop.
constexpr std::size_t kStepsToEnd = 20'000;

using Turn = std::binary_semaphore;

struct TimerRecord {
  TimePoint when{};
  std::uint64_t sequence = 0;
  Task task;
};

/// A ready task, or a timer that is due.
struct ReadyItem {
  Task task;
  std::shared_ptr<TimerRecord> timer;
  Task take() { return timer ? std::exchange(timer->task, nullptr) : std::move(task); }
};

/// A thread that waits for its condition.
struct Sleeper {
  Mutex* mutex;
  const std::function<bool()>* ready;
  TimePoint deadline;
  const std::stop_token* stop;  // null: waits for its condition alone
  int thread;
  bool released = false;
  Turn turn{0};
};

}  // namespace

struct Scheduler::Impl final : ThreadTurns, std::enable_shared_from_this<Impl> {
  class SimulatedClock final : public Clock {
   public:
    explicit SimulatedClock(Impl& owner) : owner_(owner) {}
    TimePoint now() const override { return owner_.now; }
    WallTime wall_now() const override {
      return kSimulatedDate + (owner_.now - kSimulatedStart) + owner_.wall_offset;
    }
    WaitStatus wait_until(MutexLock& lock, CondVar&, TimePoint deadline, std::stop_token stop,
                          const std::function<bool()>& holds) override {
      return owner_.sleep(lock, deadline, &stop, holds);
    }

   private:
    Impl& owner_;
  };

  struct Worker {
    WorkerThread thread;
    Turn turn{0};
    Task next;
    bool ends = false;
  };

  /// What goes on next: a task, a sleeper, or nothing.
  struct Choice {
    Task task{};
    Sleeper* sleeper = nullptr;
    explicit operator bool() const { return task || sleeper != nullptr; }
  };

  explicit Impl(Options given) : options(given), random(given.seed, 1) {}

  Choice choose();
  bool choose_from_ready(Choice& out);
  bool move_time();
  void stuck(const std::string& why);
  [[noreturn]] void dead_end() const;
  static bool is_awake(const Sleeper& sleeper, TimePoint at);
  WaitStatus sleep(MutexLock& lock, TimePoint deadline, const std::stop_token* stop,
                   const std::function<bool()>& holds);
  void wait(MutexLock& lock, const std::function<bool()>& holds) override {
    sleep(lock, TimePoint::max(), nullptr, holds);
  }
  void end_waits();
  void give_to_worker(Task task);
  void run_worker(Worker& self);
  void run(Task task);
  void cancel(TimerRecord& timer);
  void promote_due();
  void drop_all();

  const Options options;
  Random random;
  TimePoint now = kSimulatedStart;
  Duration wall_offset{};
  std::vector<ReadyItem> ready;
  std::map<std::pair<TimePoint, std::uint64_t>, std::shared_ptr<TimerRecord>> timers;
  std::uint64_t next_sequence = 0;
  std::vector<Sleeper*> sleepers;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<Worker*> idle;
  std::function<void()> step_hook;
  std::function<void(const std::string&)> stuck_hook;
  std::function<void()> dead_end_hook;
  std::size_t steps = 0;
  std::uint64_t failed = 0;
  std::string first_exception;
  int current = 0;
  bool was_stuck = false;
  bool stopped = false;
  SimulatedClock clock{*this};
};

namespace {

/// The handle's side of a timer: outlives the scheduler without harm.
template <class Owner>
class SimulatedTimer final : public Timer::State, public TimerRecord {
 public:
  explicit SimulatedTimer(std::weak_ptr<Owner> owner) : owner_(std::move(owner)) {}
  void cancel() override {
    if (const auto owner = owner_.lock()) owner->cancel(*this);
  }

 private:
  const std::weak_ptr<Owner> owner_;
};

}  // namespace

void Scheduler::Impl::promote_due() {
  while (!timers.empty() && timers.begin()->first.first <= now) {
    ready.push_back({nullptr, std::move(timers.extract(timers.begin()).mapped())});
  }
}

void Scheduler::Impl::cancel(TimerRecord& timer) {
  const auto at = timers.find({timer.when, timer.sequence});
  std::shared_ptr<TimerRecord> kept;
  if (at != timers.end()) kept = std::move(timers.extract(at).mapped());
  const Task dropped = std::exchange(timer.task, nullptr);
}

// The sleeper's thread has released the mutex; another sleeper may hold it.
KUBE_NO_THREAD_SAFETY_ANALYSIS
bool Scheduler::Impl::is_awake(const Sleeper& sleeper, TimePoint at) {
  if (sleeper.released || at >= sleeper.deadline) return true;
  if (sleeper.stop != nullptr && sleeper.stop->stop_requested()) return true;
  if (!sleeper.mutex->try_lock()) return false;
  const bool holds = (*sleeper.ready)();
  sleeper.mutex->unlock();
  return holds;
}

bool Scheduler::Impl::choose_from_ready(Choice& out) {
  promote_due();
  std::erase_if(ready, [](const ReadyItem& item) { return item.timer && !item.timer->task; });
  std::vector<Sleeper*> awake;
  for (Sleeper* sleeper : sleepers) {
    if (is_awake(*sleeper, now)) awake.push_back(sleeper);
  }
  const std::size_t count = ready.size() + awake.size();
  if (count == 0) return false;
  const std::size_t index = !options.in_order ? random.below(count)
                            : steps % 8 == 0  ? count - 1
                                              : 0;
  if (index < ready.size()) {
    out.task = ready[index].take();
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(index));
  } else {
    out.sleeper = awake[index - ready.size()];
  }
  return true;
}

/// To what comes next; false when nothing does.
bool Scheduler::Impl::move_time() {
  TimePoint next = timers.empty() ? TimePoint::max() : timers.begin()->first.first;
  for (const Sleeper* sleeper : sleepers) next = std::min(next, sleeper->deadline);
  if (next == TimePoint::max()) return false;
  now = std::max(now, next);
  return true;
}

// Destroying a task may cancel the timers of others.
void Scheduler::Impl::drop_all() {
  stopped = true;
  std::vector<ReadyItem> dropped = std::exchange(ready, {});
  for (ReadyItem& item : dropped) const Task one = item.take();
  while (!timers.empty()) {
    const auto timer = std::move(timers.extract(timers.begin()).mapped());
    const Task one = std::exchange(timer->task, nullptr);
  }
}

void Scheduler::Impl::stuck(const std::string& why) {
  if (!std::exchange(was_stuck, true) && stuck_hook) stuck_hook(why);
}

// No wait can be ended from here: the run can't go on.
void Scheduler::Impl::dead_end() const {
  if (dead_end_hook) dead_end_hook();
  std::abort();
}

Scheduler::Impl::Choice Scheduler::Impl::choose() {
  Choice out;
  if (++steps == options.max_steps) {
    stuck("too many steps: a loop without a pause");
    drop_all();
  }
  while (!choose_from_ready(out)) {
    if (move_time()) continue;
    if (sleepers.empty()) return out;
    stuck("nothing is left that could end a wait");
    const auto stoppable =
        std::ranges::find_if(sleepers, [](const Sleeper* each) { return each->stop != nullptr; });
    if (stoppable == sleepers.end()) dead_end();
    for (Sleeper* sleeper : sleepers) sleeper->released = sleeper->stop != nullptr;
  }
  return out;
}

void Scheduler::Impl::run(Task task) {
  try {
    task();
  } catch (...) {
    if (failed++ == 0) first_exception = text_of_exception();
  }
  task = nullptr;
  if (step_hook) step_hook();
}

void Scheduler::Impl::give_to_worker(Task task) {
  Worker* worker = nullptr;
  if (idle.empty()) {
    workers.push_back(std::make_unique<Worker>());
    worker = workers.back().get();
    worker->next = std::move(task);
    worker->thread =
        WorkerThread("kube-simulated", [this, worker, number = static_cast<int>(workers.size())] {
          worker->turn.acquire();
          ThreadTurns::set_of_this_thread(this);
          current = number;
          run_worker(*worker);
        });
  } else {
    worker = idle.back();
    idle.pop_back();
    worker->next = std::move(task);
  }
  worker->turn.release();
}

void Scheduler::Impl::run_worker(Worker& self) {
  const int number = current;
  while (!self.ends) {
    current = number;
    if (self.next) run(std::exchange(self.next, nullptr));
    Choice next = choose();
    if (next.task) {
      self.next = std::move(next.task);
      continue;
    }
    idle.push_back(&self);
    if (next.sleeper != nullptr) next.sleeper->turn.release();
    self.turn.acquire();
  }
}

KUBE_NO_THREAD_SAFETY_ANALYSIS
WaitStatus Scheduler::Impl::sleep(MutexLock& lock, TimePoint deadline, const std::stop_token* stop,
                                  const std::function<bool()>& holds) {
  const auto status = [&](bool released) -> std::optional<WaitStatus> {
    if (holds()) return WaitStatus::Ready;
    if (released || (stop != nullptr && stop->stop_requested())) return WaitStatus::Stopped;
    if (now >= deadline) return WaitStatus::TimedOut;
    return std::nullopt;
  };
  std::optional<WaitStatus> out = status(false);
  const int number = current;
  while (!out) {
    Sleeper self{&lock.mutex(), &holds, deadline, stop, number};
    lock.unlock();
    sleepers.push_back(&self);
    Choice next = choose();
    if (next.task) give_to_worker(std::move(next.task));
    if (next.sleeper != nullptr && next.sleeper != &self) next.sleeper->turn.release();
    if (next.sleeper != &self) self.turn.acquire();
    std::erase(sleepers, &self);
    current = number;
    if (step_hook) step_hook();
    lock.lock();
    out = status(self.released);
  }
  return *out;
}

// The thread that chooses sleeps, or has ended its task: when no other thread sleeps, none runs.
void Scheduler::Impl::end_waits() {
  const std::size_t most = steps + kStepsToEnd;
  const int self = current;
  const auto alone = [this, self] {
    return std::ranges::all_of(sleepers,
                               [self](const Sleeper* each) { return each->thread == self; });
  };
  Mutex mutex;
  MutexLock lock(mutex);
  sleep(lock, TimePoint::max(), nullptr,
        [&] { return (alone() && ready.empty()) || steps > most; });
  if (!alone()) dead_end();
}

Scheduler::Scheduler(Options options)
    : impl_(std::make_shared<Impl>(options)), clock_(impl_, &impl_->clock) {
  ThreadTurns::set_of_this_thread(impl_.get());
}

Scheduler::~Scheduler() {
  stop();
  for (const auto& worker : impl_->workers) {
    worker->ends = true;
    worker->turn.release();
    worker->thread.join();
  }
  ThreadTurns::set_of_this_thread(nullptr);
}

void Scheduler::submit(Task task) {
  if (!impl_->stopped) impl_->ready.push_back({std::move(task), nullptr});
}

Timer Scheduler::submit_at(TimePoint when, Task task) {
  if (impl_->stopped) return Timer();
  auto timer = std::make_shared<SimulatedTimer<Impl>>(impl_);
  timer->when = when;
  timer->sequence = impl_->next_sequence++;
  timer->task = std::move(task);
  impl_->timers.emplace(std::pair(when, timer->sequence), timer);
  return Timer(std::move(timer));
}

const std::shared_ptr<Clock>& Scheduler::clock() const {
  return clock_;
}

void Scheduler::on_step(std::function<void()> hook) {
  impl_->step_hook = std::move(hook);
}

void Scheduler::on_stuck(std::function<void(const std::string&)> hook) {
  impl_->stuck_hook = std::move(hook);
}

void Scheduler::on_dead_end(std::function<void()> hook) {
  impl_->dead_end_hook = std::move(hook);
}

bool Scheduler::wait_until(TimePoint deadline, const std::function<bool()>& ready) {
  Mutex mutex;
  MutexLock lock(mutex);
  const std::stop_token never;
  return impl_->sleep(lock, deadline, &never, ready) == WaitStatus::Ready;
}

void Scheduler::jump_wall(Duration by) {
  impl_->wall_offset += by;
}

void Scheduler::jump(Duration by) {
  impl_->now += by;
}

void Scheduler::stop() {
  impl_->drop_all();
}

std::size_t Scheduler::steps() const {
  return impl_->steps;
}

std::size_t Scheduler::waiting() const {
  return impl_->sleepers.size();
}

void Scheduler::end_waits() {
  impl_->end_waits();
}

std::uint64_t Scheduler::failed_tasks() const {
  return impl_->failed;
}

const std::string& Scheduler::first_exception() const {
  return impl_->first_exception;
}

std::size_t Scheduler::pending() const {
  return impl_->timers.size() + impl_->ready.size();
}

int Scheduler::current() const {
  return impl_->current;
}

}  // namespace kube::testing
