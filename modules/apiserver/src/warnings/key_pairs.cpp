// SPDX-License-Identifier: Apache-2.0
//
// The certificates and keys of Secrets, in the words of Go's crypto/tls.
#include <openssl/err.h>
#include <openssl/x509.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <kube/base/join.hpp>
#include <kube/json/base64.hpp>

#include "validation/pem_blocks.hpp"
#include "warnings/table.hpp"

namespace kube::apiserver {
namespace {

constexpr std::string_view kPrivateKey = "PRIVATE KEY";

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

std::string decoded(const Place& secret, std::string_view key) {
  auto bytes = json::read_base64(secret.value().string_at({"data", key}));
  return bytes ? *std::move(bytes) : std::string{};
}

std::string types_of(const std::vector<PemBlock>& blocks) {
  std::vector<std::string> types;
  for (const PemBlock& block : blocks) types.push_back(block.type);
  return "[" + join(types, " ") + "]";
}

std::string no_certificate(const std::vector<PemBlock>& blocks) {
  if (blocks.empty()) return "tls: failed to find any PEM data in certificate input";
  if (blocks.size() == 1 && blocks[0].type.ends_with(kPrivateKey))
    return "tls: failed to find certificate PEM data in certificate input, but did find a private "
           "key; PEM inputs may have been switched";
  return "tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM "
         "blocks of the following types: " +
         types_of(blocks);
}

std::string no_key(const std::vector<PemBlock>& blocks) {
  if (blocks.empty()) return "tls: failed to find any PEM data in key input";
  if (blocks.size() == 1 && blocks[0].type == "CERTIFICATE")
    return "tls: found a certificate rather than a key in the PEM for the private key";
  return "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after "
         "skipping PEM blocks of the following types: " +
         types_of(blocks);
}

std::string key_problem(const PemBlock& block, const Certificate& leaf) {
  const auto* at = reinterpret_cast<const unsigned char*>(block.bytes.data());
  const Key key(d2i_AutoPrivateKey(nullptr, &at, static_cast<long>(block.bytes.size())),
                EVP_PKEY_free);
  ERR_clear_error();
  EVP_PKEY* own = X509_get0_pubkey(leaf.get());
  if (key == nullptr) return "tls: failed to parse private key";
  const int type = EVP_PKEY_base_id(key.get());
  if (type != EVP_PKEY_RSA && type != EVP_PKEY_EC && type != EVP_PKEY_ED25519)
    return "tls: found unknown private key type in PKCS#8 wrapping";
  if (own == nullptr || EVP_PKEY_base_id(own) != type)
    return "tls: private key type does not match public key type";
  return EVP_PKEY_eq(own, key.get()) == 1 ? std::string{}
                                          : "tls: private key does not match public key";
}

std::string pair_problem(const Place& secret) {
  const std::vector<PemBlock> certificates = pem_blocks(decoded(secret, "tls.crt"));
  const auto first = std::ranges::find(certificates, "CERTIFICATE", &PemBlock::type);
  if (first == certificates.end()) return no_certificate(certificates);
  const std::vector<PemBlock> keys = pem_blocks(decoded(secret, "tls.key"));
  const auto key = std::ranges::find_if(keys, [](const PemBlock& block) {
    return block.type == kPrivateKey || block.type.ends_with(" PRIVATE KEY");
  });
  if (key == keys.end()) return no_key(keys);
  const Certificate leaf = read_certificate(first->bytes);
  return leaf == nullptr ? unreadable_certificate(first->bytes) : key_problem(*key, leaf);
}

}  // namespace

void warn_of_key_pair(const Place& secret, Warnings& out) {
  if (secret.text("type") != "kubernetes.io/tls") return;
  if (std::string problem = pair_problem(secret); !problem.empty())
    out.push_back(std::move(problem));
}

}  // namespace kube::apiserver
