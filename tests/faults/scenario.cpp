// SPDX-License-Identifier: Apache-2.0
#include "scenario.hpp"

#include <string_view>

namespace faults {

namespace {

struct OpenScenario {
  std::string_view name;
  std::string_view why;
};
constexpr OpenScenario kOpen[] = {
    {"list-503-gzip-bomb", "the body of a refusal is read to its end"},
    {"list-500-endless", "the body of a refusal is read to its end"},
    {"watch-500-endless", "the body of a refusal is read to its end"},
    {"get-endless-error", "the body of a refusal is read to its end"},
    {"h2-no-streams-later", "a request waits for a stream for as long as its own time is"},
    {"retry-after-year", "the recovery after the bound of two minutes was not measured yet"},
    {"retry-after-year-watch", "the recovery after the bound of two minutes was not measured yet"},
    {"retry-after-year-event", "the recovery after the bound of two minutes was not measured yet"},
    {"get-429-retry-year", "a call without a deadline waits as long as it is asked to"},
};

}  // namespace

std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all{without_fault()};
  for (const auto& group :
       {storm_scenarios(), connection_scenarios(), status_scenarios(), list_scenarios(),
        watch_scenarios(), http2_scenarios(), call_scenarios()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  for (Scenario& scenario : all) {
    for (const auto& [name, why] : kOpen) {
      if (scenario.name == name) scenario.open = why;
    }
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
