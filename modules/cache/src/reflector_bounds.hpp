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
/// The minimum time in the request of a watch; up to twice as long is requested.
inline constexpr std::chrono::seconds kMinWatchTimeout{300};
/// A watch from the version of a saved state that has brought no error for this long is accepted:
/// kube-apiserver sends the 410 of a version that it no longer has right behind the response's
/// head.
inline constexpr Duration kResumeSilence = std::chrono::seconds(1);
/// The maximum time of a stream until the end of its initial state.
inline constexpr Duration kInitialStreamDeadline = std::chrono::minutes(3);
/// The maximum time without a byte of such a stream, once it has begun: a server that does not know
/// sendInitialEvents sends no end, and nothing more until something changes.
inline constexpr Duration kInitialStreamSilence = std::chrono::seconds(10);
/// After this many streams that break off, a list follows.
inline constexpr int kMaxInitialStreams = 3;
/// A source whose stream was refused or had no end is listed for this long, until it is asked for a
/// stream again: its server may have been upgraded.
inline constexpr Duration kNoStreamsFor = std::chrono::hours(1);
/// The maximum length of a resourceVersion, which has to fit into a URL. Real ones have up to 20
/// digits.
inline constexpr std::size_t kMaxVersion = 1024;
/// After this many lists at our version that fail with 500, one at the newest version follows.
inline constexpr int kMaxListsAtVersion = 3;
/// A server may send nothing but refused objects. This many are reported at once, to the log and
/// for each watch to the handler, and then this many per second. All are counted.
inline constexpr int kRefusalsAtOnce = 10;
inline constexpr double kRefusalsPerSecond = 0.1;
inline constexpr Duration kRefusalsEvery = std::chrono::seconds(10);
/// How often a failure that lasts is logged.
inline constexpr double kFailuresPerSecond = 1.0 / 600;
/// The time between two attempts to begin a pause for which there is no memory.
inline constexpr Duration kMemoryPause = std::chrono::seconds(1);
/// The delays after a 404 or 403, which end when somebody installs something or gives a permission:
/// with their jitter, at most two minutes.
inline constexpr Duration kFirstDenied = std::chrono::seconds(1);
inline constexpr Duration kMaxDenied = std::chrono::seconds(100);
inline constexpr double kDeniedJitter = 0.2;

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
