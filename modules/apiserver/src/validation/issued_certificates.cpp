// SPDX-License-Identifier: Apache-2.0
#include "validation/issued_certificates.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <kube/json/base64.hpp>
#include <kube/names/go_text.hpp>
#include <kube/names/time.hpp>

#include "validation/pem_blocks.hpp"

namespace kube::apiserver {
namespace {

using AlternativeNames = std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)>;

bool is_of_request(const Certificate& certificate, const Place& status) {
  const auto bytes =
      json::read_base64(status.root().value().string_at({"spec", "stubPKCS10Request"}));
  const SigningRequest request = read_signing_request(bytes ? *bytes : std::string{});
  EVP_PKEY* wanted = request == nullptr ? nullptr : X509_REQ_get0_pubkey(request.get());
  EVP_PKEY* key = X509_get0_pubkey(certificate.get());
  return wanted != nullptr && key != nullptr && EVP_PKEY_eq(wanted, key) == 1;
}

std::vector<std::string> names_of(const Certificate& certificate, int kind) {
  const AlternativeNames names(static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(
                                   certificate.get(), NID_subject_alt_name, nullptr, nullptr)),
                               GENERAL_NAMES_free);
  ERR_clear_error();
  std::vector<std::string> out;
  const int count = names == nullptr ? 0 : sk_GENERAL_NAME_num(names.get());
  for (int i = 0; i < count; ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type != kind) continue;
    const ASN1_IA5STRING* text = name->d.ia5;
    out.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                     static_cast<std::size_t>(ASN1_STRING_length(text)));
  }
  return out;
}

bool is_email(std::string_view text) {
  const std::size_t at = text.rfind('@');
  return at != std::string_view::npos && at != 0 && at + 1 != text.size() &&
         text.find_first_of(" \t\r\n") == std::string_view::npos;
}

void check_names(const Place& status, const Certificate& leaf) {
  const auto refuse = [&](std::string_view name, std::string text) {
    status.invalid("certificateChain", std::string(name), std::move(text));
  };
  for (const std::string& name : names_of(leaf, GEN_DNS)) {
    if (name.empty()) refuse(name, "leaf certificate should not contain empty DNSName");
    if (name.find("..") != std::string::npos)
      refuse(name, "leaf certificate's DNSName should not contain '..'");
    if (name.starts_with('.') || name.ends_with('.'))
      refuse(name, "leaf certificate's DNSName should not start or end with '.'");
  }
  for (const std::string& name : names_of(leaf, GEN_EMAIL)) {
    if (!is_email(name)) refuse(name, "leaf certificate should not contain invalid EmailAddress");
  }
}

std::int64_t seconds_of(const ASN1_TIME* time) {
  std::tm parts{};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
}

std::int64_t seconds_of(std::string_view text) {
  const auto time = meta::Time::parse(text);
  return time ? time->unix_seconds() : 0;
}

bool has_times(const Place& status) {
  for (const std::string_view field : {"notBefore", "notAfter"})
    if (!status.has(field))
      status.required(field, "must be present and consistent with the issued certificate");
  if (!status.has("beginRefreshAt"))
    status.required("beginRefreshAt",
                    "must be present and in the range [notbefore+10min, notafter-10min]");
  return status.has("notBefore") && status.has("notAfter") && status.has("beginRefreshAt");
}

// Only the first thing that is wrong is told.
void check_times(const Place& status, const Certificate& leaf) {
  constexpr std::int64_t kSkew = 300;
  constexpr std::int64_t kMargin = 600;
  constexpr std::int64_t kHour = 3600;
  const std::int64_t start = seconds_of(X509_get0_notBefore(leaf.get()));
  const std::int64_t end = seconds_of(X509_get0_notAfter(leaf.get()));
  if (seconds_of(status.text("notBefore")) != start)
    return status.invalid("notBefore",
                          "must be set to the NotBefore time encoded in the leaf certificate");
  if (std::abs(start - seconds_of(status.walk().now)) >= kSkew)
    return status.invalid("notBefore",
                          "must be set to within 5 minutes of kube-apiserver's current time");
  if (seconds_of(status.text("notAfter")) != end)
    return status.invalid("notAfter",
                          "must be set to the NotAfter time encoded in the leaf certificate");
  const std::int64_t lifetime = end - start;
  const std::int64_t most =
      status.root().value().int_at({"spec", "maxExpirationSeconds"}).value_or(0);
  const auto refuse_lifetime = [&](const std::string& bound) {
    status.invalid("certificateChain",
                   std::chrono::nanoseconds(std::chrono::seconds(lifetime)).count(),
                   "leaf certificate lifetime must be " + bound);
  };
  if (lifetime < kHour) return refuse_lifetime(">= 1 hour");
  if (lifetime > most)
    return refuse_lifetime("<= spec.maxExpirationSeconds (" + std::to_string(most) + ")");
  const std::int64_t refresh = seconds_of(status.text("beginRefreshAt"));
  if (refresh < start + kMargin) {
    status.invalid("beginRefreshAt", "must be at least 10 minutes after status.notBefore");
  } else if (refresh > end - kMargin) {
    status.invalid("beginRefreshAt", "must be at least 10 minutes before status.notAfter");
  }
}

}  // namespace

void check_issued(const Place& status) {
  constexpr std::size_t kMaxChain = 100 * 1024;
  if (status.text("certificateChain").size() > kMaxChain)
    return status.report(meta::FieldError::too_long(status.path("certificateChain"), kMaxChain));
  const std::vector<PemBlock> chain = pem_blocks(status.text("certificateChain"));
  const std::size_t known = status.walk().errors.size();
  const auto refuse = [&](std::string_view text) {
    status.invalid("certificateChain", std::string(text));
  };
  if (chain.empty())
    return refuse("issued certificate chain must contain at least one certificate");
  if (chain[0].type != "CERTIFICATE")
    return refuse("issued certificate chain must consist entirely of CERTIFICATE PEM blocks");
  const Certificate leaf = read_certificate(chain[0].bytes);
  if (leaf == nullptr) return refuse("leaf certificate does not parse as valid X.509");
  check_names(status, leaf);
  if (!is_of_request(leaf, status))
    return refuse("leaf certificate was not issued to the requested public key");
  if (!has_times(status) || status.walk().errors.size() != known) return;
  check_times(status, leaf);
  if (status.walk().errors.size() != known) return;
  for (std::size_t i = 1; i < chain.size(); ++i) {
    // As the reference server writes it.
    if (chain[i].type != "CERTIFICATE")
      return refuse("issued certificate chain must consist entirely of CERTFICATE PEM blocks");
    if (read_certificate(chain[i].bytes) == nullptr)
      return refuse("intermediate certificate does not parse as valid X.509");
  }
}

}  // namespace kube::apiserver
