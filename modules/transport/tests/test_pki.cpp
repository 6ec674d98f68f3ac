// SPDX-License-Identifier: Apache-2.0
#include "test_pki.hpp"

#include <memory>
#include <stdexcept>

#include <arpa/inet.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "openssl_ptr.hpp"

namespace kube::transport {
namespace {

void require(bool ok, const char* what) {
  if (!ok) throw std::runtime_error(std::string("OpenSSL: ") + what);
}

std::string contents(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<std::size_t>(size));
}

BioPtr memory_bio() {
  return BioPtr(BIO_new(BIO_s_mem()));
}
BioPtr memory_bio(const std::string& text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  require(extension != nullptr, "extension");
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

struct Extension {
  int kind;
  std::string value;
};

// Signed by `issuer`, or by itself without one.
PemPair make(const std::string& name, const std::vector<Extension>& extensions,
             const PemPair* issuer, std::chrono::seconds lifetime = std::chrono::hours(1)) {
  const KeyPtr key(EVP_EC_gen("P-256"));
  require(key != nullptr, "key");
  const CertificatePtr certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  unsigned char serial[8];
  RAND_bytes(serial, sizeof serial);
  serial[0] &= 0x7F;
  BIGNUM* number = BN_bin2bn(serial, sizeof serial, nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate.get()));
  BN_free(number);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), static_cast<long>(lifetime.count()));
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);

  CertificatePtr issuer_certificate;
  KeyPtr issuer_key;
  if (issuer != nullptr) {
    issuer_certificate.reset(
        PEM_read_bio_X509(memory_bio(issuer->certificate).get(), nullptr, nullptr, nullptr));
    issuer_key.reset(
        PEM_read_bio_PrivateKey(memory_bio(issuer->key).get(), nullptr, nullptr, nullptr));
  }
  X509* signer = issuer != nullptr ? issuer_certificate.get() : certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(signer));
  for (const Extension& extension : extensions) {
    add_extension(certificate.get(), signer, extension.kind, extension.value);
  }
  require(X509_sign(certificate.get(), issuer != nullptr ? issuer_key.get() : key.get(),
                    EVP_sha256()) > 0,
          "sign");

  PemPair pair;
  const BioPtr certificate_text = memory_bio();
  PEM_write_bio_X509(certificate_text.get(), certificate.get());
  pair.certificate = contents(certificate_text.get());
  const BioPtr key_text = memory_bio();
  PEM_write_bio_PKCS8PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  pair.key = contents(key_text.get());
  return pair;
}

}  // namespace

TestAuthority::TestAuthority(const std::string& name)
    : own_(make(name,
                {{NID_basic_constraints, "critical,CA:TRUE"},
                 {NID_key_usage, "critical,keyCertSign,cRLSign"}},
                nullptr)) {}

PemPair TestAuthority::server(const std::vector<std::string>& names) const {
  std::string alternatives;
  for (const std::string& name : names) {
    in6_addr ignored{};
    const bool address = inet_pton(AF_INET, name.c_str(), &ignored) == 1 ||
                         inet_pton(AF_INET6, name.c_str(), &ignored) == 1;
    if (!alternatives.empty()) alternatives += ',';
    alternatives += (address ? "IP:" : "DNS:") + name;
  }
  return make("server", {{NID_subject_alt_name, alternatives}, {NID_ext_key_usage, "serverAuth"}},
              &own_);
}

PemPair TestAuthority::client(const std::string& name, std::chrono::seconds lifetime) const {
  return make(name, {{NID_ext_key_usage, "clientAuth"}}, &own_, lifetime);
}

std::string encrypted(const std::string& key_pem) {
  const KeyPtr key(PEM_read_bio_PrivateKey(memory_bio(key_pem).get(), nullptr, nullptr, nullptr));
  const BioPtr text = memory_bio();
  PEM_write_bio_PKCS8PrivateKey(text.get(), key.get(), EVP_aes_128_cbc(), "secret", 6, nullptr,
                                nullptr);
  return contents(text.get());
}

}  // namespace kube::transport
