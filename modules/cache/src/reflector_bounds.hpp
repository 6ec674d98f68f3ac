// SPDX-License-Identifier: Apache-2.0
//
// What a reflector takes from a server, whatever it says. SharedInformer documents these figures.
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

/// The longest that a server may have us wait, by Retry-After or retryAfterSeconds.
inline constexpr Duration kMaxRetryAfter = std::chrono::minutes(2);
/// One list, all its pages and waits included.
inline constexpr Duration kMaxListTime = std::chrono::hours(1);
/// Behind the time that a watch was asked to take.
inline constexpr Duration kWatchGrace = std::chrono::seconds(30);
/// A resourceVersion, in bytes: it has to fit into a URL. Real ones have up to 20 digits.
inline constexpr std::size_t kMaxVersion = 1024;
/// After so many lists at our version that the server could not answer (500), one at the newest.
inline constexpr int kMaxListsAtVersion = 3;
/// Refused objects may be all that a server sends: so many are told at once, to the log and of each
/// watch to the handler, and then so many a second. All are counted.
inline constexpr int kRefusalsAtOnce = 10;
inline constexpr double kRefusalsPerSecond = 0.1;

/// How long the server asked us to wait, within bounds; 0 when it did not.
inline Duration asked_delay(const Error& error) {
  const Duration asked = clamped(error.retry_after().value_or(std::chrono::seconds(0)));
  return std::clamp(asked, Duration::zero(), kMaxRetryAfter);
}

/// Why a version can't be watched from.
inline std::optional<Error> version_problem(std::string_view version) {
  if (version.empty()) {
    return Error(ErrorCode::Decode, "expected metadata.resourceVersion, to watch from there");
  }
  // A watch from there would begin anywhere, and miss what was deleted until then.
  if (version.find_first_not_of('0') == std::string_view::npos) {
    return Error(ErrorCode::Decode, "expected a metadata.resourceVersion to watch from, found \"" +
                                        std::string(version.substr(0, 20)) +
                                        "\", which stands for any");
  }
  if (version.size() <= kMaxVersion) return std::nullopt;
  return Error(ErrorCode::Decode, "expected a metadata.resourceVersion of at most " +
                                      std::to_string(kMaxVersion) + " bytes, found " +
                                      std::to_string(version.size()));
}

}  // namespace kube::cache
