// SPDX-License-Identifier: Apache-2.0
//
// What several stores have at one moment.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "store_impl.hpp"
#include "store_writer.hpp"

namespace kube::cache {
namespace {

/// What a store has after a change.
struct Moment {
  const StoreState* state;
  const ChangeRecord* since;
  bool operator==(const Moment&) const = default;
};

/// Holds the locks of the writers of several stores. No other thread waits for one of these with
/// another: the order only keeps two snapshots from waiting for each other.
class WritersStopped {
 public:
  explicit WritersStopped(std::vector<Mutex*> mutexes) : mutexes_(std::move(mutexes)) {
    std::sort(mutexes_.begin(), mutexes_.end(), std::less<>());
    mutexes_.erase(std::unique(mutexes_.begin(), mutexes_.end()), mutexes_.end());
    lock();
  }
  ~WritersStopped() { unlock(); }
  WritersStopped(const WritersStopped&) = delete;
  WritersStopped& operator=(const WritersStopped&) = delete;

 private:
  void lock() KUBE_NO_THREAD_SAFETY_ANALYSIS {
    for (Mutex* mutex : mutexes_) mutex->lock();
  }
  void unlock() KUBE_NO_THREAD_SAFETY_ANALYSIS {
    for (Mutex* mutex : mutexes_) mutex->unlock();
  }
  std::vector<Mutex*> mutexes_;
};

}  // namespace

// A state is never taken up again, and no record is used again while this thread is pinned. So what
// is the same in two looks at all stores was so in all of them between the looks. A look is some
// loads; it is repeated only when a writer has come between. Where writers always do, they are
// stopped for a look.
std::vector<std::shared_ptr<const Store>> snapshot_of(
    const std::vector<std::shared_ptr<const Store>>& stores, std::size_t looks) {
  std::vector<std::string> versions;
  versions.reserve(stores.size());
  for (const auto& store : stores) versions.push_back(store->resource_version());

  std::vector<std::vector<CellRef>> cells(stores.size());
  {
    const QueryPin pin;
    std::vector<Moment> moments(stores.size());
    const auto look = [&] {
      for (std::size_t i = 0; i < stores.size(); ++i) {
        const StoreState& state = stores[i]->impl_->now();
        moments[i] = {&state, state.now()};
      }
    };
    std::vector<Moment> before;
    bool is_one_moment = false;
    for (; looks > 0 && !is_one_moment; --looks) {
      before = moments;
      look();
      is_one_moment = moments == before;
    }
    if (!is_one_moment) {
      std::vector<Mutex*> mutexes;
      mutexes.reserve(stores.size());
      for (const auto& store : stores) mutexes.push_back(&store->impl_->writing);
      const WritersStopped stopped(std::move(mutexes));
      look();
    }
    for (std::size_t i = 0; i < stores.size(); ++i) {
      for (const Cell* cell : moments[i].state->cells(nullptr, moments[i].since)) {
        cells[i].emplace_back(*cell);
      }
    }
  }

  std::vector<std::shared_ptr<const Store>> snapshots;
  snapshots.reserve(stores.size());
  for (std::size_t i = 0; i < stores.size(); ++i) {
    auto made = std::make_shared<Store>(stores[i]->impl_->subject);
    static_cast<void>(StoreWriter(made).replace(std::move(cells[i]), versions[i]));
    snapshots.push_back(std::move(made));
  }
  return snapshots;
}

}  // namespace kube::cache
