// SPDX-License-Identifier: Apache-2.0
//
// Ten writers of one object: every change is kept, conflicts are retried.
#include <string>
#include <thread>
#include <vector>

#include <kube/api/core/v1/config_map.hpp>
#include <kube/client/api.hpp>
#include <kube/meta/errors.hpp>

#include "server_under_test.hpp"

namespace scenarios {
namespace {

using kube::core::v1::ConfigMap;

class ConcurrencyScenario : public Scenario {};

TEST_F(ConcurrencyScenario, TenWritersLoseNoUpdate) {
  constexpr int kWriters = 10;
  constexpr int kRounds = 5;
  const auto maps = client_.api<ConfigMap>(namespace_);
  ConfigMap counter;
  counter.metadata.name = "counter";
  counter.data["n"] = "0";
  must(maps.create(counter));

  std::vector<std::string> problems(kWriters);
  std::vector<int> conflicts(kWriters, 0);
  {
    std::vector<std::jthread> writers;
    for (int w = 0; w < kWriters; ++w) {
      writers.emplace_back([&, w] {
        for (int round = 0; round < kRounds; ++round) {
          // Each conflict means that another writer's update was kept: so many at most.
          for (int attempt = 0;; ++attempt) {
            if (attempt > kWriters * kRounds) {
              problems[static_cast<std::size_t>(w)] = "more conflicts than there are updates";
              return;
            }
            auto current = maps.get("counter");
            if (!current) {
              problems[static_cast<std::size_t>(w)] = current.error().to_string();
              return;
            }
            current->data["n"] = std::to_string(std::stoi(current->data["n"]) + 1);
            const auto updated = maps.update(*current);
            if (updated) break;
            if (!kube::is_conflict(updated.error())) {
              problems[static_cast<std::size_t>(w)] = updated.error().to_string();
              return;
            }
            ++conflicts[static_cast<std::size_t>(w)];
          }
        }
      });
    }
  }
  for (const std::string& problem : problems) EXPECT_EQ(problem, "");
  EXPECT_EQ(must(maps.get("counter")).data.at("n"), std::to_string(kWriters * kRounds));
}

}  // namespace
}  // namespace scenarios
