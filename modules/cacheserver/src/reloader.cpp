// SPDX-License-Identifier: Apache-2.0
#include "reloader.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace kube::cacheserver {
namespace {

/// Whether a path leads to something whose second reading may wait for ever, or be empty.
bool can_be_read_once(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

}  // namespace

void Reloader::add(std::string what, std::vector<std::string> files, Read read) {
  all_.push_back({std::move(what), std::move(files), std::move(read), {}});
}

void Reloader::start() {
  if (all_.empty()) return;
  // Its task may begin on another thread before the assignment.
  const MutexLock lock(mutex_);
  timer_ = executor_.submit_after(period_, [this] {
    for (Watched& each : all_) check(each);
    start();
  });
}

void Reloader::check(Watched& watched) {
  if (std::ranges::any_of(watched.files, can_be_read_once)) return;
  const auto changed = watched.read();
  if (!changed) {
    const std::string problem = changed.error().message();
    // by text: the log has the same line once, whatever it is
    if (problem == std::exchange(watched.problem, problem)) return;
    KUBE_LOG(logger_, LogLevel::Error, "cacheserver", "the old content stays",
             {"files", watched.what}, {"error", problem});
    return;
  }
  watched.problem.clear();
  if (*changed) {
    KUBE_LOG(logger_, LogLevel::Info, "cacheserver", "read again", {"files", watched.what});
  }
}

}  // namespace kube::cacheserver
