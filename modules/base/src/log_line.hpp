// SPDX-License-Identifier: Apache-2.0
//
// The text of a log line.
#pragma once

#include <string>

#include <kube/base/log.hpp>

namespace kube::detail {

/// Returns "2026-01-02T03:04:05.678Z info component: message key=value" and a newline. Values with
/// spaces, quotes, '=' or control characters are quoted and escaped: a record is always one line.
std::string format_log_line(const LogRecord& record, WallTime time);

}  // namespace kube::detail
