// SPDX-License-Identifier: Apache-2.0
#include "certificates.hpp"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>

#include <kube/json/base64.hpp>

namespace kube::apiserver::test {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

Bio new_bio() {
  return {BIO_new(BIO_s_mem()), BIO_free};
}

std::string content_of(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string base64_of(const Bio& bio) {
  std::string out;
  json::write_base64(content_of(bio), out);
  return out;
}

}  // namespace

Key new_key() {
  return {EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), EVP_PKEY_free};
}

std::string key_in_base64(EVP_PKEY* key) {
  const Bio bio = new_bio();
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return base64_of(bio);
}

std::string make_signing_request(EVP_PKEY* key, bool pem) {
  const std::unique_ptr<X509_REQ, decltype(&X509_REQ_free)> request(X509_REQ_new(), X509_REQ_free);
  X509_REQ_set_pubkey(request.get(), key);
  X509_REQ_sign(request.get(), key, nullptr);
  const Bio bio = new_bio();
  if (pem) {
    PEM_write_bio_X509_REQ(bio.get(), request.get());
  } else {
    i2d_X509_REQ_bio(bio.get(), request.get());
  }
  return base64_of(bio);
}

std::string make_certificate(EVP_PKEY* key, std::int64_t start, std::int64_t end,
                             std::string_view dns_name) {
  const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), X509_free);
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  ASN1_TIME_set(X509_getm_notBefore(made.get()), static_cast<std::time_t>(start));
  ASN1_TIME_set(X509_getm_notAfter(made.get()), static_cast<std::time_t>(end));
  X509_set_pubkey(made.get(), key);
  if (!dns_name.empty()) {
    const std::string names = "DNS:" + std::string(dns_name);
    const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str()),
        X509_EXTENSION_free);
    X509_add_ext(made.get(), extension.get(), -1);
  }
  X509_sign(made.get(), key, nullptr);
  const Bio bio = new_bio();
  PEM_write_bio_X509(bio.get(), made.get());
  return content_of(bio);
}

}  // namespace kube::apiserver::test
