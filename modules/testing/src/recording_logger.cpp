// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/recording_logger.hpp>

#include <algorithm>
#include <utility>

namespace kube::testing {
namespace {

std::vector<std::string> lines_of(const std::vector<RecordingLogger::Entry>& entries) {
  std::vector<std::string> lines;
  lines.reserve(entries.size());
  for (const auto& entry : entries) lines.push_back(entry.to_string());
  return lines;
}

}  // namespace

std::string RecordingLogger::Entry::field(std::string_view key) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [key](const auto& field) { return field.first == key; });
  return found == fields.end() ? "" : found->second;
}

std::string RecordingLogger::Entry::to_string() const {
  std::string line(kube::to_string(level));
  line.append(" ").append(component).append(": ").append(message);
  for (const auto& [key, value] : fields) line.append(" ").append(key).append("=").append(value);
  return line;
}

std::vector<RecordingLogger::Entry> RecordingLogger::entries() const {
  const MutexLock lock(mutex_);
  return entries_;
}

std::vector<std::string> RecordingLogger::lines() const {
  return lines_of(entries());
}

std::vector<std::string> RecordingLogger::take_lines() {
  std::vector<Entry> taken;
  {
    const MutexLock lock(mutex_);
    taken.swap(entries_);
  }
  return lines_of(taken);
}

bool RecordingLogger::enabled(LogLevel level, std::string_view) const {
  return level >= min_level_;
}

void RecordingLogger::write(const LogRecord& record) {
  Entry entry{record.level, std::string(record.component), std::string(record.message), {}};
  for (const LogField& field : record.fields) entry.fields.emplace_back(field.key, field.value);
  const MutexLock lock(mutex_);
  entries_.push_back(std::move(entry));
}

}  // namespace kube::testing
