// SPDX-License-Identifier: Apache-2.0
#include "tls_material.hpp"

#include <chrono>
#include <ctime>
#include <memory>
#include <utility>

#include <openssl/err.h>
#include <openssl/pem.h>

#include <kube/base/file.hpp>
#include <kube/transport/client_certificate.hpp>

#include "openssl_ptr.hpp"

namespace kube::transport {
namespace {

struct InfoStackFree {
  void operator()(STACK_OF(X509_INFO) * stack) const {
    sk_X509_INFO_pop_free(stack, X509_INFO_free);
  }
};

// Marks the errors that are about the key of a client certificate.
struct KeyDetail final : ErrorDetail {
  static constexpr char kType{};
  const void* type() const override { return &kType; }
};

Error of_key(const Error& error) {
  return error.with_detail(std::make_shared<KeyDetail>());
}

const std::string& bytes_of(const PemSource& source) {
  return source.data;
}
const std::string& bytes_of(const KeySource& source) {
  return source.data.reveal();
}

// Returns "the CA file /etc/ca.crt" or "the CA data".
template <class Source>
std::string describe(std::string_view what, const Source& source) {
  std::string text = "the ";
  text.append(what);
  return source.file.empty() ? text.append(" data") : text.append(" file ").append(source.file);
}

// curl takes no longer blob, and would then trust the system's roots.
constexpr std::size_t kMaxPemBytes = 8'000'000;

// Reads the file into the data. The I/O thread does so when a file has changed: it must not wait.
template <class Source>
Result<void> fill(std::string_view what, Source& source) {
  if (source.data.empty() && !source.file.empty()) {
    auto file = read_regular_file(source.file);
    if (!file) {
      return Error(ErrorCode::Credentials,
                   "cannot read the " + std::string(what) + " file: " + file.error().message());
    }
    source.data = std::move(file->text);
  }
  if (bytes_of(source).size() <= kMaxPemBytes) return {};
  return Error(ErrorCode::Credentials, describe(what, source) + " has more than 8,000,000 bytes");
}

BioPtr reader(const std::string& bytes) {
  return BioPtr(BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
}

// OpenSSL by default asks for passphrases on the terminal; this prevents it.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) {
  return 0;
}

template <class Source>
Error not_pem(std::string_view what, const Source& source, std::string_view expected) {
  ERR_clear_error();
  std::string text = describe(what, source) + " contains no PEM ";
  return Error(ErrorCode::Credentials, text.append(expected));
}

Result<void> check_roots(const PemSource& source) {
  if (source.data.empty()) return {};
  const BioPtr bio = reader(source.data);
  const std::unique_ptr<STACK_OF(X509_INFO), InfoStackFree> entries(
      PEM_X509_INFO_read_bio(bio.get(), nullptr, no_passphrase, nullptr));
  for (int i = 0; entries && i < sk_X509_INFO_num(entries.get()); ++i) {
    if (sk_X509_INFO_value(entries.get(), i)->x509 != nullptr) return {};
  }
  return not_pem("CA", source, "certificate");
}

// The moment after which a certificate is not valid; the end of time when it can't be read.
WallTime expiry_of(X509* certificate) {
  std::tm time{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) != 1) return WallTime::max();
  return std::chrono::system_clock::from_time_t(::timegm(&time));
}

// Returns when the certificate expires.
Result<WallTime> check_pair(const PemSource& certificate, const KeySource& key) {
  if (key.empty()) {
    return Error(ErrorCode::Credentials,
                 describe("client certificate", certificate) + " comes without a key");
  }
  if (certificate.empty()) {
    return of_key(Error(ErrorCode::Credentials,
                        describe("client key", key) + " comes without a certificate"));
  }
  const CertificatePtr leaf(
      PEM_read_bio_X509(reader(certificate.data).get(), nullptr, no_passphrase, nullptr));
  if (!leaf) return not_pem("client certificate", certificate, "certificate");
  const KeyPtr private_key(
      PEM_read_bio_PrivateKey(reader(bytes_of(key)).get(), nullptr, no_passphrase, nullptr));
  if (!private_key) {
    if (bytes_of(key).find("ENCRYPTED") != std::string::npos) {
      ERR_clear_error();
      return of_key(
          Error(ErrorCode::Credentials,
                describe("client key", key) + " is encrypted; expected a key without passphrase"));
    }
    return of_key(not_pem("client key", key, "private key"));
  }
  if (X509_check_private_key(leaf.get(), private_key.get()) != 1) {
    ERR_clear_error();
    return of_key(Error(ErrorCode::Credentials, describe("client key", key) +
                                                    " does not belong to " +
                                                    describe("client certificate", certificate)));
  }
  return expiry_of(leaf.get());
}

template <class Source>
void set_pem(CURL* easy, const Source& source, CURLoption blob_option) {
  const std::string& bytes = bytes_of(source);
  // Not copied: the transport's settings outlive the transfer. curl only reads it.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
  curl_blob blob{const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_NOCOPY};
  curl_easy_setopt(easy, blob_option, &blob);
}

}  // namespace

Result<void> TlsMaterial::load_ca(TlsConfig& config, bool may_be_empty) {
  if (config.ca.empty()) return {};
  if (config.insecure_skip_verify) {
    return Error(ErrorCode::Config,
                 "specifying a root certificates file with the insecure flag is not allowed");
  }
  if (Result<void> filled = fill("CA", config.ca); !filled) return filled;
  if (config.ca.data.empty() && !may_be_empty) {
    return Error(ErrorCode::Credentials, describe("CA", config.ca) + " is empty");
  }
  return check_roots(config.ca);
}

Result<void> TlsMaterial::load_pair(TlsConfig& config) {
  if (config.certificate.empty() && config.key.empty()) return {};
  if (Result<void> filled = fill("client certificate", config.certificate); !filled) return filled;
  if (const Result<void> filled = fill("client key", config.key); !filled) {
    return of_key(filled.error());
  }
  const Result<WallTime> checked = check_pair(config.certificate, config.key);
  return checked ? Result<void>() : checked.error();
}

Result<std::shared_ptr<const TlsMaterial>> TlsMaterial::load(TlsConfig config, Kept& kept) {
  // Data takes precedence: a file beside it is not even named.
  const auto prefer_data = [](auto& source) {
    if (!source.data.empty()) source.file.clear();
  };
  prefer_data(config.ca);
  prefer_data(config.certificate);
  prefer_data(config.key);
  if (const Result<void> loaded = load_ca(config, kept.ca == nullptr); !loaded) {
    if (kept.ca == nullptr) return loaded.error();
    kept.problems.push_back(loaded.error());
    config.ca = kept.ca->config_.ca;
  }
  if (const Result<void> loaded = load_pair(config); !loaded) {
    if (kept.pair == nullptr) return loaded.error();
    kept.problems.push_back(loaded.error());
    config.certificate = kept.pair->config_.certificate;
    config.key = kept.pair->config_.key;
  }
  return std::shared_ptr<const TlsMaterial>(new TlsMaterial(std::move(config)));
}

Result<std::shared_ptr<const TlsMaterial>> TlsMaterial::load(TlsConfig config) {
  Kept nothing;
  return load(std::move(config), nothing);
}

bool TlsMaterial::same_bytes(const TlsMaterial& other) const {
  const TlsConfig& a = config_;
  const TlsConfig& b = other.config_;
  return a.ca.data == b.ca.data && a.certificate.data == b.certificate.data &&
         a.key.data == b.key.data && a.ca.empty() == b.ca.empty() &&
         a.server_name == b.server_name && a.insecure_skip_verify == b.insecure_skip_verify;
}

Result<WallTime> check_client_certificate(const std::string& certificate, const SecretText& key) {
  return check_pair({.data = certificate}, {.data = key});
}

Result<void> check_client_certificate(PemSource certificate, KeySource key) {
  const auto loaded =
      TlsMaterial::load({.certificate = std::move(certificate), .key = std::move(key)});
  return loaded ? Result<void>() : loaded.error();
}

bool is_of_client_key(const Error& error) {
  return detail_as<KeyDetail>(error) != nullptr;
}

Result<void> check_ca(PemSource ca) {
  const auto loaded = TlsMaterial::load({.ca = std::move(ca)});
  return loaded ? Result<void>() : loaded.error();
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
    set_pem(easy, config_.ca, CURLOPT_CAINFO_BLOB);
  }
  if (!config_.certificate.empty()) {
    set_pem(easy, config_.certificate, CURLOPT_SSLCERT_BLOB);
    set_pem(easy, config_.key, CURLOPT_SSLKEY_BLOB);
  }
  apply_to_proxy(easy);
}

// Go verifies an https proxy by the settings of the server, and shows it the same certificate. One
// whose certificate the system's roots have signed is trusted, too.
void TlsMaterial::apply_to_proxy(CURL* easy) const {
  curl_easy_setopt(easy, CURLOPT_PROXY_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (config_.insecure_skip_verify) {
    curl_easy_setopt(easy, CURLOPT_PROXY_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_PROXY_SSL_VERIFYHOST, 0L);
  }
  if (!config_.ca.empty()) set_pem(easy, config_.ca, CURLOPT_PROXY_CAINFO_BLOB);
  if (!config_.certificate.empty()) {
    set_pem(easy, config_.certificate, CURLOPT_PROXY_SSLCERT_BLOB);
    set_pem(easy, config_.key, CURLOPT_PROXY_SSLKEY_BLOB);
  }
}

}  // namespace kube::transport
