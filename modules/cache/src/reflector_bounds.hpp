// SPDX-License-Identifier: Apache-2.0
//
// The limits that a reflector sets for every server. SharedInformer documents these figures.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <kube/base/clock.hpp>
#include <kube/base/error.hpp>

namespace kube::cache {

/// The maximum delay that a server may ask for, by Retry-After or retryAfterSeconds.
inline constexpr Duration kMaxRetryAfter = std::chrono::minutes(2);
/// The maximum time of one list, with all its pages and waits.
inline constexpr Duration kMaxListTime = std::chrono::hours(1);
/// Added to the time in the request of a watch.
inline constexpr Duration kWatchGrace = std::chrono::seconds(30);
/// The maximum length of a resourceVersion, which has to fit into a URL. Real ones have up to 20
/// digits.
inline constexpr std::size_t kMaxVersion = 1024;
/// After this many lists at our version that fail with 500, one at the newest version follows.
inline constexpr int kMaxListsAtVersion = 3;
/// A server may send nothing but refused objects. This many are reported at once, to the log and
/// for each watch to the handler, and then this many per second. All are counted.
inline constexpr int kRefusalsAtOnce = 10;
inline constexpr double kRefusalsPerSecond = 0.1;

/// Returns the delay that the server asked for, at most kMaxRetryAfter; 0 when it asked for none.
inline Duration asked_delay(const Error& error) {
  const Duration asked = clamped(error.retry_after().value_or(std::chrono::seconds(0)));
  return std::clamp(asked, Duration::zero(), kMaxRetryAfter);
}

/// Returns why a version can't be watched from; nullopt when it can.
inline std::optional<Error> version_problem(std::string_view version) {
  if (version.empty()) {
    return Error(ErrorCode::Decode, "expected a metadata.resourceVersion to watch from");
  }
  // A watch from "0" would begin at any version, and miss deletions before it.
  if (version.find_first_not_of('0') == std::string_view::npos) {
    return Error(ErrorCode::Decode, "expected a metadata.resourceVersion to watch from, found \"" +
                                        std::string(version.substr(0, 20)) +
                                        "\", which means any version");
  }
  if (version.size() <= kMaxVersion) return std::nullopt;
  return Error(ErrorCode::Decode, "expected a metadata.resourceVersion of at most " +
                                      std::to_string(kMaxVersion) + " bytes, found " +
                                      std::to_string(version.size()));
}

}  // namespace kube::cache
