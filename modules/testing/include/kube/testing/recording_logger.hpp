// SPDX-License-Identifier: Apache-2.0
//
// kube::testing::RecordingLogger: keeps what the library logs, for a test to read.
//
//   const auto logger = std::make_shared<RecordingLogger>(LogLevel::Warning);
//   const ClientOptions options{.runtime = {.logger = logger}};
//   // ...
//   EXPECT_TRUE(logger->await_line("etcd is away")) << *logger;
//   EXPECT_THAT(logger->take_lines(), ElementsAre(HasSubstr("reconcile failed")));
#pragma once

#include <iosfwd>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/base/log.hpp>
#include <kube/base/mutex.hpp>

namespace kube::testing {

/// Keeps each record at or above a level, in the order of the calls.
///
/// @par Thread safety   All functions may be called from any thread.
class RecordingLogger final : public Logger {
 public:
  explicit RecordingLogger(LogLevel min_level = LogLevel::Debug) : min_level_(min_level) {}

  /// A copy of a LogRecord.
  /// @par Thread safety   A value.
  struct Entry {
    LogLevel level{};
    std::string component{};
    std::string message{};
    std::vector<std::pair<std::string, std::string>> fields{};

    /// The value of a field; "" when the entry has none of that name.
    std::string field(std::string_view key) const;
    /// "warning reflector: watch closed resource=pods": as stderr_logger() writes it, without time.
    std::string to_string() const;
  };

  std::vector<Entry> entries() const;
  /// to_string() of each entry.
  std::vector<std::string> lines() const;
  /// lines(), and forgets them.
  std::vector<std::string> take_lines();

  /// Returns the lines that have `text` somewhere, in their order.
  std::vector<std::string> lines_with(std::string_view text) const;
  /// Waits until there is a line with `text`, without a poll. When `stop` was requested before the
  /// call, it checks once.
  /// @par Blocks   Until then, at most kPatience of real time, so that a broken test fails.
  /// @return   false when `stop` or the time limit ended the wait.
  bool await_line(std::string_view text, std::stop_token stop = {}) const;

  bool enabled(LogLevel level, std::string_view component) const override;
  void write(const LogRecord& record) override;

 private:
  const LogLevel min_level_;
  mutable Mutex mutex_;
  mutable CondVar written_;
  std::vector<Entry> entries_ KUBE_GUARDED_BY(mutex_);
};

/// Prints all lines, for the message of a test that fails.
std::ostream& operator<<(std::ostream& out, const RecordingLogger& logger);

}  // namespace kube::testing
