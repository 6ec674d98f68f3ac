// SPDX-License-Identifier: Apache-2.0
#include <kube/base/log.hpp>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>

#include <kube/base/printable.hpp>

#include "log_line.hpp"

namespace kube {

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "debug";
    case LogLevel::Info:
      return "info";
    case LogLevel::Warning:
      return "warning";
    case LogLevel::Error:
      return "error";
  }
  return "error";
}

namespace detail {
namespace {

void append_value(std::string& out, std::string_view value) {
  const std::size_t begin = out.size();
  append_printable(out, value, "\"\\");
  const std::string_view written = std::string_view(out).substr(begin);
  // Escaped characters begin with a backslash.
  if (!written.empty() && written.find_first_of(" =\\") == std::string_view::npos) return;
  out.insert(begin, 1, '"');
  out += '"';
}

void append_time(std::string& out, WallTime time) {
  const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(milliseconds);
  const std::time_t when = static_cast<std::time_t>(seconds.count());
  std::tm utc{};
  gmtime_r(&when, &utc);
  std::array<char, 40> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &utc);
  std::snprintf(text.data() + length, text.size() - length, ".%03dZ",
                static_cast<int>((milliseconds - seconds).count()));
  out += text.data();
}

}  // namespace

std::string format_log_line(const LogRecord& record, WallTime time) {
  std::string line;
  line.reserve(128);
  append_time(line, time);
  line += ' ';
  line += to_string(record.level);
  line += ' ';
  line += record.component;
  line += ": ";
  append_printable(line, record.message, "\"\\");
  for (const LogField& field : record.fields) {
    line += ' ';
    line += field.key;
    line += '=';
    append_value(line, field.value);
  }
  line += '\n';
  return line;
}

}  // namespace detail

namespace {

class StderrLogger final : public Logger {
 public:
  explicit StderrLogger(LogLevel threshold) : threshold_(threshold) {}

  bool enabled(LogLevel level, std::string_view /*component*/) const override {
    return level >= threshold_;
  }

  void write(const LogRecord& record) override {
    const std::string line = detail::format_log_line(record, real_clock()->wall_now());
    // Each line is one write, so that lines of several threads and processes do not mix.
    std::string_view rest = line;
    while (!rest.empty()) {
      const ssize_t written = ::write(STDERR_FILENO, rest.data(), rest.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        return;  // it can't be reported anywhere
      }
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  const LogLevel threshold_;
};

}  // namespace

std::shared_ptr<Logger> stderr_logger(LogLevel threshold) {
  return std::make_shared<StderrLogger>(threshold);
}

}  // namespace kube
