// SPDX-License-Identifier: Apache-2.0
//
// Warning headers, in which a server adds messages for the user to its response ("v1
// ComponentStatus is deprecated"): reads and writes them (RFC 7234 section 5.5), and passes them to
// handlers.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/log.hpp>
#include <kube/base/mutex.hpp>
#include <kube/base/result.hpp>
#include <kube/transport/http.hpp>

namespace kube::rest {

struct Warning {
  int code = 0;         ///< 299 for all warnings of Kubernetes.
  std::string agent{};  ///< Often "-".
  std::string text{};
  bool operator==(const Warning&) const = default;
};

/// The first warning of a header, and the rest of the header.
struct ParsedWarning {
  Warning warning{};
  std::string remainder{};
};

/// Reads `299 - "text" "date", ...`. Decodes encoded words (RFC 2047) in the text.
/// @par Errors   Decode: fewer than three parts, a code that is not three digits, an unterminated
///   quote, control characters or text that is not UTF-8.
Result<ParsedWarning> parse_warning_header(std::string_view header);

/// Returns all warnings in the headers of a response. Drops the rest of a header after an error.
std::vector<Warning> parse_warnings(const transport::Headers& headers);

/// Returns the header for a warning.
/// @par Errors   InvalidArgument: a code outside 0 to 999, spaces, quotes or control characters in
///   the agent, control characters in the text, or text that is not UTF-8.
Result<std::string> make_warning_header(const Warning& warning);

/// Handles the warnings of responses. An exception from it is caught and logged.
/// @par Thread safety   Called from any thread, usually the transport's I/O thread; must not block.
class WarningHandler {
 public:
  virtual ~WarningHandler() = default;
  virtual void handle_warning_header(int code, std::string_view agent, std::string_view text) = 0;
};

/// Logs the text of warnings with code 299, each text once (it remembers at most 256 texts, and
/// then starts again).
/// @par Thread safety   All functions may be called from any thread.
class LoggingWarningHandler final : public WarningHandler {
 public:
  explicit LoggingWarningHandler(std::shared_ptr<Logger> logger) : logger_(std::move(logger)) {}
  void handle_warning_header(int code, std::string_view agent, std::string_view text) override;

 private:
  const std::shared_ptr<Logger> logger_;
  Mutex mutex_;
  std::set<std::string, std::less<>> seen_ KUBE_GUARDED_BY(mutex_);
};

/// Writes "Warning: text" lines for warnings with code 299; programs usually write them to standard
/// error.
/// @par Thread safety   All functions may be called from any thread.
class WarningWriter final : public WarningHandler {
 public:
  struct Options {
    bool deduplicate = false;  ///< Writes each text once.
    bool color = false;        ///< Writes "Warning:" in yellow.
  };
  /// `out` must outlive the writer, and must not be used by other code meanwhile.
  explicit WarningWriter(std::ostream& out) : WarningWriter(out, Options()) {}
  WarningWriter(std::ostream& out, Options options) : options_(options), out_(out) {}
  void handle_warning_header(int code, std::string_view agent, std::string_view text) override;

 private:
  const Options options_;
  Mutex mutex_;
  std::ostream& out_ KUBE_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> written_ KUBE_GUARDED_BY(mutex_);
};

/// Ignores warnings.
/// @par Thread safety   All functions may be called from any thread.
class NoWarnings final : public WarningHandler {
 public:
  void handle_warning_header(int, std::string_view, std::string_view) override {}
};

}  // namespace kube::rest
