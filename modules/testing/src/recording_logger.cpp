// SPDX-License-Identifier: Apache-2.0
#include <kube/testing/recording_logger.hpp>

#include <algorithm>
#include <ostream>
#include <utility>

#include <kube/testing/eventually.hpp>

namespace kube::testing {
namespace {

std::vector<std::string> lines_of(const std::vector<RecordingLogger::Entry>& entries) {
  std::vector<std::string> lines;
  lines.reserve(entries.size());
  for (const auto& entry : entries) lines.push_back(entry.to_string());
  return lines;
}

bool contains(std::string_view line, std::string_view text) {
  return line.find(text) != std::string_view::npos;
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

std::vector<std::string> RecordingLogger::lines_with(std::string_view text) const {
  std::vector<std::string> found = lines();
  std::erase_if(found, [text](const std::string& line) { return !contains(line, text); });
  return found;
}

bool RecordingLogger::await_line(std::string_view text, std::stop_token stop) const {
  MutexLock lock(mutex_);
  return written_.wait_for(lock, std::move(stop), kPatience, [&]() KUBE_REQUIRES(mutex_) {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& entry) { return contains(entry.to_string(), text); });
  });
}

bool RecordingLogger::enabled(LogLevel level, std::string_view) const {
  return level >= min_level_;
}

void RecordingLogger::write(const LogRecord& record) {
  Entry entry{record.level, std::string(record.component), std::string(record.message), {}};
  for (const LogField& field : record.fields) entry.fields.emplace_back(field.key, field.value);
  {
    const MutexLock lock(mutex_);
    entries_.push_back(std::move(entry));
  }
  written_.notify_all();
}

std::ostream& operator<<(std::ostream& out, const RecordingLogger& logger) {
  for (const std::string& line : logger.lines()) out << line << "\n";
  return out;
}

}  // namespace kube::testing
