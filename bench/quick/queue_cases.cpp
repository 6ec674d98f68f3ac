// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>

#include <kube/workqueue/work_queue.hpp>

#include "cases.hpp"

namespace kube::bench {

std::vector<QuickCase> queue_cases() {
  constexpr int kItems = 5'000;
  const auto prepare = [] {
    auto keys = std::make_shared<std::vector<std::string>>();
    for (int i = 0; i < kItems; ++i) {
      keys->push_back("namespace-" + std::to_string(i % 50) + "/some-deployment-" +
                      std::to_string(i));
    }
    auto queue = std::make_shared<WorkQueue<std::string>>();
    return [keys, queue] {
      for (const std::string& key : *keys) queue->add(key);
      std::size_t taken = 0;
      while (auto item = queue->try_get()) ++taken;  // done when the item goes
      if (taken != keys->size()) throw std::runtime_error("queue: items lost");
    };
  };
  return {{"queue_add_get_done", "item", kItems, prepare}};
}

}  // namespace kube::bench
