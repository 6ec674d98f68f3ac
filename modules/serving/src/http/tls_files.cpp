// SPDX-License-Identifier: Apache-2.0
#include "http/tls_files.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include <kube/base/file.hpp>

namespace kube::serving {
namespace {

namespace asio = boost::asio;

Error wrong_pem(const std::string& what, const std::string& file, const std::string& why) {
  return Error(ErrorCode::InvalidArgument, what + " \"" + file + "\": " + why);
}

/// Returns the last error of OpenSSL in words, and forgets it.
std::string openssl_reason() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason != nullptr ? reason : "unknown error";
}

/// "line 12: " for the block of PEM that begins at or after a place; empty when there is none.
std::string line_of_block(std::string_view text, std::size_t from) {
  const std::size_t begin = text.find("-----BEGIN", from);
  if (begin == std::string_view::npos) return {};
  const std::string_view before = text.substr(0, begin);
  return "line " + std::to_string(std::ranges::count(before, '\n') + 1) + ": ";
}

/// Reads the blocks of a PEM text.
class PemText {
 public:
  explicit PemText(std::string_view text)
      : text_(text), source_(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))) {}
  ~PemText() { BIO_free(source_); }
  PemText(const PemText&) = delete;
  PemText& operator=(const PemText&) = delete;

  BIO* source() const { return source_; }
  std::size_t position() const { return text_.size() - BIO_ctrl_pending(source_); }

 private:
  std::string_view text_;
  BIO* source_;
};

/// Reads all certificates: a context would not say which one is wrong.
Result<void> check_certificates(const std::string& text, const std::string& file) {
  const PemText pem(text);
  for (std::size_t count = 0;; ++count) {
    const std::size_t begin = pem.position();
    X509* const certificate = PEM_read_bio_X509(pem.source(), nullptr, nullptr, nullptr);
    X509_free(certificate);
    if (certificate != nullptr) continue;
    const bool is_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    const std::string why = openssl_reason();
    if (is_end && count > 0) return {};
    return wrong_pem("certificate file", file,
                     line_of_block(text, begin) + "expected a certificate in PEM: " + why);
  }
}

Result<void> check_key(const std::string& text, const std::string& file) {
  const PemText pem(text);
  // An encrypted key must not make the server ask its terminal.
  const auto no_password = [](char*, int, int, void*) { return -1; };
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(pem.source(), nullptr, no_password, nullptr);
  EVP_PKEY_free(key);
  if (key != nullptr) return {};
  return wrong_pem(
      "key file", file,
      line_of_block(text, 0) + "expected a key in PEM, not encrypted: " + openssl_reason());
}

Result<std::string> read_pem(const std::string& what, const std::string& file) {
  auto text = read_file(file, kMaxSmallFileBytes);
  if (!text) return Error(ErrorCode::InvalidArgument, what + " " + text.error().message());
  return text;
}

}  // namespace

Result<bool> TlsFiles::read() {
  auto certificate = read_pem("certificate file", certificate_file_);
  if (!certificate) return certificate.error();
  auto key = read_pem("key file", key_file_);
  if (!key) return key.error();
  {
    const MutexLock lock(mutex_);
    if (context_ && certificate_ == *certificate && key_ == *key) return false;
  }
  ERR_clear_error();
  if (auto good = check_certificates(*certificate, certificate_file_); !good) return good.error();
  if (auto good = check_key(*key, key_file_); !good) return good.error();

  auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
  boost::system::error_code error;
  context->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                           asio::ssl::context::no_tlsv1_1,
                       error);
  context->use_certificate_chain(asio::buffer(*certificate), error);
  if (error) return wrong_pem("certificate file", certificate_file_, error.message());
  context->use_private_key(asio::buffer(*key), asio::ssl::context::pem, error);
  if (error) {
    return wrong_pem(
        "key file", key_file_,
        "expected the key of the certificate in \"" + certificate_file_ + "\": " + error.message());
  }
  const MutexLock lock(mutex_);
  certificate_ = *std::move(certificate);
  key_ = *std::move(key);
  context_ = std::move(context);
  return true;
}

TlsFiles::Context TlsFiles::context() const {
  const MutexLock lock(mutex_);
  return context_;
}

}  // namespace kube::serving
