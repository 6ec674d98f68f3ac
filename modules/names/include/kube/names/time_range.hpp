// SPDX-License-Identifier: Apache-2.0
//
// Shared between modules: not promised to users.
//
// The range of an Instant, in seconds since 1970; it is that of RFC 3339.
#pragma once

#include <cstdint>

namespace kube::meta {

inline constexpr std::int64_t kFirstSecond = -62167219200;  ///< 0000-01-01T00:00:00Z
inline constexpr std::int64_t kLastSecond = 253402300799;   ///< 9999-12-31T23:59:59Z

}  // namespace kube::meta
