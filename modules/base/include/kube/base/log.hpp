// SPDX-License-Identifier: Apache-2.0
//
// The logging hook. The library is silent unless it is given a Logger; a disabled line costs one
// branch and formats nothing. Messages are constants; data is in pairs whose keys are listed in
// docs/observability.md.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>

namespace kube {

/// Error: someone must act. Warning: someone may have to act soon. Info: life cycle. Debug: the
/// rest.
enum class LogLevel { Debug, Info, Warning, Error };
std::string_view to_string(LogLevel level);

struct LogField {
  std::string_view key;
  std::string value;
};

struct LogRecord {
  LogLevel level;
  std::string_view component;  ///< "reflector", "transport", ...
  std::string_view message;    ///< A constant.
  std::initializer_list<LogField> fields;
};

/// Implemented by programs. When an implementation throws, the exception and its line are dropped
/// and the library continues.
///
/// @par Thread safety   Both functions are called from any thread, several at a time, and with no
///   lock of the library held.
class Logger {
 public:
  virtual ~Logger() = default;
  virtual bool enabled(LogLevel level, std::string_view component) const = 0;
  virtual void write(const LogRecord& record) = 0;
};

/// Writes "time level component: message key=value ..." lines to standard error; for programs.
std::shared_ptr<Logger> stderr_logger(LogLevel threshold = LogLevel::Info);

/// KUBE_LOG(logger, LogLevel::Info, "reflector", "watch closed", {"resource", r}, {"reason", why});
/// `logger` is a (smart) pointer and may be null; fields are evaluated only when enabled. Never
/// throws.
#define KUBE_LOG(logger, level, component, message, ...)                                    \
  do {                                                                                      \
    KUBE_LOG_TRY {                                                                          \
      if ((logger) && (logger)->enabled((level), (component))) {                            \
        (logger)->write(::kube::LogRecord{(level), (component), (message), {__VA_ARGS__}}); \
      }                                                                                     \
    }                                                                                       \
    KUBE_LOG_CATCH_ALL {}                                                                   \
  } while (false)

// See Logger. A program without exceptions has nothing to catch.
#ifdef __cpp_exceptions
#define KUBE_LOG_TRY try
#define KUBE_LOG_CATCH_ALL catch (...)
#else
#define KUBE_LOG_TRY if (true)
#define KUBE_LOG_CATCH_ALL else
#endif

}  // namespace kube
