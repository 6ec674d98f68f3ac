// SPDX-License-Identifier: Apache-2.0
//
// kubecpp: a client of a cluster and the embedded API server in one program.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>

#include "command_line.hpp"
#include "error_output.hpp"

namespace {

// A stream that is closed would become the next socket or file that is opened, which would receive
// the output. With this, writes to it fail, and error messages are dropped.
void occupy_closed_streams() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(file, F_GETFD) != -1) continue;
    ::open("/dev/null", file == STDERR_FILENO ? O_WRONLY : O_RDONLY);  // gets the lowest number
  }
}

}  // namespace

int main(int argc, char** argv) {
  occupy_closed_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a write to a closed pipe returns an error
  try {
    kubecpp::Output out;
    return kubecpp::run_command_line(argc, argv, out);
  } catch (const std::exception& error) {
    kubecpp::print_error(error.what());
    return 1;
  }
}
