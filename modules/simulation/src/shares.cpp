// SPDX-License-Identifier: Apache-2.0
#include "shares.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "black_box.hpp"
#include "isolated_run.hpp"

namespace kube::testing {
namespace {

// Of one share, in memory that its process and the supervisor have in common.
struct Progress {
  std::uint64_t seed = 0;  // under way
  std::uint64_t ran = 0;
  std::uint64_t failed = 0;
  bool ended = false;  // all of the share was run
  bool leaks = false;
  // The rule that the run under way broke before it crashed.
  char rule[128] = {};
  char what[512] = {};
};

template <std::size_t N>
void copy_text(char (&to)[N], const std::string& text) {
  const std::size_t size = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), size);
  to[size] = 0;
}

class ProgressBox final : public BlackBox {
 public:
  explicit ProgressBox(Progress& progress) : progress_(progress) {}
  void happened(std::uint32_t /*number*/) override {}
  void broken(const BrokenRule& rule) override {
    copy_text(progress_.what, rule.what);
    copy_text(progress_.rule, rule.rule);
  }
  void line(const std::string& /*text*/) override {}

 private:
  Progress& progress_;
};

class Shares {
 public:
  Shares(const ShareOptions& options, const SeedFunctions& functions, std::uint64_t count,
         Progress* progress)
      : options_(options), functions_(functions), count_(count), progress_(progress) {}

  ShareResult run() {
    std::fflush(stdout);
    for (std::uint64_t i = 0; i < count_; ++i) start(i, options_.first + i);
    while (!children_.empty()) {
      int status = 0;
      const auto ended = children_.find(waitpid(-1, &status, 0));
      if (ended == children_.end()) continue;
      const std::uint64_t share = ended->second;
      children_.erase(ended);
      if (!progress_[share].ended) go_on_after_crash(share, status);
    }
    result_.processes = count_;
    for (std::uint64_t i = 0; i < count_; ++i) {
      result_.ran += progress_[i].ran;
      result_.failed += progress_[i].failed;
      result_.leaks = result_.leaks || progress_[i].leaks;
    }
    return result_;
  }

 private:
  // `crash`: how the run before `from` ended, if by a crash, which the child shows first.
  void start(std::uint64_t share, std::uint64_t from, const BrokenRule* crash = nullptr) {
    const pid_t child = fork();
    if (child == 0) {
      if (crash != nullptr) functions_.show(from - count_, *crash);
      run_share(progress_[share], from);
      std::fflush(stdout);
      progress_[share].leaks = progress_[share].failed == 0 && leaks_memory();
      _exit(0);
    }
    if (child > 0) {
      children_[child] = share;
    } else {
      result_.whole = false;
    }
  }

  void go_on_after_crash(std::uint64_t share, int status) {
    Progress& progress = progress_[share];
    ++progress.ran;
    // Showing a crash has crashed.
    if (++progress.failed > options_.stop_after) return;
    std::optional<BrokenRule> before;
    if (progress.rule[0] != 0) before = BrokenRule{progress.rule, progress.what};
    const BrokenRule crash = rule_of_end(status, options_.run_limit, before);
    start(share, progress.seed + count_, &crash);
  }

  void run_share(Progress& progress, std::uint64_t from) const {
    ProgressBox box(progress);
    // Seeds are at most 2^63, so that the sum does not wrap.
    for (std::uint64_t seed = from; seed <= options_.last; seed += count_) {
      if (progress.failed >= options_.stop_after) break;
      progress.rule[0] = 0;
      progress.seed = seed;
      BlackBox::set_of_process(&box);
      limit_run(options_.run_limit);
      const auto broken = functions_.run(seed);
      limit_run({});
      BlackBox::set_of_process(nullptr);
      ++progress.ran;
      if (!broken) continue;
      ++progress.failed;
      functions_.show(seed, *broken);
    }
    progress.ended = true;
  }

  const ShareOptions& options_;
  const SeedFunctions& functions_;
  const std::uint64_t count_;
  Progress* const progress_;
  std::map<pid_t, std::uint64_t> children_{};
  ShareResult result_{};
};

}  // namespace

ShareResult run_shares(const ShareOptions& options, const SeedFunctions& functions) {
  const std::uint64_t count = std::min(options.processes, options.last - options.first + 1);
  const std::size_t size_bytes = static_cast<std::size_t>(count) * sizeof(Progress);
  void* const memory =
      mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {.whole = false};
  auto* const progress = static_cast<Progress*>(memory);
  for (std::uint64_t i = 0; i < count; ++i) new (&progress[i]) Progress();
  const ShareResult out = Shares(options, functions, count, progress).run();
  munmap(memory, size_bytes);
  return out;
}

}  // namespace kube::testing
