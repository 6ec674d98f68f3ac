// SPDX-License-Identifier: Apache-2.0
#include "judge.hpp"

#include <cstdio>
#include <string>

namespace faults {
namespace {

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

}  // namespace

void judge(const Scenario& scenario, const Run& run, Outcome& outcome) {
  const Bounds& bounds = scenario.bounds;
  const auto at_most = [&](const char* what, double found, double allowed) {
    if (found <= allowed) return;
    outcome.broken.push_back(std::string(what) + ": " + number(found) + ", expected at most " +
                             number(allowed));
  };
  const auto most = static_cast<double>(bounds.most_in_a_second);
  at_most("requests in one second", static_cast<double>(outcome.most_requests), most);
  at_most("connections in one second", static_cast<double>(outcome.most_connections), most);
  // So many at once, which a slow machine may spread, and a number for each second.
  const auto in_all = [&](const char* what, double found, double per_second) {
    at_most(what, found, most + per_second * outcome.seconds);
  };
  in_all("requests", static_cast<double>(outcome.requests), bounds.requests_per_second);
  in_all("connections", static_cast<double>(outcome.connections), bounds.requests_per_second);
  in_all("reports", static_cast<double>(outcome.reports), bounds.reports_per_second);
  in_all("log lines", static_cast<double>(outcome.log_lines), bounds.log_lines_per_second);
  at_most("peak memory in MiB", outcome.peak_mib, static_cast<double>(bounds.peak_mib));
  if (run.idle_mib) {
    at_most("memory in the end, more than an idle client's, in MiB",
            outcome.final_mib - *run.idle_mib, static_cast<double>(bounds.left_mib));
  }
  if (!outcome.recovered) {
    std::string view;
    for (const std::string& line : outcome.view) view += ' ' + line;
    outcome.broken.push_back("did not recover; it knows:" + view);
  }
  if (outcome.said.ends_with(": ")) {
    outcome.broken.push_back("the user reads \"" + outcome.said + "\", which ends with no reason");
  }
  if (outcome.said.find(bounds.says) == std::string::npos) {
    outcome.broken.push_back("the user reads \"" + outcome.said + "\", expected in it \"" +
                             bounds.says + '"');
  }
}

}  // namespace faults
