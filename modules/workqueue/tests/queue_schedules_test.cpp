// SPDX-License-Identifier: Apache-2.0
//
// Random calls of a rate-limiting queue against a model that says exactly what every call gives:
// the keys in their order, how many wait, and the failures of each. KUBE_SEEDS chooses other seeds
// (kube/testing/seeds.hpp).
#include <kube/workqueue/rate_limiting_queue.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <kube/testing/seeds.hpp>

namespace kube {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstDelay{1};
constexpr milliseconds kLongestDelay{20};

/// What client-go's documents say, written down as simply as can be.
class QueueModel {
 public:
  void add(int key) {
    if (shut_down || !dirty_.insert(key).second) return;
    if (!working_.contains(key)) waiting.push_back(key);
  }
  void add_after(int key, Duration delay) {
    if (shut_down) return;
    if (delay <= Duration::zero()) return add(key);
    const auto known = delayed_.find(key);
    if (known != delayed_.end() && known->second.first <= now + delay) return;
    delayed_[key] = {now + delay, sequence_++};
  }
  void add_rate_limited(int key) {
    const int before = failures[key]++;
    const Duration delay = before > 10 ? kLongestDelay : kFirstDelay * (1 << before);
    add_after(key, std::min<Duration>(delay, kLongestDelay));
  }
  void take() {
    working_.insert(waiting.front());
    dirty_.erase(waiting.front());
    waiting.pop_front();
  }
  void done(int key) {
    working_.erase(key);
    if (dirty_.contains(key)) waiting.push_back(key);
  }
  void end() {
    shut_down = true;
    delayed_.clear();
  }
  void pass(Duration time) {
    now += time;
    std::vector<std::pair<Slot, int>> due;
    for (const auto& [key, slot] : delayed_) {
      if (slot.first <= now) due.emplace_back(slot, key);
    }
    std::sort(due.begin(), due.end());
    for (const auto& [slot, key] : due) {
      delayed_.erase(key);
      add(key);
    }
  }

  TimePoint now{};
  bool shut_down = false;
  std::deque<int> waiting;
  std::map<int, int> failures;

 private:
  using Slot = std::pair<TimePoint, int>;
  std::set<int> dirty_;
  std::set<int> working_;
  std::map<int, Slot> delayed_;
  int sequence_ = 0;
};

/// The first difference between queue and model; empty when there is none.
class QueueRun {
 public:
  explicit QueueRun(std::uint64_t seed) : executor_(std::make_shared<SeededExecutor>(seed)) {}

  std::string run() {
    for (int i = 0; i < 200 && problem_.empty(); ++i) step();
    return problem_;
  }

 private:
  using Queue = RateLimitingQueue<int>;

  int draw(int below) {
    return static_cast<int>(executor_->random() % static_cast<std::uint64_t>(below));
  }
  void expect(bool holds, const std::string& what) {
    if (!holds && problem_.empty()) problem_ = what;
  }

  void step() {
    const int key = draw(6);
    const std::string name = std::to_string(key);
    switch (draw(10)) {
      case 0:
      case 1:
        queue_.add(key);
        model_.add(key);
        break;
      case 2: {
        const Duration delay = milliseconds(draw(12) - 2);
        queue_.add_after(key, delay);
        model_.add_after(key, delay);
        break;
      }
      case 3:
        queue_.add_rate_limited(key);
        model_.add_rate_limited(key);
        break;
      case 4:
        queue_.forget(key);
        model_.failures[key] = 0;
        break;
      case 5:
      case 6:
        take();
        break;
      case 7:
        end_one();
        break;
      case 8: {
        const Duration time = milliseconds(draw(6));
        executor_->run_for(time);
        model_.pass(time);
        break;
      }
      default:
        if (draw(40) == 0) shut_down();
        break;
    }
    expect(queue_.len() == model_.waiting.size(), "len(): " + std::to_string(queue_.len()) +
                                                      ", expected " +
                                                      std::to_string(model_.waiting.size()));
    expect(queue_.num_requeues(key) == model_.failures[key], "failures of " + name);
    expect(queue_.shutting_down() == model_.shut_down, "shutting_down()");
  }

  void take() {
    auto item = queue_.try_get();
    expect(item.has_value() == !model_.waiting.empty(), "whether there is a key");
    if (!item || model_.waiting.empty()) return;
    expect(item->key() == model_.waiting.front(), "the key: " + std::to_string(item->key()) +
                                                      ", expected " +
                                                      std::to_string(model_.waiting.front()));
    model_.take();
    items_.push_back(*std::move(item));
  }

  void end_one() {
    if (items_.empty()) return;
    const auto which = items_.begin() + draw(static_cast<int>(items_.size()));
    model_.done(which->key());
    items_.erase(which);
  }

  void shut_down() {
    if (draw(2) == 0) {
      queue_.shut_down();
    } else {
      std::stop_source at_once;
      at_once.request_stop();
      expect(queue_.shut_down_with_drain(at_once.get_token()) == items_.empty(), "the drain");
    }
    model_.end();
  }

  const std::shared_ptr<SeededExecutor> executor_;
  Queue queue_{{.runtime = {.executor = executor_},
                .rate_limiter = std::make_shared<ItemExponentialFailureRateLimiter<int>>(
                    kFirstDelay, kLongestDelay)}};
  QueueModel model_;
  std::vector<WorkItem<int>> items_;
  std::string problem_;
};

TEST(QueueSchedules, EveryCallGivesWhatTheModelSays) {
  int differences = 0;
  for (const std::uint64_t seed : testing::chosen_seeds(3000)) {
    const std::string problem = QueueRun(seed).run();
    if (problem.empty()) continue;
    ADD_FAILURE() << "seed " << seed << ": " << problem;
    if (++differences == 3) break;
  }
}

}  // namespace
}  // namespace kube
