// SPDX-License-Identifier: Apache-2.0
#include "allocations.hpp"

#include <cstdlib>
#include <map>
#include <new>

namespace {

// While something is recorded: block and size, 0 for one that is given back.
struct Event {
  void* block;
  std::size_t size;
};
std::vector<Event>* recording = nullptr;

}  // namespace

// Not inlined: GCC would see a free() of what a call of operator new gave.
[[gnu::noinline]] void* operator new(std::size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  if (auto* events = recording) [[unlikely]] {
    recording = nullptr;  // its own blocks don't count
    events->push_back({block, size});
    recording = events;
  }
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  if (recording != nullptr && block != nullptr) [[unlikely]]
    recording->push_back({block, 0});  // there is room
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}

namespace kube::bench {

Allocations Allocations::of(const std::function<void()>& work) {
  std::vector<Event> events;
  events.reserve(std::size_t{1} << 16);
  recording = &events;
  work();
  recording = nullptr;

  Allocations made;
  std::map<void*, std::size_t> live;
  for (const auto& [block, size] : events) {
    if (size != 0) {
      live[block] = made.count_;
      made.steps_.push_back({made.count_++, size});
    } else if (const auto found = live.find(block); found != live.end()) {
      made.steps_.push_back({found->second, 0});
      live.erase(found);
    }
  }
  for (const auto& [block, place] : live) made.steps_.push_back({place, 0});
  made.blocks_.resize(made.count_);
  return made;
}

void Allocations::replay() {
  for (const auto& [block, size] : steps_) {
    if (size != 0) {
      blocks_[block] = operator new(size);
    } else {
      operator delete(blocks_[block]);
    }
  }
}

}  // namespace kube::bench
