// SPDX-License-Identifier: Apache-2.0
//
// Queues with producers, and workers that block in get().
#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <kube/workqueue/priority_queue.hpp>
#include <kube/workqueue/rate_limiting_queue.hpp>

#include "scenarios.hpp"

namespace kube::simulated {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// What was asked for, and what was done.
class Ledger {
 public:
  void ask(int key) {
    const std::lock_guard lock(mutex_);
    keys_[key].asked = ++adds_;
  }
  /// Returns false when another worker has the key.
  bool begin(int key) {
    const std::lock_guard lock(mutex_);
    Entry& entry = keys_[key];
    entry.began = adds_;
    return !std::exchange(entry.in_hands, true);
  }
  void end(int key) {
    const std::lock_guard lock(mutex_);
    keys_[key].in_hands = false;
  }
  std::string lost() const {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, entry] : keys_) {
      if (entry.in_hands || entry.began < entry.asked) {
        return "key " + std::to_string(key) + " waits for work";
      }
    }
    return {};
  }

 private:
  struct Entry {
    std::uint64_t asked = 0;  // the number of the last add whose time has come
    std::uint64_t began = 0;  // the number of adds when the last work began
    bool in_hands = false;
  };
  mutable std::mutex mutex_;
  std::map<int, Entry> keys_{};
  std::uint64_t adds_ = 0;
};

// The keys of a priority queue that wait and are ready, and with which priority.
class Waiting {
 public:
  void add(int key, int priority) {
    const std::lock_guard lock(mutex_);
    const auto [known, is_new] = wanted_.try_emplace(key, priority);
    if (!is_new) known->second = std::max(known->second, priority);
  }
  /// Returns what is wrong with the choice of a key, or "".
  std::string take(int key, int priority) {
    const std::lock_guard lock(mutex_);
    const auto taken = wanted_.extract(key);
    if (!taken || taken.mapped() != priority) {
      return "key " + std::to_string(key) + " has priority " + std::to_string(priority) +
             ", and was added with " + (taken ? std::to_string(taken.mapped()) : "none");
    }
    for (const auto& [other, wanted] : wanted_) {
      if (wanted <= priority || in_hands_.contains(other)) continue;
      return "key " + std::to_string(key) + " of " + std::to_string(priority) + " is before " +
             std::to_string(other) + " of " + std::to_string(wanted);
    }
    in_hands_.insert(key);
    return {};
  }
  void done(int key) {
    const std::lock_guard lock(mutex_);
    in_hands_.erase(key);
  }

 private:
  std::mutex mutex_;
  std::map<int, int> wanted_{};
  std::set<int> in_hands_{};
};

}  // namespace

void queues_lose_nothing(Simulation& sim) {
  RateLimitingQueue<int> queue({.name = "keys", .runtime = sim.runtime()});
  Ledger ledger;
  std::vector<testing::SimulatedThread> workers;
  const std::uint64_t count = 1 + sim.draw(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    workers.push_back(sim.spawn("worker", [&](std::stop_token stop) {
      while (auto item = queue.get(stop)) {
        const int key = item->key();
        if (!ledger.begin(key)) {
          sim.fail("no key is in the hands of two workers", std::to_string(key));
        }
        if (sim.one_in(2)) sim.clock()->sleep_for(milliseconds(sim.draw(3000)), stop);
        ledger.end(key);
        if (sim.one_in(4)) {
          ledger.ask(key);
          queue.add_rate_limited(key);
        } else {
          queue.forget(key);
        }
        if (sim.one_in(2)) item->done();
      }
    }));
  }
  sim.at_rest("nothing queued is lost", [&] { return ledger.lost(); });
  for (int i = 0; i < 30 && !sim.failed(); ++i) {
    const int key = static_cast<int>(sim.draw(5));
    const bool later = sim.one_in(3);
    const milliseconds delay(sim.draw(8000));
    sim.step("add " + std::to_string(key), [&] {
      ledger.ask(key);
      later ? queue.add_after(key, delay) : queue.add(key);
    });
    sim.run_for(milliseconds(sim.draw(sim.one_in(3) ? 3000 : 30)));
  }
  sim.rest();
  for (int key = 0; key < 3; ++key) {
    ledger.ask(key);
    queue.add(key);
  }
  sim.run_for(milliseconds(sim.draw(20)));
  if (sim.one_in(2) && !queue.shut_down_with_drain({}) && !sim.failed()) {
    sim.fail("a drain waits for the items in work", "it gave up");
  }
  queue.shut_down();
  for (auto& worker : workers) worker.join();
}

// Keys are added at once, with priorities; those from kLater on come back after a failure, with one
// priority, so that a key that is not ready is never compared.
void priorities_hold(Simulation& sim) {
  constexpr int kLater = 6;
  PriorityQueue<int> queue({.name = "priorities", .runtime = sim.runtime()});
  Ledger ledger;
  Waiting waiting;
  const auto work = [&](std::stop_token stop) {
    while (auto item = queue.get(stop)) {
      const int key = item->key();
      if (key < kLater) {
        const std::string wrong = waiting.take(key, item->priority());
        if (!wrong.empty()) sim.fail("a key of a higher priority is taken first", wrong);
      }
      if (!ledger.begin(key)) {
        sim.fail("no key is in the hands of two workers", std::to_string(key));
      }
      if (sim.one_in(2)) sim.clock()->sleep_for(milliseconds(sim.draw(2000)), stop);
      ledger.end(key);
      waiting.done(key);
      if (key >= kLater && sim.one_in(3)) {
        ledger.ask(key);
        queue.add(key, {.priority = kLowPriority, .rate_limited = true});
      } else {
        queue.forget(key);
      }
    }
  };
  std::vector<testing::SimulatedThread> workers;
  for (std::uint64_t i = 1 + sim.draw(2); i > 0; --i) workers.push_back(sim.spawn("worker", work));
  sim.at_rest("nothing queued is lost", [&] { return ledger.lost(); });
  for (int i = 0; i < 30 && !sim.failed(); ++i) {
    const int key = static_cast<int>(sim.draw(kLater + 2));
    const int priority = key < kLater ? static_cast<int>(sim.draw(4)) * 10 : kLowPriority;
    sim.step("add " + std::to_string(key) + " with " + std::to_string(priority), [&] {
      ledger.ask(key);
      if (key < kLater) waiting.add(key, priority);
      queue.add(key, {.priority = priority});
    });
    sim.run_for(milliseconds(sim.draw(sim.one_in(3) ? 3000 : 30)));
  }
  sim.rest();
  queue.shut_down();
  for (auto& worker : workers) worker.join();
}

}  // namespace kube::simulated
