// SPDX-License-Identifier: Apache-2.0
#include "documents/digest.hpp"

#include <openssl/sha.h>

namespace kube::apiserver {

std::array<unsigned char, 32> sha256(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return digest;
}

std::string sha256_hex(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const unsigned char byte : sha256(text)) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 0xfU];
  }
  return out;
}

}  // namespace kube::apiserver
