// SPDX-License-Identifier: Apache-2.0
//
// server_bounds: what requests cost the embedded server in CPU time and memory, for 1, 10 and 100
// times the input.
//
//   server_bounds                 prints a table of all rows
//   server_bounds --row TEXT      only of the rows whose names hold the text
//   server_bounds --write FILE    writes the table into a document as well
//   server_bounds --judge         fails when a row does not keep its bounds (README.md)
#include <sys/resource.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "measurement.hpp"
#include "row.hpp"
#include "table.hpp"

namespace {

using bounds::Row;

std::vector<Row> all_rows() {
  std::vector<Row> rows = bounds::request_rows();
  for (Row& row : bounds::algorithm_rows()) rows.push_back(std::move(row));
  return rows;
}

constexpr std::size_t kAttempts = 5;

struct Arguments {
  std::string_view wanted{};
  std::string document{};
  bool judge = false;
};

// Measures a row, again while something is wrong with it, and prints what was found. False when
// something is wrong with it in the end.
bool run(const Row& row, bool judged, std::string& table) {
  std::vector<bounds::Sizes> attempts;
  std::vector<std::string> problems;
  std::string line;
  try {
    do {
      attempts.push_back(bounds::measure(row));
      line = bounds::line_of(row, attempts.back());
      std::printf("%s", line.c_str());
      std::fflush(stdout);
      if (judged) problems = bounds::judge(row, attempts);
    } while (!problems.empty() && attempts.size() < kAttempts);
  } catch (const std::exception& error) {
    problems.emplace_back(error.what());
  }
  table += line;
  for (const std::string& problem : problems) {
    std::printf("FAILED: %s: %s\n", row.name.c_str(), problem.c_str());
  }
  return problems.empty();
}

int measure_rows(const Arguments& arguments) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  std::string table = bounds::heading();
  std::printf("%s", table.c_str());
  int failed = 0;
  int found = 0;
  for (const Row& row : all_rows()) {
    if (row.name.find(arguments.wanted) == std::string::npos) continue;
    ++found;
    if (!run(row, arguments.judge, table)) ++failed;
  }
  if (!arguments.document.empty()) bounds::write_table(arguments.document, table);
  if (arguments.judge) std::printf("%d of %d rows keep their bounds\n", found - failed, found);
  return failed == 0 && found != 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--serve") return bounds::serve();
    if (argument == "--judge") {
      arguments.judge = true;
    } else if (argument == "--row" && i + 1 < argc) {
      arguments.wanted = argv[++i];
    } else if (argument == "--write" && i + 1 < argc) {
      arguments.document = argv[++i];
    } else {
      std::fprintf(stderr, "usage: server_bounds [--row TEXT] [--write FILE] [--judge]\n");
      return 2;
    }
  }
  try {
    return measure_rows(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
