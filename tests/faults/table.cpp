// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>
#include <string_view>

namespace faults {
namespace {

constexpr std::string_view kBegin = "<!-- measured -->";
constexpr std::string_view kEnd = "<!-- end of measured -->";

template <class... Values>
std::string printed(const char* format, Values... values) {
  char text[128];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// As a cell: on one line, no bar, not longer than one reads. The port differs from run to run.
std::string cell(const std::string& text) {
  constexpr std::size_t kMax = 240;
  constexpr std::string_view kHost = "127.0.0.1:";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (text[i] == '|') {
      result += "\\|";
    } else if (byte < 0x20 || byte >= 0x7f) {
      result += printed("\\x%02x", byte);
    } else {
      result += text[i];
    }
    if (result.size() >= kMax) return result + " …";
    if (result.ends_with(kHost)) {
      result += "PORT";
      while (i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9') ++i;
    }
  }
  return result;
}

std::string row(const Scenario& scenario, const Outcome& outcome) {
  const std::string recovery =
      outcome.recovered ? printed("%.1f s", static_cast<double>(outcome.recovered->count()) / 1e3)
                        : "no";
  const std::string said =
      outcome.said.empty() ? "nothing; " + outcome.state : '`' + cell(outcome.said) + '`';
  return "| `" + scenario.name + "` | " + cell(scenario.server) + " | " +
         printed("%.1f", outcome.requests_per_second) + " | " +
         printed("%zu", outcome.most_requests) + " | " + printed("%.1f", outcome.cpu_percent) +
         " | " + printed("%.0f", outcome.bytes_per_second / 1e3) + " | " +
         printed("%.0f", outcome.peak_mib) + " | " + printed("%.0f", outcome.final_mib) + " | " +
         recovery + " | " + said + " |\n";
}

// What a scenario allows that others do not.
std::string differing(const Scenario& scenario) {
  const Bounds& bounds = scenario.bounds;
  const Bounds usual = usual_bounds(scenario.setup.work);
  std::string text;
  const auto add = [&](double own, double other, const char* format) {
    if (own != other) text += (text.empty() ? "" : "; ") + printed(format, own);
  };
  add(bounds.requests_per_second, usual.requests_per_second, "%.0f requests a second");
  add(bounds.reports_per_second, usual.reports_per_second, "%.0f reports a second");
  add(static_cast<double>(bounds.most_in_a_second), static_cast<double>(usual.most_in_a_second),
      "%.0f in any second");
  add(static_cast<double>(bounds.peak_mib), static_cast<double>(usual.peak_mib), "peak %.0f MiB");
  add(static_cast<double>(bounds.left_mib), static_cast<double>(usual.left_mib), "%.0f MiB left");
  add(bounds.log_lines_per_second, usual.log_lines_per_second, "%.0f log lines a second");
  return text;
}

}  // namespace

std::string table(const std::vector<Scenario>& scenarios, const std::vector<Outcome>& outcomes,
                  const Run& run) {
  std::string text = "A client without faults has " + printed("%.0f", *run.idle_mib) + " MiB.\n\n" +
                     "| scenario | the server | requests/s | most in a second | CPU % | kB/s | "
                     "peak MiB | final MiB | recovered after | what the user reads |\n"
                     "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
  for (std::size_t i = 0; i < scenarios.size(); ++i) text += row(scenarios[i], outcomes[i]);
  text += "\n### Bounds of their own\n\n| scenario | what differs |\n| --- | --- |\n";
  for (const Scenario& scenario : scenarios) {
    const std::string differs = differing(scenario);
    if (!differs.empty()) text += "| `" + scenario.name + "` | " + differs + " |\n";
  }
  return text;
}

int write_page(const std::string& path, const std::string& table) {
  std::string page;
  std::ifstream in(path);
  bool inside = false;
  int marks = 0;
  for (std::string line; std::getline(in, line);) {
    if (line == kEnd) inside = false;
    if (!inside) page += line + '\n';
    if (line == kBegin) {
      inside = true;
      page += '\n' + table + '\n';
    }
    marks += line == kBegin || line == kEnd ? 1 : 0;
  }
  in.close();
  if (marks != 2) {
    std::cerr << path << " has no part for the table, between " << kBegin << " and " << kEnd
              << '\n';
    return 2;
  }
  std::ofstream(path) << page;
  return 0;
}

int check_page(const std::string& path, const std::vector<Scenario>& scenarios) {
  std::ifstream page(path);
  std::set<std::string> rows;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) rows.insert(line.substr(3, line.find('`', 3) - 3));
  }
  int wrong = 0;
  for (const Scenario& scenario : scenarios) {
    if (rows.erase(scenario.name) == 0) {
      std::cerr << path << " has no row for " << scenario.name << '\n';
      wrong = 1;
    }
  }
  for (const std::string& name : rows) {
    std::cerr << path << " has a row for " << name << ", which is no scenario\n";
    wrong = 1;
  }
  return wrong;
}

}  // namespace faults
