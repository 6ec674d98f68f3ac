// SPDX-License-Identifier: Apache-2.0
#include <kube/base/log.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <kube/testing/recording_logger.hpp>

#include "log_line.hpp"

namespace kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr WallTime kTime{std::chrono::milliseconds(1'767'323'045'678)};

std::string line(const std::string& value) {
  return detail::format_log_line({LogLevel::Info, "reflector", "watch closed", {{"reason", value}}},
                                 kTime);
}

TEST(LogLine, HasTimeLevelComponentMessageAndFields) {
  EXPECT_EQ(detail::format_log_line({LogLevel::Warning,
                                     "reflector",
                                     "watch closed",
                                     {{"resource", "pods"}, {"attempt", "3"}}},
                                    kTime),
            "2026-01-02T03:04:05.678Z warning reflector: watch closed resource=pods attempt=3\n");
  EXPECT_EQ(detail::format_log_line({LogLevel::Debug, "a", "b", {}}, WallTime{}),
            "1970-01-01T00:00:00.000Z debug a: b\n");
}

TEST(LogLine, TimesBeforeTheEpochAreRightToo) {
  EXPECT_EQ(detail::format_log_line({LogLevel::Debug, "a", "b", {}},
                                    WallTime(-std::chrono::milliseconds(1))),
            "1969-12-31T23:59:59.999Z debug a: b\n");
}

TEST(LogLine, ValuesThatWouldBreakTheLineAreQuoted) {
  EXPECT_THAT(line("pods/web-0"), HasSubstr("reason=pods/web-0\n"));
  EXPECT_THAT(line(""), HasSubstr("reason=\"\"\n"));
  EXPECT_THAT(line("two words"), HasSubstr("reason=\"two words\"\n"));
  EXPECT_THAT(line("a=b"), HasSubstr("reason=\"a=b\"\n"));
  EXPECT_THAT(line("say \"hi\" \\"), HasSubstr("reason=\"say \\\"hi\\\" \\\\\"\n"));
  EXPECT_THAT(line("a\nb\r\tc"), HasSubstr("reason=\"a\\nb\\r\\tc\"\n"));
  EXPECT_THAT(line(std::string("\x1b[31m\0", 6)), HasSubstr("reason=\"\\x1b[31m\\x00\"\n"));
  EXPECT_THAT(line("\u009b2J"), HasSubstr("reason=\"\\xc2\\x9b2J\"\n")) << "ESC [ in one character";
  EXPECT_THAT(line("\xff"), HasSubstr("reason=\"\\xff\"\n"));
  EXPECT_THAT(line("grüße"), HasSubstr("reason=grüße\n"));
}

TEST(StderrLogger, WritesEnabledRecordsOnly) {
  const auto logger = stderr_logger(LogLevel::Warning);
  EXPECT_FALSE(logger->enabled(LogLevel::Info, "x"));
  EXPECT_TRUE(logger->enabled(LogLevel::Warning, "x"));
  ::testing::internal::CaptureStderr();
  KUBE_LOG(logger, LogLevel::Info, "x", "quiet");
  KUBE_LOG(logger, LogLevel::Error, "x", "loud", {"key", "value"});
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr(" error x: loud key=value\n"));
  EXPECT_EQ(text.find("quiet"), std::string::npos);
}

TEST(Log, EvaluatesFieldsOnlyWhenEnabled) {
  testing::RecordingLogger capture(LogLevel::Info);
  int evaluated = 0;
  const auto value = [&] {
    ++evaluated;
    return std::string("x");
  };
  Logger* nobody = nullptr;
  KUBE_LOG(nobody, LogLevel::Error, "x", "nobody listens", {"key", value()});
  KUBE_LOG(&capture, LogLevel::Debug, "x", "disabled", {"key", value()});
  EXPECT_EQ(evaluated, 0);
  KUBE_LOG(&capture, LogLevel::Info, "x", "enabled", {"key", value()});
  EXPECT_EQ(evaluated, 1);
  EXPECT_THAT(capture.lines(), ElementsAre("info x: enabled key=x"));
}

TEST(Log, WhatALoggerThrowsIsDroppedWithItsLine) {
  struct Throwing : Logger {
    bool enabled(LogLevel level, std::string_view) const override {
      if (level == LogLevel::Debug) throw std::runtime_error("no threshold");
      return true;
    }
    void write(const LogRecord&) override {
      ++writes;
      throw 7;
    }
    int writes = 0;
  } logger;
  KUBE_LOG(&logger, LogLevel::Debug, "x", "a line");
  KUBE_LOG(&logger, LogLevel::Error, "x", "another", {"key", "value"});
  EXPECT_EQ(logger.writes, 1);
}

TEST(Log, EveryLevelHasAName) {
  EXPECT_EQ(to_string(LogLevel::Debug), "debug");
  EXPECT_EQ(to_string(LogLevel::Info), "info");
  EXPECT_EQ(to_string(LogLevel::Warning), "warning");
  EXPECT_EQ(to_string(LogLevel::Error), "error");
}

}  // namespace
}  // namespace kube
