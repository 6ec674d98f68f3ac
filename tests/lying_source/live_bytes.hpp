// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

namespace kube::lying {

/// Bytes that operator new has given and operator delete has not taken back; nothing under a
/// sanitizer, which has its own.
std::optional<std::size_t> live_bytes();

}  // namespace kube::lying
