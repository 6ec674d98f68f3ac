// SPDX-License-Identifier: Apache-2.0
#include "documents/digest.hpp"

#include <openssl/sha.h>

#include <kube/base/ascii.hpp>

namespace kube::serving {

std::array<unsigned char, 32> sha256(std::string_view text) {
  std::array<unsigned char, 32> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return digest;
}

std::string sha256_hex(std::string_view text) {
  std::string out;
  for (const unsigned char byte : sha256(text)) {
    out += ascii::kCapitalHexDigits[byte >> 4U];
    out += ascii::kCapitalHexDigits[byte & 0xfU];
  }
  return out;
}

}  // namespace kube::serving
