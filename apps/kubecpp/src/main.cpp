// SPDX-License-Identifier: Apache-2.0
//
// kubecpp: watches a cluster, runs the embedded API server, and shows both.
#include <csignal>
#include <cstdio>
#include <exception>

#include "command_line.hpp"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that left is an error of the write
  try {
    kubecpp::Output out;
    return kubecpp::run_command_line(argc, argv, out);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kubecpp: %s\n", error.what());
    return 1;
  }
}
