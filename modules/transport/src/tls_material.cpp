// SPDX-License-Identifier: Apache-2.0
#include "tls_material.hpp"

#include <memory>
#include <utility>

#include <openssl/err.h>
#include <openssl/pem.h>

#include <kube/base/file.hpp>

#include "openssl_ptr.hpp"

namespace kube::transport {
namespace {

struct InfoStackFree {
  void operator()(STACK_OF(X509_INFO) * stack) const {
    sk_X509_INFO_pop_free(stack, X509_INFO_free);
  }
};

// Returns "the CA file /etc/ca.crt" or "the CA data".
std::string describe(std::string_view what, const PemSource& source) {
  std::string text = "the ";
  text.append(what);
  return source.data.empty() ? text.append(" file ").append(source.file) : text.append(" data");
}

Result<std::string> bytes_of(std::string_view what, const PemSource& source) {
  if (!source.data.empty()) return source.data;
  auto bytes = read_file(source.file, kMaxSmallFileBytes);
  if (!bytes) {
    return Error(ErrorCode::Credentials,
                 "cannot read the " + std::string(what) + " file: " + bytes.error().message());
  }
  return bytes;
}

BioPtr reader(const std::string& bytes) {
  return BioPtr(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

// OpenSSL by default asks for passphrases on the terminal; this prevents it.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) {
  return 0;
}

Error not_pem(std::string_view what, const PemSource& source, std::string_view expected) {
  ERR_clear_error();
  std::string text = describe(what, source) + " contains no PEM ";
  return Error(ErrorCode::Credentials, text.append(expected));
}

Result<void> check_ca(const PemSource& source) {
  const Result<std::string> bytes = bytes_of("CA", source);
  if (!bytes) return bytes.error();
  const BioPtr bio = reader(*bytes);
  const std::unique_ptr<STACK_OF(X509_INFO), InfoStackFree> entries(
      PEM_X509_INFO_read_bio(bio.get(), nullptr, no_passphrase, nullptr));
  for (int i = 0; entries && i < sk_X509_INFO_num(entries.get()); ++i) {
    if (sk_X509_INFO_value(entries.get(), i)->x509 != nullptr) return {};
  }
  return not_pem("CA", source, "certificate");
}

Result<void> check_pair(const PemSource& certificate, const PemSource& key) {
  if (key.empty()) {
    return Error(ErrorCode::Credentials,
                 describe("client certificate", certificate) + " comes without a key");
  }
  if (certificate.empty()) {
    return Error(ErrorCode::Credentials,
                 describe("client key", key) + " comes without a certificate");
  }
  const Result<std::string> certificate_bytes = bytes_of("client certificate", certificate);
  if (!certificate_bytes) return certificate_bytes.error();
  const Result<std::string> key_bytes = bytes_of("client key", key);
  if (!key_bytes) return key_bytes.error();

  const CertificatePtr leaf(
      PEM_read_bio_X509(reader(*certificate_bytes).get(), nullptr, no_passphrase, nullptr));
  if (!leaf) return not_pem("client certificate", certificate, "certificate");
  const KeyPtr private_key(
      PEM_read_bio_PrivateKey(reader(*key_bytes).get(), nullptr, no_passphrase, nullptr));
  if (!private_key) {
    if (key_bytes->find("ENCRYPTED") != std::string::npos) {
      ERR_clear_error();
      return Error(ErrorCode::Credentials, describe("client key", key) +
                                               " is encrypted; expected a key without passphrase");
    }
    return not_pem("client key", key, "private key");
  }
  if (X509_check_private_key(leaf.get(), private_key.get()) != 1) {
    ERR_clear_error();
    return Error(ErrorCode::Credentials, describe("client key", key) + " does not belong to " +
                                             describe("client certificate", certificate));
  }
  return {};
}

void set_pem(CURL* easy, const PemSource& source, CURLoption blob_option, CURLoption file_option) {
  if (source.data.empty()) {
    curl_easy_setopt(easy, file_option, source.file.c_str());
    return;
  }
  // Not copied: the transport's settings outlive the transfer. curl only reads it.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  curl_blob blob{const_cast<char*>(source.data.data()), source.data.size(), CURL_BLOB_NOCOPY};
  curl_easy_setopt(easy, blob_option, &blob);
}

}  // namespace

Result<TlsMaterial> TlsMaterial::load(TlsConfig config) {
  if (!config.ca.empty()) {
    if (config.insecure_skip_verify) {
      return Error(ErrorCode::Config,
                   "specifying a root certificates file with the insecure flag is not allowed");
    }
    if (const Result<void> checked = check_ca(config.ca); !checked) return checked.error();
  }
  if (!config.certificate.empty() || !config.key.empty()) {
    const Result<void> checked = check_pair(config.certificate, config.key);
    if (!checked) return checked.error();
  }
  return TlsMaterial(std::move(config));
}

void TlsMaterial::apply(CURL* easy) const {
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  // As Go does: a resumed session would still present a client certificate that was renewed.
  curl_easy_setopt(easy, CURLOPT_SSL_SESSIONID_CACHE, 0L);
  if (config_.insecure_skip_verify) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!config_.ca.empty()) {
    // The given roots replace the system's: curl would still trust its own directory.
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
    set_pem(easy, config_.ca, CURLOPT_CAINFO_BLOB, CURLOPT_CAINFO);
    // Otherwise curl would use the old CA for a day: renewed files are used at the next handshake.
    curl_easy_setopt(easy, CURLOPT_CA_CACHE_TIMEOUT, 0L);
  }
  if (!config_.certificate.empty()) {
    set_pem(easy, config_.certificate, CURLOPT_SSLCERT_BLOB, CURLOPT_SSLCERT);
    set_pem(easy, config_.key, CURLOPT_SSLKEY_BLOB, CURLOPT_SSLKEY);
    // A file may be replaced by an encrypted one: fail instead of asking on the terminal.
    curl_easy_setopt(easy, CURLOPT_KEYPASSWD, "");
  }
}

}  // namespace kube::transport
