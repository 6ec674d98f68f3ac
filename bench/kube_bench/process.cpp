// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace kube::bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

std::size_t status_line(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(field)) continue;
    return static_cast<std::size_t>(std::strtoull(line.c_str() + field.size() + 1, nullptr, 10));
  }
  return 0;
}

}  // namespace

Usage usage() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return {seconds(used.ru_utime) + seconds(used.ru_stime), seconds(used.ru_stime),
          used.ru_minflt + used.ru_majflt};
}

std::size_t resident_memory() {
  return status_line("VmRSS") * 1024;
}
std::size_t peak_memory() {
  return status_line("VmHWM") * 1024;
}
void reset_peak_memory() {
  std::ofstream("/proc/self/clear_refs") << "5";
}
std::size_t threads() {
  return status_line("Threads");
}
std::size_t sockets() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const auto target = std::filesystem::read_symlink(entry.path(), gone);
    if (!gone && target.string().starts_with("socket:")) ++count;
  }
  return count;
}

}  // namespace kube::bench
