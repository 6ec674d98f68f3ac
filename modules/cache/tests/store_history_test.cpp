// SPDX-License-Identifier: Apache-2.0
//
// Whether queries that take no lock are linearizable: threads read while one writes, lists anew and
// others add indexes; afterwards there has to be a moment for each query, within its time, at which
// the store was in just the state that the query saw, such that a query that began after another
// one had ended has no earlier moment. A second test stops the writer by a signal wherever it
// is, so that what is half done lasts long enough to be looked at.
#include <pthread.h>
#include <csignal>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "store_writer.hpp"
#include "wire_texts.hpp"

namespace kube::cache {
namespace {

using testing::make_cell;

constexpr int kKeys = 24;
constexpr std::uint64_t kChanges = 3'000;
constexpr std::size_t kMostReads = 60'000;  // of a thread
constexpr std::array kKinds{"get", "list", "namespace x", "words red", "an index that was added"};

std::string key_of(int key) {
  return (key % 2 == 0 ? "x/" : "y/") + std::to_string(key);
}
bool is_red(int key, std::uint64_t version) {
  return (static_cast<std::uint64_t>(key) * 7 + version) % 3 == 0;
}
CellRef cell_of(int key, std::uint64_t version) {
  return make_cell(key_of(key), std::to_string(version), is_red(key, version) ? "red" : "blue");
}
Result<std::vector<std::string>> by_colour(const CellRef& cell) {
  return std::vector<std::string>{std::string(cell->body())};
}
/// What a set of objects sums to, in any order.
std::uint64_t mix(int key, std::uint64_t version) {
  std::uint64_t bits = version * 1'000'003 + static_cast<std::uint64_t>(key) + 1;
  bits = (bits ^ (bits >> 31)) * 0x9E3779B97F4A7C15U;
  return bits ^ (bits >> 29);
}

struct Sum final : CellSink {
  std::uint64_t sum = 0;
  void take(std::span<const Cell* const> cells) override {
    for (const Cell* cell : cells) {
      sum += mix(std::stoi(std::string(cell->name())),
                 std::stoull(std::string(cell->resource_version())));
    }
  }
};

/// A state of the store: that after a change.
struct State {
  std::array<std::uint64_t, kKeys> version{};  // 0: not there
  std::array<std::uint64_t, kKinds.size()> sums{};

  void summarize() {
    sums = {};
    for (int key = 0; key < kKeys; ++key) {
      const std::uint64_t here = version[static_cast<std::size_t>(key)];
      if (here == 0) continue;
      sums[1] += mix(key, here);
      if (key % 2 == 0) sums[2] += mix(key, here);
      if (is_red(key, here)) sums[3] += mix(key, here);
    }
    sums[4] = sums[3];
  }
};

/// A call, by the ticks of one clock for all threads.
struct Time {
  std::uint64_t began = 0;
  std::uint64_t ended = 0;
};
struct Read {
  Time time;
  std::size_t kind = 0;
  int key = 0;
  std::uint64_t seen = 0;  // a version, or a sum
};

/// Stops a thread at the instruction at which it is.
class Freezer {
 public:
  explicit Freezer(pthread_t thread) : thread_(thread) {
    static_cast<void>(std::signal(SIGUSR1, [](int) {
      is_frozen_ = true;
      // Not for good: it may hold the lock of an allocator.
      for (int i = 0; i < kMostTurns && is_frozen_; ++i) std::this_thread::yield();
      is_frozen_ = false;
    }));
  }
  /// Returns when the thread has stopped, or soon, when it does not.
  void freeze() const {
    pthread_kill(thread_, SIGUSR1);
    for (int i = 0; i < kMostTurns && !is_frozen_; ++i) std::this_thread::yield();
  }
  static void thaw() { is_frozen_ = false; }

 private:
  static constexpr int kMostTurns = 1'000;
  static inline std::atomic<bool> is_frozen_{false};
  pthread_t thread_;
};

class StoreHistory {
 public:
  StoreHistory() { EXPECT_TRUE(store_->add_index("words", by_colour)); }

  void write(unsigned seed) {
    std::mt19937 dice(seed);
    State state;
    while (states_.size() < kChanges) {
      Time time{.began = ++clock_};
      const std::size_t first = states_.size();
      if (dice() % 40 == 0) {
        relist(dice, state);
      } else {
        change(dice, state);
      }
      time.ended = ++clock_;
      times_.resize(states_.size(), time);
      EXPECT_GT(states_.size(), first);
    }
    done_ = true;
  }

  std::vector<Read> read(unsigned seed) {
    std::mt19937 dice(seed);
    std::vector<Read> reads;
    while (!done_ && reads.size() < kMostReads) {
      Read read;
      read.kind = dice() % 2 == 0 ? 0 : dice() % kKinds.size();
      read.key = static_cast<int>(dice() % kKeys);
      const int added = added_;
      if (read.kind == 4 && added == 0) continue;
      read.time.began = ++clock_;
      read.seen = look(read, static_cast<int>(dice() % 8) % std::max(added, 1));
      read.time.ended = ++clock_;
      reads.push_back(read);
    }
    return reads;
  }

  /// Looks at each key, and then at all, while the writer has stopped.
  std::vector<Read> read_while_frozen(const Freezer& writer) {
    std::vector<Read> reads;
    const auto take = [&](std::size_t kind, int key) {
      Read read{.time = {.began = ++clock_}, .kind = kind, .key = key};
      read.seen = look(read, 0);
      read.time.ended = ++clock_;
      reads.push_back(read);
    };
    while (!done_ && reads.size() < 5 * kMostReads) {
      writer.freeze();
      for (int key = 0; key < kKeys; ++key) take(0, key);
      for (const std::size_t kind : {1U, 2U, 3U}) take(kind, 0);
      Freezer::thaw();
    }
    return reads;
  }

  void add_indexes() {
    for (int i = 0; i < 8 && !done_; ++i) {
      EXPECT_TRUE(store_->add_index("added-" + std::to_string(i), by_colour));
      added_ = i + 1;
    }
  }

  /// Fails the test for the first read without a moment.
  void check(std::vector<Read> reads) const {
    std::ranges::sort(reads, {}, [](const Read& read) { return read.time.began; });
    struct Placed {
      std::uint64_t ended;
      std::size_t moment;
      bool operator>(const Placed& other) const { return ended > other.ended; }
    };
    std::priority_queue<Placed, std::vector<Placed>, std::greater<>> placed;
    std::size_t least = 0;  // the moment of those that have ended
    std::size_t written = 0;
    for (const Read& read : reads) {
      for (; !placed.empty() && placed.top().ended < read.time.began; placed.pop()) {
        least = std::max(least, placed.top().moment);
      }
      while (written + 1 < states_.size() && times_[written + 1].ended < read.time.began) ++written;
      // The earliest moment leaves the most room for those that follow.
      std::size_t moment = std::max(least, written);
      const std::size_t from = moment;
      const auto is_possible = [&] {
        return moment < states_.size() && times_[moment].began < read.time.ended;
      };
      while (is_possible() && !is_of(states_[moment], read)) ++moment;
      ASSERT_TRUE(is_possible()) << kKinds[read.kind] << " of " << key_of(read.key) << " saw "
                                 << read.seen << ", which no state from " << from << " to "
                                 << moment << " was, at " << read.time.began << ".."
                                 << read.time.ended;
      placed.push({read.time.ended, moment});
    }
  }

 private:
  static bool is_of(const State& state, const Read& read) {
    if (read.kind == 0) return state.version[static_cast<std::size_t>(read.key)] == read.seen;
    return state.sums[read.kind] == read.seen;
  }
  std::uint64_t look(const Read& read, int added) const {
    Sum sum;
    switch (read.kind) {
      case 0: {
        const CellUser found = store_->get(key_of(read.key));
        return found.get() == nullptr ? 0
                                      : std::stoull(std::string(found.get()->resource_version()));
      }
      case 1:
        store_->list(sum);
        break;
      case 2:
        EXPECT_TRUE(store_->by_index(kNamespaceIndex, "x", sum));
        break;
      case 3:
        EXPECT_TRUE(store_->by_index("words", "red", sum));
        break;
      default:
        EXPECT_TRUE(store_->by_index("added-" + std::to_string(added), "red", sum));
    }
    return sum.sum;
  }
  void push(State& state) {
    state.summarize();
    states_.push_back(state);
  }
  // A version is the number of the state that the change leads to.
  void change(std::mt19937& dice, State& state) {
    std::vector<Delta> deltas;
    const std::size_t count = 1 + dice() % 3;
    for (std::size_t i = 0; i < count; ++i) {
      const int key = static_cast<int>(dice() % kKeys);
      std::uint64_t& version = state.version[static_cast<std::size_t>(key)];
      const bool removes = version != 0 && dice() % 4 == 0;
      deltas.push_back({.type = removes ? DeltaType::Deleted : DeltaType::Updated,
                        .cell = cell_of(key, removes ? version : states_.size())});
      version = removes ? 0 : states_.size();
      push(state);
    }
    EXPECT_TRUE(writer_.apply(deltas));
  }
  void relist(std::mt19937& dice, State& state) {
    std::vector<CellRef> items;
    state = {};
    for (int key = 0; key < kKeys; ++key) {
      if (dice() % 3 == 0) continue;
      items.push_back(cell_of(key, states_.size()));
      state.version[static_cast<std::size_t>(key)] = states_.size();
    }
    push(state);
    EXPECT_TRUE(writer_.replace(std::move(items), "1"));
  }

  std::shared_ptr<Store> store_ = std::make_shared<Store>(meta::GroupResource{"", "pods"});
  StoreWriter writer_{store_};
  std::atomic<std::uint64_t> clock_{1};
  std::atomic<bool> done_{false};
  std::atomic<int> added_{0};
  // Of the writer; for others when it has ended. The first state is the empty store.
  std::vector<State> states_ = std::vector<State>(1);
  std::vector<Time> times_ = std::vector<Time>(1);
};

class StoreHistoryTest : public ::testing::TestWithParam<unsigned> {};

TEST_P(StoreHistoryTest, EachQueryIsOfOneMomentWithinItsTime) {
  StoreHistory history;
  std::array<std::vector<Read>, 3> reads;
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < reads.size(); ++i) {
      threads.emplace_back([&, i] { reads[i] = history.read(100 * GetParam() + i); });
    }
    threads.emplace_back([&] { history.add_indexes(); });
    history.write(GetParam());
  }
  std::vector<Read> all;
  for (const std::vector<Read>& each : reads) all.insert(all.end(), each.begin(), each.end());
  history.check(std::move(all));
}

TEST_P(StoreHistoryTest, SoIsEachWhileTheWriterStopsAnywhere) {
  StoreHistory history;
  std::vector<Read> reads;
  {
    const Freezer writer(pthread_self());
    const std::jthread reader([&] { reads = history.read_while_frozen(writer); });
    history.write(GetParam());
  }
  history.check(std::move(reads));
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreHistoryTest, ::testing::Range(1U, 7U));

}  // namespace
}  // namespace kube::cache
