// SPDX-License-Identifier: Apache-2.0
#include "signing_key.hpp"

#include <cstddef>
#include <stdexcept>
#include <vector>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <kube/base/free_with.hpp>

#include "identity_provider.hpp"

namespace scenarios {

using kube::FreeWith;
using kube::rest::base64_url;

namespace {

void require_openssl(bool ok) {
  if (!ok) throw std::runtime_error("OpenSSL refuses to sign");
}

}  // namespace

struct SigningKey::Key {
  std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>> key{EVP_RSA_gen(2048)};

  // A part of the public key, big-endian.
  std::string number(const char* name) const {
    BIGNUM* part = nullptr;
    require_openssl(EVP_PKEY_get_bn_param(key.get(), name, &part) == 1);
    const std::unique_ptr<BIGNUM, FreeWith<BN_free>> owner(part);
    std::vector<unsigned char> bytes(static_cast<std::size_t>(BN_num_bytes(part)));
    BN_bn2bin(part, bytes.data());
    return {bytes.begin(), bytes.end()};
  }
};

SigningKey::SigningKey() : key_(std::make_unique<Key>()) {
  require_openssl(key_->key != nullptr);
}
SigningKey::~SigningKey() = default;

std::string SigningKey::key_set() const {
  return R"({"keys":[{"kty":"RSA","alg":"RS256","use":"sig","kid":"1","n":")" +
         base64_url(key_->number(OSSL_PKEY_PARAM_RSA_N)) + R"(","e":")" +
         base64_url(key_->number(OSSL_PKEY_PARAM_RSA_E)) + R"("}]})";
}

std::string SigningKey::sign(const std::string& claims) const {
  const std::string text =
      base64_url(R"({"alg":"RS256","kid":"1","typ":"JWT"})") + "." + base64_url(claims);
  const std::unique_ptr<EVP_MD_CTX, FreeWith<EVP_MD_CTX_free>> context(EVP_MD_CTX_new());
  require_openssl(
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_->key.get()) == 1);
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  require_openssl(EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1);
  std::vector<unsigned char> signature(size);
  require_openssl(EVP_DigestSign(context.get(), signature.data(), &size, bytes, text.size()) == 1);
  return text + "." + base64_url({signature.begin(), signature.begin() + std::ptrdiff_t(size)});
}

}  // namespace scenarios
