// SPDX-License-Identifier: Apache-2.0
#include "tls_alert.hpp"

#include <openssl/ssl.h>

namespace kube::transport {
namespace {

using SharedAlert = std::shared_ptr<TlsAlert>;

void free_alert(void* /*context*/, void* alert, CRYPTO_EX_DATA* /*data*/, int /*index*/,
                long /*argument*/, void* /*user*/) {
  delete static_cast<SharedAlert*>(alert);
}

int alert_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, free_alert);
  return index;
}

void on_tls_event(const SSL* session, int where, int value) {
  if ((where & SSL_CB_READ_ALERT) != SSL_CB_READ_ALERT) return;
  const int number = value & 0xff;  // before it, whether it is a warning
  const void* const alert = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), alert_index());
  if (alert == nullptr || number == SSL_AD_CLOSE_NOTIFY) return;
  (*static_cast<const SharedAlert*>(alert))->number = number;
}

// curl makes a context for each connection.
CURLcode prepare_context(CURL* /*easy*/, void* context, void* alert) {
  auto* const tls = static_cast<SSL_CTX*>(context);
  auto kept = std::make_unique<SharedAlert>(*static_cast<SharedAlert*>(alert));
  if (SSL_CTX_set_ex_data(tls, alert_index(), kept.get()) != 1) return CURLE_OUT_OF_MEMORY;
  (void)kept.release();  // free_alert() has it
  SSL_CTX_set_info_callback(tls, on_tls_event);
  return CURLE_OK;
}

}  // namespace

bool TlsAlert::is_about_certificates() const {
  switch (number) {
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_EXPIRED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_ACCESS_DENIED:
    case SSL_AD_CERTIFICATE_REQUIRED:
      return true;
    default:
      return false;
  }
}

void note_alerts(CURL* easy, SharedAlert* alert) {
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, prepare_context);
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, alert);
}

std::shared_ptr<TlsAlert> alert_of(ssl_st* session) {
  if (session == nullptr) return nullptr;
  const void* const alert = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(session), alert_index());
  return alert == nullptr ? nullptr : *static_cast<const SharedAlert*>(alert);
}

}  // namespace kube::transport
