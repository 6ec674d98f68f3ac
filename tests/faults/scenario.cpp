// SPDX-License-Identifier: Apache-2.0
#include "scenario.hpp"

namespace faults {

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all{without_fault()};
  for (const auto& group : {connection_scenarios(), storm_scenarios()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

Scenario without_fault() {
  return {.name = "no-fault", .server = "does what an API server does"};
}

}  // namespace faults
