// SPDX-License-Identifier: Apache-2.0
#include "scenario.hpp"

namespace faults {

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all{without_fault()};
  for (const auto& group :
       {storm_scenarios(), connection_scenarios(), status_scenarios(), list_scenarios(),
        watch_scenarios(), http2_scenarios(), call_scenarios()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

Bounds usual_bounds(Work work) {
  Bounds bounds;
  if (work == Work::Informer) return bounds;
  bounds.requests_per_second = work == Work::List ? 15 : 5;
  bounds.most_in_a_second = 24;  // the pace of pages: 20 at once
  return bounds;
}

Scenario without_fault() {
  return {.name = "no-fault", .server = "does what an API server does"};
}

}  // namespace faults
