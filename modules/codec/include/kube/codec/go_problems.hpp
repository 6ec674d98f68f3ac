// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// Why Go's readers refuse a text, in their words: an API server passes these on.
#pragma once

#include <string>
#include <string_view>

namespace kube::go {

// Each function expects a text that the reader refuses. Any thread may call them.

/// `invalid character '}' looking for beginning of value`, `unexpected end of JSON input`; "" for a
/// text that Go's reader takes, which has no rule about UTF-8.
std::string json_problem(std::string_view text);
/// `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`; with `micro` for
/// the form with six digits of a fraction.
std::string time_problem(std::string_view text, bool micro);
/// `time: missing unit in duration "5"`
std::string duration_problem(std::string_view text);
/// `illegal base64 data at input byte 4`
std::string base64_problem(std::string_view text);

}  // namespace kube::go
