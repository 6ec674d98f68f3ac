// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace kube::bench {

/// The blocks that a piece of work takes and gives back, in order, to be taken and given back once
/// more without the work: what the allocator alone costs.
class Allocations {
 public:
  static Allocations of(const std::function<void()>& work);

  std::size_t count() const { return count_; }
  void replay();

 private:
  struct Step {
    std::size_t block;  // place in blocks_
    std::size_t size;   // 0: give it back
  };
  std::vector<Step> steps_;
  std::vector<void*> blocks_;
  std::size_t count_ = 0;
};

}  // namespace kube::bench
