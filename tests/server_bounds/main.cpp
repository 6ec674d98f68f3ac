// SPDX-License-Identifier: Apache-2.0
//
// server_bounds: what requests cost the embedded server in CPU time and memory, for 1, 10 and 100
// times the input, and whether that is bounded.
//
//   server_bounds                 measures and judges all rows
//   server_bounds --row TEXT      only the rows whose names hold the text
//   server_bounds --table FILE    writes the table into a document as well
#include <sys/resource.h>

#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "measurement.hpp"
#include "table.hpp"
#include "yardstick.hpp"

namespace {

using bounds::Row;

std::vector<Row> all_rows() {
  std::vector<Row> rows = bounds::request_rows();
  for (Row& row : bounds::algorithm_rows()) rows.push_back(std::move(row));
  return rows;
}

using Sizes = std::array<bounds::Measurement, bounds::kFactors.size()>;

constexpr int kAttempts = 5;

// Measures a row, prints what it found, and returns what is wrong with that.
std::vector<std::string> measure_row(const Row& row, bounds::Yardstick& yardstick,
                                     Sizes& measured) {
  std::printf("%-32s", row.name.c_str());
  std::fflush(stdout);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    measured[i] = bounds::measure(row, bounds::kFactors[i]);
    std::printf("  %10zu B %d %9.1f ns/B %7.1f B/B %5.1f MB", measured[i].sent, measured[i].status,
                measured[i].ns_per_byte(), measured[i].bytes_per_byte(),
                static_cast<double>(measured[i].usage.memory) / 1e6);
    std::fflush(stdout);
  }
  std::printf("\n");
  auto problems = bounds::judge(row, measured, 1);
  if (problems.empty()) return problems;
  const double slowness = yardstick.slowness();
  std::printf("  by a machine that is %.1f times as slow\n", slowness);
  return bounds::judge(row, measured, slowness);
}

// false when something is wrong each time: a machine can be slow for a moment.
bool run(const Row& row, bounds::Yardstick& yardstick, bounds::Measured& into) {
  Sizes measured;
  std::vector<std::string> problems;
  try {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      problems = measure_row(row, yardstick, measured);
      if (problems.empty()) break;
    }
  } catch (const std::exception& error) {
    std::printf("\n  FAILED: %s\n", error.what());
    return false;
  }
  for (const std::string& problem : problems) std::printf("  FAILED: %s\n", problem.c_str());
  into.emplace_back(row.name, measured);
  return problems.empty();
}

int measure_rows(std::string_view wanted, const std::string& table_file) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  bounds::Yardstick yardstick;
  bounds::Measured measured;
  int failed = 0;
  int found = 0;
  for (const Row& row : all_rows()) {
    if (row.name.find(wanted) == std::string::npos) continue;
    ++found;
    if (!run(row, yardstick, measured)) ++failed;
  }
  if (!table_file.empty()) bounds::write_table(table_file, bounds::to_markdown(measured));
  std::printf("%d of %d rows are within their bounds\n", found - failed, found);
  return failed == 0 && found != 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view wanted;
  std::string table_file;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--serve") return bounds::serve();
    if (argument == "--row" && i + 1 < argc) {
      wanted = argv[++i];
    } else if (argument == "--table" && i + 1 < argc) {
      table_file = argv[++i];
    } else {
      std::fprintf(stderr, "usage: server_bounds [--row TEXT] [--table FILE]\n");
      return 2;
    }
  }
  try {
    return measure_rows(wanted, table_file);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
