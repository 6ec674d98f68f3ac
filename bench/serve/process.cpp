// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

namespace kube::bench {

double Process::kib() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/statm");
  double pages = 0;
  file >> pages >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1024;
}

double Process::cpu_seconds() const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
  std::string line;
  std::getline(file, line);
  // The name, in parentheses, may have blanks: fields are counted after it.
  std::istringstream fields(line.substr(line.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double kernel = 0;
  fields >> user >> kernel;
  return (user + kernel) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

void Process::halt() const {
  ::kill(pid_, SIGSTOP);
}

void Process::go_on() const {
  ::kill(pid_, SIGCONT);
}

void Process::settle() const {
  constexpr int kTries = 60;
  constexpr double kIdle = 0.02;
  for (int i = 0; i < kTries; ++i) {
    const double before = cpu_seconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    if (cpu_seconds() - before <= kIdle) return;
  }
}

}  // namespace kube::bench
