// SPDX-License-Identifier: Apache-2.0
//
// CertificateSigningRequests.
#include <algorithm>

#include <kube/json/base64.hpp>
#include <kube/names/go_text.hpp>

#include "validation/checks.hpp"
#include "validation/groups.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

constexpr std::string_view kUsages[] = {"any",
                                        "cert sign",
                                        "client auth",
                                        "code signing",
                                        "content commitment",
                                        "crl sign",
                                        "data encipherment",
                                        "decipher only",
                                        "digital signature",
                                        "email protection",
                                        "encipher only",
                                        "ipsec end system",
                                        "ipsec tunnel",
                                        "ipsec user",
                                        "key agreement",
                                        "key encipherment",
                                        "microsoft sgc",
                                        "netscape sgc",
                                        "ocsp signing",
                                        "s/mime",
                                        "server auth",
                                        "signing",
                                        "timestamping"};

void check_request(const Place& spec) {
  const auto bytes = json::read_base64(spec.text("request"));
  if (bytes && bytes->find("-----BEGIN CERTIFICATE REQUEST-----") != std::string::npos) return;
  spec.invalid("request", "PEM block type must be CERTIFICATE REQUEST");
}

void check_usages(const Place& spec) {
  const json::Array& usages = spec.list("usages");
  if (usages.empty()) spec.required("usages");
  for (std::size_t i = 0; i < usages.size(); ++i) {
    const std::string_view usage = usages[i].string_or_empty();
    if (std::ranges::find(kUsages, usage) == std::end(kUsages))
      spec.report(FieldError::not_supported(spec.path("usages", i), usage, texts_of(kUsages)));
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < usages.size(); ++i) {
    if (!seen.insert(usages[i].string_or_empty()).second)
      spec.report(FieldError::duplicate(spec.path("usages", i), usages[i]));
  }
}

// "example.com/signer-name"
void check_signer(const Place& spec) {
  const std::string_view name = spec.text("signerName");
  if (name.empty()) return spec.required("signerName");
  if (name == "kubernetes.io/legacy-unknown")
    return spec.invalid("signerName", "the legacy signerName is not allowed via this API version");
  const auto parts = go::split(name, '/');
  if (parts.size() != 2)
    return spec.invalid(
        "signerName",
        "must be a fully qualified domain and path of the form 'example.com/signer-name'");
  const auto check_parts = [&](std::string_view part, meta::Problems (*format)(std::string_view)) {
    for (const std::string_view label : go::split(part, '.')) {
      const meta::Problems problems = format(label);
      for (const std::string& problem : problems)
        spec.invalid("signerName", part, "validating label " + go::quote(label) + ": " + problem);
      if (!problems.empty()) return;
    }
  };
  check_parts(parts[0], meta::validate_dns1123_label);
  if (parts[0].find('.') == std::string_view::npos)
    spec.invalid("signerName", parts[0],
                 "should be a domain with at least two segments separated by dots");
  check_parts(parts[1], meta::validate_dns1123_subdomain);
}

constexpr Rule kSigningRequestRules[] = {
    rules::call(check_request), rules::call(check_usages), rules::call(check_signer),
    rules::at_least("expirationSeconds", 600,
                    "may not specify a duration less than 600 seconds (10 minutes)")};

constexpr TypeRules kCertificateTypes[] = {
    {"certificates.v1.CertificateSigningRequestSpec", kSigningRequestRules},
};

}  // namespace

std::span<const TypeRules> certificate_types() {
  return kCertificateTypes;
}

}  // namespace kube::apiserver
