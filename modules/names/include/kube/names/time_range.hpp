// SPDX-License-Identifier: Apache-2.0
//
// The times that an Instant may hold: what RFC 3339 can write.
#pragma once

#include <cstdint>

namespace kube::meta {

inline constexpr std::int64_t kFirstSecond = -62167219200;  ///< 0000-01-01T00:00:00Z
inline constexpr std::int64_t kLastSecond = 253402300799;   ///< 9999-12-31T23:59:59Z

}  // namespace kube::meta
