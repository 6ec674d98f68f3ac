// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/key.hpp>

#include <filesystem>
#include <system_error>
#include <utility>

#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <kube/base/file.hpp>

#include "openssl.hpp"
#include "pem.hpp"

namespace kube::certificate {
namespace {

constexpr int kMinRsaBits = 512;
constexpr int kMaxRsaBits = 16'384;

KeyType type_of(EVP_PKEY* key) {
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA:
      return KeyType::Rsa;
    case EVP_PKEY_EC:
      return KeyType::Ecdsa;
    default:
      return KeyType::Ed25519;
  }
}

bool is_known(const EVP_PKEY* key) {
  if (key == nullptr) return false;
  const int id = EVP_PKEY_get_base_id(key);
  return id == EVP_PKEY_RSA || id == EVP_PKEY_EC || id == EVP_PKEY_ED25519;
}

KeyPtr traditional_key(int type, std::string_view der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  return KeyPtr(d2i_PrivateKey(type, nullptr, &at, static_cast<long>(der.size())));
}

KeyPtr pkcs8_key(std::string_view der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  const std::unique_ptr<PKCS8_PRIV_KEY_INFO, FreeWith<PKCS8_PRIV_KEY_INFO_free>> info(
      d2i_PKCS8_PRIV_KEY_INFO(nullptr, &at, static_cast<long>(der.size())));
  return KeyPtr(info ? EVP_PKCS82PKEY(info.get()) : nullptr);
}

// The key of a block of this type; null for another block or bytes that are not such a key.
KeyPtr private_key_of(const PemBlock& block) {
  if (block.type == "EC PRIVATE KEY") return traditional_key(EVP_PKEY_EC, block.der);
  if (block.type == "RSA PRIVATE KEY") return traditional_key(EVP_PKEY_RSA, block.der);
  if (block.type == "PRIVATE KEY") return pkcs8_key(block.der);
  return nullptr;
}

// The public key of a block, whatever its type says.
KeyPtr public_key_of(const PemBlock& block) {
  KeyPtr key = traditional_key(EVP_PKEY_RSA, block.der);
  if (!key) key = pkcs8_key(block.der);
  if (!key) key = traditional_key(EVP_PKEY_EC, block.der);
  const auto* at = reinterpret_cast<const unsigned char*>(block.der.data());
  const auto size = static_cast<long>(block.der.size());
  if (!key) key.reset(d2i_PUBKEY(nullptr, &at, size));
  if (!key) {
    at = reinterpret_cast<const unsigned char*>(block.der.data());
    const X509Ptr certificate(d2i_X509(nullptr, &at, size));
    if (certificate) key.reset(X509_get_pubkey(certificate.get()));
  }
  forget_openssl_errors();
  return key;
}

PrivateKey make_private_key(KeyPtr key) {
  return PrivateKey(std::make_shared<const PrivateKey::Impl>(PrivateKey::Impl{std::move(key)}));
}

// A handle of the public half alone.
PublicKey public_half(EVP_PKEY* key) {
  const BioPtr bio = memory();
  PEM_write_bio_PUBKEY(bio.get(), key);
  return make_public_key(KeyPtr(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr)));
}

}  // namespace

std::string_view to_string(KeyType type) {
  switch (type) {
    case KeyType::Rsa:
      return "RSA";
    case KeyType::Ecdsa:
      return "ECDSA";
    case KeyType::Ed25519:
      break;
  }
  return "Ed25519";
}

KeyType PublicKey::type() const {
  return type_of(impl_->key.get());
}
int PublicKey::bits() const {
  return EVP_PKEY_get_bits(impl_->key.get());
}
std::string PublicKey::pem() const {
  const BioPtr bio = memory();
  PEM_write_bio_PUBKEY(bio.get(), impl_->key.get());
  return written(bio.get());
}
bool operator==(const PublicKey& a, const PublicKey& b) {
  const bool same = EVP_PKEY_eq(a.impl_->key.get(), b.impl_->key.get()) == 1;
  forget_openssl_errors();
  return same;
}

Result<PrivateKey> PrivateKey::generate() {
  KeyPtr key(EVP_EC_gen("P-256"));
  if (!key) return openssl_error("cannot generate an ECDSA key");
  return make_private_key(std::move(key));
}

Result<PrivateKey> PrivateKey::generate_rsa(int bits) {
  if (bits < kMinRsaBits || bits > kMaxRsaBits) {
    return Error(ErrorCode::InvalidArgument,
                 "an RSA key can't have " + std::to_string(bits) + " bits: expected 512 to 16384");
  }
  KeyPtr key(EVP_RSA_gen(static_cast<unsigned>(bits)));
  if (!key) return openssl_error("cannot generate an RSA key");
  return make_private_key(std::move(key));
}

KeyType PrivateKey::type() const {
  return type_of(impl_->key.get());
}
int PrivateKey::bits() const {
  return EVP_PKEY_get_bits(impl_->key.get());
}
SecretText PrivateKey::pem() const {
  const BioPtr bio = memory();
  EVP_PKEY* key = impl_->key.get();
  if (type() == KeyType::Ed25519) {
    PEM_write_bio_PKCS8PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  } else {
    PEM_write_bio_PrivateKey_traditional(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  }
  return written(bio.get());
}
PublicKey PrivateKey::public_key() const {
  return public_half(impl_->key.get());
}

Result<PrivateKey> parse_private_key(const SecretText& pem) {
  for (const PemBlock& block : read_pem(pem.reveal())) {
    KeyPtr key = private_key_of(block);
    forget_openssl_errors();
    if (is_known(key.get())) return make_private_key(std::move(key));
  }
  return Error(ErrorCode::Decode, "data does not contain a valid RSA or ECDSA private key");
}

Result<PrivateKey> private_key_from_file(const std::string& file) {
  const auto pem = read_file(file, kMaxSmallFileBytes);
  if (!pem) return pem.error();
  return parse_private_key(*pem).with_context("error reading private key file " + file);
}

Result<std::vector<PublicKey>> parse_public_keys(std::string_view pem) {
  std::vector<PublicKey> keys;
  for (const PemBlock& block : read_pem(pem)) {
    const KeyPtr key = public_key_of(block);
    if (is_known(key.get())) keys.push_back(public_half(key.get()));
  }
  if (!keys.empty()) return keys;
  return Error(ErrorCode::Decode, "data does not contain any valid RSA or ECDSA public keys");
}

Result<std::vector<PublicKey>> public_keys_from_file(const std::string& file) {
  const auto pem = read_file(file, kMaxSmallFileBytes);
  if (!pem) return pem.error();
  return parse_public_keys(*pem).with_context("error reading public key file " + file);
}

Result<void> write_key(const std::string& file, const SecretText& pem) {
  return replace_file(file, pem.reveal(), {.file_mode = 0600, .folder_mode = 0755});
}

Result<KeyFile> load_or_generate_key(const std::string& file) {
  std::error_code failed;
  const auto status = std::filesystem::status(file, failed);
  if (status.type() != std::filesystem::file_type::not_found) {
    auto pem = read_file(file, kMaxSmallFileBytes);
    if (!pem) return pem.error().with_context("error loading key from " + file);
    const auto key = parse_private_key(*pem);
    if (!key) return key.error().with_context("error loading key from " + file);
    return KeyFile{*std::move(pem), false};
  }
  const auto key = PrivateKey::generate();
  if (!key) return key.error();
  KeyFile made{key->pem(), true};
  const auto stored = write_key(file, made.pem);
  if (!stored) return stored.error().with_context("error writing key to " + file);
  return made;
}

}  // namespace kube::certificate
