// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/certificate.hpp>

#include <chrono>
#include <ctime>
#include <utility>

#include <openssl/x509_vfy.h>

#include <kube/base/file.hpp>

#include "openssl.hpp"
#include "pem.hpp"

namespace kube::certificate {
namespace {

WallTime time_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return WallTime::max();
  // Certificates may be valid beyond 2262, a WallTime not.
  constexpr auto kLast = std::chrono::duration_cast<std::chrono::seconds>(Duration::max());
  const std::chrono::seconds seconds(::timegm(&parts));
  return seconds > kLast ? WallTime::max() : WallTime(seconds);
}

NamesPtr alternative_names_of(const X509* x509) {
  return NamesPtr(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(x509, NID_subject_alt_name, nullptr, nullptr)));
}

using StorePtr = std::unique_ptr<X509_STORE, FreeWith<X509_STORE_free>>;
using ContextPtr = std::unique_ptr<X509_STORE_CTX, FreeWith<X509_STORE_CTX_free>>;
struct FreeStack {
  void operator()(STACK_OF(X509) * stack) const { sk_X509_free(stack); }
};

}  // namespace

Result<Certificate> Certificate::from_der(std::string_view der) {
  const auto* begin = reinterpret_cast<const unsigned char*>(der.data());
  const auto* at = begin;
  X509Ptr x509(d2i_X509(nullptr, &at, static_cast<long>(der.size())));
  if (x509 && at == begin + der.size()) return make_certificate(std::move(x509));
  forget_openssl_errors();
  return Error(ErrorCode::Decode,
               x509 ? "data follows the certificate" : "the bytes are not an X.509 certificate");
}

std::string Certificate::der() const {
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(impl_->x509.get(), &bytes);
  if (size < 0) return {};
  std::string der(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return der;
}
std::string Certificate::pem() const {
  return write_pem("CERTIFICATE", der());
}
std::string Certificate::common_name() const {
  const auto names = entries_of(X509_get_subject_name(impl_->x509.get()), NID_commonName);
  return names.empty() ? std::string() : names.back();
}
std::vector<std::string> Certificate::organizations() const {
  return entries_of(X509_get_subject_name(impl_->x509.get()), NID_organizationName);
}
std::string Certificate::subject() const {
  return one_line(X509_get_subject_name(impl_->x509.get()));
}
std::string Certificate::issuer() const {
  return one_line(X509_get_issuer_name(impl_->x509.get()));
}
std::vector<std::string> Certificate::dns_names() const {
  return dns_names_of(alternative_names_of(impl_->x509.get()).get());
}
std::vector<std::string> Certificate::ip_addresses() const {
  return ip_addresses_of(alternative_names_of(impl_->x509.get()).get());
}
WallTime Certificate::not_before() const {
  return time_of(X509_get0_notBefore(impl_->x509.get()));
}
WallTime Certificate::not_after() const {
  return time_of(X509_get0_notAfter(impl_->x509.get()));
}
bool Certificate::is_ca() const {
  return X509_check_ca(impl_->x509.get()) == 1;
}
PublicKey Certificate::public_key() const {
  return make_public_key(KeyPtr(X509_get_pubkey(impl_->x509.get())));
}
bool operator==(const Certificate& a, const Certificate& b) {
  return a.impl_ == b.impl_ || X509_cmp(a.impl_->x509.get(), b.impl_->x509.get()) == 0;
}

Bundle parse_bundle(std::string_view pem) {
  Bundle bundle;
  std::size_t number = 0;
  for (const PemBlock& block : read_pem(pem)) {
    ++number;
    if (block.type != "CERTIFICATE" || block.has_headers) continue;
    Result<Certificate> certificate = Certificate::from_der(block.der);
    if (!certificate) {
      bundle.result = certificate.error().with_context("PEM block " + std::to_string(number));
      return bundle;
    }
    bundle.certificates.push_back(*std::move(certificate));
  }
  if (bundle.certificates.empty()) {
    bundle.result =
        Error(ErrorCode::Decode, "data does not contain any valid RSA or ECDSA certificates");
  }
  return bundle;
}

Result<std::vector<Certificate>> parse_certificates(std::string_view pem) {
  Bundle bundle = parse_bundle(pem);
  if (!bundle.result) return bundle.result.error();
  return std::move(bundle.certificates);
}

Result<std::vector<Certificate>> certificates_from_file(const std::string& file) {
  const auto pem = read_file(file, kMaxSmallFileBytes);
  if (!pem) return pem.error();
  return parse_certificates(*pem).with_context("error reading " + file);
}

std::string encode_certificates(const std::vector<Certificate>& certificates) {
  std::string pem;
  for (const Certificate& certificate : certificates) pem += certificate.pem();
  return pem;
}

Result<void> write_certificate(const std::string& file, std::string_view pem) {
  return replace_file(file, pem, {.file_mode = 0644, .folder_mode = 0755});
}

Result<Pool> Pool::from_pem(std::string_view pem) {
  auto certificates = parse_certificates(pem);
  if (!certificates) return certificates.error();
  return Pool(*std::move(certificates));
}

Result<Pool> Pool::from_file(const std::string& file) {
  const auto pem = read_file(file, kMaxSmallFileBytes);
  if (!pem) return pem.error();
  return from_pem(*pem).with_context("error creating pool from " + file);
}

Result<void> Pool::verify(const std::vector<Certificate>& chain, WallTime at) const {
  if (chain.empty()) return Error(ErrorCode::Credentials, "the chain has no certificate");
  const StorePtr store(X509_STORE_new());
  for (const Certificate& root : certificates_) {
    X509_STORE_add_cert(store.get(), root.impl().x509.get());
  }
  const std::unique_ptr<STACK_OF(X509), FreeStack> others(sk_X509_new_null());
  for (const Certificate& certificate : chain) {
    sk_X509_push(others.get(), certificate.impl().x509.get());
  }
  const ContextPtr context(X509_STORE_CTX_new());
  X509_STORE_CTX_init(context.get(), store.get(), chain.front().impl().x509.get(), others.get());
  X509_STORE_CTX_set_time(
      context.get(), 0,
      std::chrono::system_clock::to_time_t(
          std::chrono::time_point_cast<std::chrono::system_clock::duration>(at)));
  // Go trusts any certificate of the pool, self-signed or not.
  X509_STORE_CTX_set_flags(context.get(), X509_V_FLAG_PARTIAL_CHAIN);
  if (X509_verify_cert(context.get()) == 1) return {};
  const int reason = X509_STORE_CTX_get_error(context.get());
  forget_openssl_errors();
  return Error(ErrorCode::Credentials,
               "the certificate of " + chain.front().subject() +
                   " is not trusted: " + X509_verify_cert_error_string(reason));
}

}  // namespace kube::certificate
