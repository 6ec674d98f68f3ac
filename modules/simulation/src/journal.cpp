// SPDX-License-Identifier: Apache-2.0
#include "journal.hpp"

#include <unistd.h>

#include <cstdio>

namespace kube::testing {
namespace {

BlackBox* box_of_process = nullptr;

}  // namespace

BlackBox* BlackBox::of_process() {
  return box_of_process;
}
void BlackBox::set_of_process(BlackBox* box) {
  box_of_process = box;
}

void Journal::append(const std::string& line) {
  const std::size_t begin = trace_.size();
  if (clock_) {
    const auto since = clock_->now().time_since_epoch() - std::chrono::hours(1);
    char time[32];
    std::snprintf(time, sizeof(time), "%10.6f ", std::chrono::duration<double>(since).count());
    trace_ += time;
  }
  trace_ += line;
  trace_ += '\n';
  if (box_ != nullptr) box_->line(trace_.substr(begin));
}

void Journal::write_last_words() const {
  if (box_ != nullptr) return;
  const std::lock_guard lock(mutex_);
  std::string text = "the simulation of seed " + std::to_string(seed_) + " can't go on";
  if (broken_) text += ": " + broken_->rule + ": " + broken_->what;
  text += '\n';
  text += traces_ ? trace_ : "no trace: SimulationOptions::trace is false\n";
  // Not through a logger: the process ends, and what it had for one may be what waits.
  static_cast<void>(::write(STDERR_FILENO, text.data(), text.size()));
}

void JournalLogger::write(const LogRecord& record) {
  journal_.note([&] {
    std::string line = "log " + std::string(record.component) + ": " + std::string(record.message);
    for (const LogField& field : record.fields) {
      line.append(" ").append(field.key).append("=").append(field.value);
    }
    return line;
  });
}

}  // namespace kube::testing
