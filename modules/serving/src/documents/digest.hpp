// SPDX-License-Identifier: Apache-2.0
//
// SHA-256, for tags and hashes that clients compare.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace kube::serving {

std::array<unsigned char, 32> sha256(std::string_view text);
/// Returns capital hexadecimal digits.
std::string sha256_hex(std::string_view text);

}  // namespace kube::serving
