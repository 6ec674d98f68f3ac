// SPDX-License-Identifier: Apache-2.0
#include "scenarios.hpp"

#include <vector>

namespace kube::simulated {
namespace {

using testing::NamedScenario;

std::vector<NamedScenario> with(std::span<const NamedScenario> some,
                                std::vector<NamedScenario> more) {
  more.insert(more.begin(), some.begin(), some.end());
  return more;
}

}  // namespace

std::span<const testing::NamedScenario> library_scenarios() {
  static const NamedScenario scenarios[] = {
      {"informer", informer_follows},
      {"handlers", handlers_come_and_go},
      {"stops", informers_stop},
      {"controller", controller_copies},
      {"controller-stops", controller_stops},
      {"queues", queues_lose_nothing},
      {"dynamic", dynamic_informer_follows},
  };
  return scenarios;
}

std::span<const testing::NamedScenario> threaded_scenarios() {
  static const auto scenarios =
      with(library_scenarios(), {{"merging", handlers_merge},
                                 {"namespaces", namespaces_follow},
                                 {"counted", handles_are_counted},
                                 {"first-use", first_use_starts},
                                 {"dropped", dropped_fields_and_snapshots},
                                 {"written", writes_are_read},
                                 {"awaits-all", controller_awaits_all}});
  return scenarios;
}

std::span<const testing::NamedScenario> all_scenarios() {
  static const auto scenarios =
      with(threaded_scenarios(), {{"priorities", priorities_hold},
                                  {"leave-in-a-burst", handlers_leave_in_a_burst},
                                  {"remove-each-other", handlers_remove_each_other}});
  return scenarios;
}

}  // namespace kube::simulated
