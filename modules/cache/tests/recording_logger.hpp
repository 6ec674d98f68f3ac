// SPDX-License-Identifier: Apache-2.0
//
// A logger that keeps its lines: "warning informer: what happened key=value".
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/log.hpp>

namespace kube::cache::testing {

class RecordingLogger final : public Logger {
 public:
  explicit RecordingLogger(LogLevel least = LogLevel::Warning) : least_(least) {}
  bool enabled(LogLevel level, std::string_view) const override { return level >= least_; }
  void write(const LogRecord& record) override {
    std::string line = std::string(to_string(record.level)) + ' ' + std::string(record.component) +
                       ": " + std::string(record.message);
    for (const LogField& field : record.fields) {
      line += ' ' + std::string(field.key) + '=' + field.value;
    }
    const std::scoped_lock lock(mutex_);
    lines_.push_back(std::move(line));
  }
  std::vector<std::string> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  const LogLevel least_;
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace kube::cache::testing
