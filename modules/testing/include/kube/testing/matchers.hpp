// SPDX-License-Identifier: Apache-2.0
//
// Matchers of GoogleMock for Result and Error. A failure prints the error's text.
//
//   EXPECT_THAT(pods.get("web-0"), IsOk());
//   EXPECT_THAT(pods.get("web-1"),
//               FailsWith(AllOf(HasReason("NotFound"), HasMessage(HasSubstr("web-1")))));
//
// This header needs GoogleMock, which the library itself does not: link GTest::gmock.
#pragma once

#include <gmock/gmock.h>

#include <ostream>
#include <string>
#include <string_view>

#include <kube/base/error.hpp>
#include <kube/base/result.hpp>

// Names as GoogleTest's: it calls PrintTo, and matchers read like its own.
// NOLINTBEGIN(readability-identifier-naming)
namespace kube {

/// How GoogleTest prints an error: its text.
inline void PrintTo(const Error& error, std::ostream* out) {
  *out << to_string(error.code()) << ": " << error.to_string();
}
/// How GoogleTest prints a result: its error's text, or its value.
template <class T>
void PrintTo(const Result<T>& result, std::ostream* out) {
  if (!result) {
    PrintTo(result.error(), out);
  } else if constexpr (std::is_void_v<T>) {
    *out << "ok";
  } else {
    *out << "ok, " << ::testing::PrintToString(*result);
  }
}

namespace testing {

/// Matches a Result that has no error.
MATCHER(IsOk, negation ? "is an error" : "is ok") {
  if (arg.has_value()) return true;
  *result_listener << "which is " << arg.error().to_string();
  return false;
}

/// Matches a Result whose value matches `value`.
MATCHER_P(IsOkAndHolds, value,
          std::string(negation ? "is not" : "is") + " ok with a matching value") {
  if (!arg.has_value()) {
    *result_listener << "which is " << arg.error().to_string();
    return false;
  }
  return ::testing::ExplainMatchResult(value, *arg, result_listener);
}

/// Matches a Result whose error matches `error`.
MATCHER_P(FailsWith, error,
          "is an error that " + ::testing::DescribeMatcher<const Error&>(error, negation)) {
  if (arg.has_value()) {
    *result_listener << "which is ok";
    return false;
  }
  return ::testing::ExplainMatchResult(error, arg.error(), result_listener);
}

/// Matches an Error with this code.
inline ::testing::Matcher<const Error&> HasCode(ErrorCode code) {
  return ::testing::ResultOf(
      "the code", [](const Error& error) { return error.code(); }, code);
}
/// Matches an Error with the reason of a Status: "NotFound", "Conflict", ...
template <class ReasonMatcher>
::testing::Matcher<const Error&> HasReason(ReasonMatcher reason) {
  return ::testing::ResultOf(
      "the reason", [](const Error& error) { return error.reason(); }, reason);
}
/// Matches an Error that a server's response with this HTTP status has caused.
inline ::testing::Matcher<const Error&> HasHttpStatus(int status) {
  return ::testing::ResultOf(
      "the HTTP status", [](const Error& error) { return error.http_status(); }, status);
}
/// Matches an Error whose to_string() matches `text`.
template <class TextMatcher>
::testing::Matcher<const Error&> HasMessage(TextMatcher text) {
  return ::testing::ResultOf(
      "the text", [](const Error& error) { return error.to_string(); }, text);
}

}  // namespace testing
}  // namespace kube
// NOLINTEND(readability-identifier-naming)
