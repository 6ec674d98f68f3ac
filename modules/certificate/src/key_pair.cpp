// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/key_pair.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <kube/base/file.hpp>

namespace kube::certificate {
namespace {

bool can_open(const std::string& file) {
  // A pipe without a writer must not block.
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  ::close(descriptor);
  return true;
}

}  // namespace

Result<KeyPair> KeyPair::from_pem(std::string_view certificates, const SecretText& key) {
  auto chain = parse_certificates(certificates);
  if (!chain) return chain.error();
  auto private_key = parse_private_key(key);
  if (!private_key) return private_key.error();
  if (!(chain->front().public_key() == private_key->public_key())) {
    return Error(ErrorCode::Credentials,
                 "the private key is not that of the certificate of " + chain->front().subject());
  }
  return KeyPair(*std::move(chain), *std::move(private_key));
}

Result<KeyPair> KeyPair::from_files(const std::string& certificates, const std::string& key) {
  const auto certificates_pem = read_file(certificates, kMaxSmallFileBytes);
  if (!certificates_pem) return certificates_pem.error();
  const std::string both = certificates == key ? certificates : certificates + " and " + key;
  if (certificates == key) return from_pem(*certificates_pem, *certificates_pem).with_context(both);
  const auto key_pem = read_file(key, kMaxSmallFileBytes);
  if (!key_pem) return key_pem.error();
  return from_pem(*certificates_pem, *key_pem).with_context(both);
}

Result<bool> can_read_pair(const std::string& certificate_file, const std::string& key_file) {
  const bool has_certificate = can_open(certificate_file);
  const bool has_key = can_open(key_file);
  if (has_certificate == has_key) return has_key;
  return Error(ErrorCode::Config, "error reading " +
                                      (has_certificate ? key_file : certificate_file) +
                                      ", certificate and key must be supplied as a pair");
}

}  // namespace kube::certificate
