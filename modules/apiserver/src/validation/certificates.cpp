// SPDX-License-Identifier: Apache-2.0
//
// CertificateSigningRequests, PodCertificateRequests.
#include <openssl/x509.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include <kube/json/base64.hpp>
#include <kube/names/go_text.hpp>

#include "validation/checks.hpp"
#include "validation/groups.hpp"
#include "validation/issued_certificates.hpp"
#include "validation/pem_blocks.hpp"

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
  const auto text = json::read_base64(spec.text("request"));
  const std::vector<PemBlock> blocks = text ? pem_blocks(*text) : std::vector<PemBlock>{};
  if (blocks.empty() || blocks[0].type != "CERTIFICATE REQUEST")
    return spec.invalid("request", "PEM block type must be CERTIFICATE REQUEST");
  const SigningRequest request = read_signing_request(blocks[0].bytes);
  std::string problem =
      request == nullptr ? unreadable_signing_request(blocks[0].bytes) : signature_problem(request);
  if (!problem.empty()) spec.invalid("request", std::move(problem));
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

void check_signer(const Place& spec) {
  if (spec.text("signerName") == "kubernetes.io/legacy-unknown")
    return spec.invalid("signerName", "the legacy signerName is not allowed via this API version");
  check_signer_name(spec, "signerName");
}

void check_uid(const Place& place, std::string_view field) {
  constexpr std::size_t kMaxUid = 128;
  if (place.is_empty(field)) place.invalid(field, "", "must not be empty");
  if (place.text(field).size() > kMaxUid)
    place.report(FieldError::too_long(place.path(field), kMaxUid));
}

void check_subdomain(const Place& place, std::string_view field) {
  place.problems(field, meta::validate_dns1123_subdomain(place.text(field)));
}

// The error shows no value.
void report_alone(const Place& place, const FieldPath& path, std::string detail) {
  FieldError error = FieldError::invalid(path, {}, std::move(detail));
  error.bad_value.reset();
  place.report(std::move(error));
}

std::string request_problem(std::string_view base64) {
  const auto bytes = json::read_base64(base64);
  const SigningRequest request = read_signing_request(bytes ? *bytes : std::string{});
  if (request == nullptr) return "must be a valid PKCS#10 CSR";
  EVP_PKEY* key = X509_REQ_get0_pubkey(request.get());
  const int type = key == nullptr ? EVP_PKEY_NONE : EVP_PKEY_base_id(key);
  if (type != EVP_PKEY_RSA && type != EVP_PKEY_EC && type != EVP_PKEY_ED25519)
    return "unknown public key type; supported types are Ed25519, ECDSA, and RSA";
  return X509_REQ_verify(request.get(), key) == 1 ? std::string{} : "invalid signature";
}

void check_key_of_request(const Place& spec) {
  if (spec.is_empty("stubPKCS10Request")) {
    report_alone(
        spec, spec.path(),
        "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set");
  } else if (std::string problem = request_problem(spec.text("stubPKCS10Request"));
             !problem.empty()) {
    report_alone(spec, spec.path("stubPKCS10Request"), std::move(problem));
  }
}

// An update may not change the spec, and does not read it again.
void check_pod_request(const Place& spec) {
  constexpr std::int64_t kMinSeconds = 3600;
  const std::int64_t max_seconds = max_certificate_seconds(spec.text("signerName"));
  if (spec.walk().before != nullptr) return;
  check_signer_name(spec, "signerName");
  check_domain_keys(spec, "unverifiedUserAnnotations");
  check_subdomain(spec, "podName");
  check_uid(spec, "podUID");
  check_subdomain(spec, "serviceAccountName");
  check_uid(spec, "serviceAccountUID");
  check_subdomain(spec, "nodeName");
  check_uid(spec, "nodeUID");
  const auto seconds = spec.number("maxExpirationSeconds");
  if (!seconds) {
    spec.required("maxExpirationSeconds", "must be set");
  } else if (*seconds < kMinSeconds || *seconds > max_seconds) {
    spec.invalid("maxExpirationSeconds", "must be in the range [" + std::to_string(kMinSeconds) +
                                             ", " + std::to_string(max_seconds) + "]");
  }
  check_key_of_request(spec);
}

constexpr std::string_view kApprovals[] = {"Approved", "Denied"};
constexpr std::string_view kOneWayConditions[] = {"Approved", "Denied", "Failed"};
constexpr std::string_view kYes[] = {"True"};
constexpr std::string_view kAnyStatus[] = {"False", "True", "Unknown"};

void check_signing_condition(const Place& condition) {
  const std::string_view type = condition.text("type");
  const std::string_view status = condition.text("status");
  const bool one_way = std::ranges::find(kOneWayConditions, type) != std::end(kOneWayConditions);
  const Words words = one_way ? Words(kYes) : Words(kAnyStatus);
  if (type.empty()) condition.required("type");
  if (status.empty()) {
    condition.required("status");
  } else if (std::ranges::find(words, status) == words.end()) {
    condition.not_supported("status", words);
  }
}

std::vector<json::Value> conditions_of(const json::Value* status, std::string_view type) {
  std::vector<json::Value> out;
  if (status == nullptr) return out;
  for (const json::Value& each : status->array_at({"conditions"})) {
    if (each.string_at({"type"}) == type) out.push_back(each);
  }
  return out;
}

void check_one_decision(const Place& status) {
  if (conditions_of(&status.value(), "Approved").empty() ||
      conditions_of(&status.value(), "Denied").empty())
    return;
  status.report_late(
      FieldError::invalid(status.path("conditions"),
                          R"({conditions[{"type": "Approved"}], conditions[{"type": "Denied"}]})",
                          R"(must specify at most one of: `conditions[{"type": "Approved"}]`, )"
                          R"(`conditions[{"type": "Denied"}]`)"));
}

// Requests are approved and denied through the subresource approval.
void check_approvals(const Place& status, const json::Value* before) {
  const auto forbid = [&](std::string_view verb, std::string_view type) {
    status.forbidden("conditions", "updates may not " + std::string(verb) +
                                       " a condition of type \"" + std::string(type) + "\"");
  };
  for (const std::string_view type : kOneWayConditions) {
    if (conditions_of(&status.value(), type).size() < conditions_of(before, type).size())
      forbid("remove", type);
  }
  if (status.walk().approves) return;
  for (const std::string_view type : kApprovals) {
    const auto now = conditions_of(&status.value(), type);
    const auto then = conditions_of(before, type);
    if (now.size() > then.size()) forbid("add", type);
    if (now.size() == then.size() && now != then) forbid("modify", type);
  }
}

bool has_type_twice(const json::Value& status) {
  std::set<std::string_view> types;
  return std::ranges::any_of(status.array_at({"conditions"}), [&](const json::Value& each) {
    return !types.insert(each.string_at({"type"})).second;
  });
}

std::string certificate_problem(std::string_view base64) {
  const auto text = json::read_base64(base64);
  const std::vector<PemBlock> blocks = text ? pem_blocks(*text) : std::vector<PemBlock>{};
  for (const PemBlock& block : blocks) {
    if (block.type != "CERTIFICATE")
      return "only CERTIFICATE PEM blocks are allowed, found " + go::quote(block.type);
    if (block.has_headers) return "no PEM block headers are permitted";
    if (read_certificate(block.bytes) == nullptr) return unreadable_certificate(block.bytes);
  }
  return blocks.empty() ? "must contain at least one CERTIFICATE PEM block" : std::string{};
}

void check_signing_status(const Place& status) {
  const json::Value* root = status.walk().before;
  const json::Value* before = root == nullptr ? nullptr : root->at_path({"status"});
  const std::string_view certificate = status.text("certificate");
  const std::string_view old =
      before == nullptr ? std::string_view{} : before->string_at({"certificate"});
  if (!certificate.empty() && certificate != old) {
    if (std::string problem = certificate_problem(certificate); !problem.empty())
      status.invalid("certificate", "<certificate data>", std::move(problem));
  }
  const bool may_be_twice = before != nullptr && has_type_twice(*before);
  std::set<std::string_view> types;
  status.each("conditions", [&](const Place& condition) {
    check_signing_condition(condition);
    if (!types.insert(condition.text("type")).second && !may_be_twice) condition.duplicate("type");
  });
  check_one_decision(status);
  check_approvals(status, before);
  if (!old.empty() && certificate != old)
    status.forbidden("certificate", "updates may not modify existing certificate content");
}

constexpr std::string_view kOutcomes[] = {"Issued", "Denied", "Failed"};

std::string_view outcome_of(const json::Value* status) {
  if (status == nullptr) return {};
  for (const json::Value& each : status->array_at({"conditions"})) {
    const auto* known = std::ranges::find(kOutcomes, each.string_at({"type"}));
    if (known != std::end(kOutcomes)) return *known;
  }
  return {};
}

// The errors are at "conditions.[0]", as the server has them.
void check_outcomes(const Place& status) {
  std::size_t at = 0;
  std::size_t known = 0;
  status.each("conditions", [&](const Place& condition) {
    const FieldPath path = status.path("conditions").child("[" + std::to_string(at++) + "]");
    const std::string_view type = condition.text("type");
    if (std::ranges::find(kOutcomes, type) == std::end(kOutcomes)) {
      condition.report(FieldError::not_supported(path.child("type"), type, texts_of(kOutcomes)));
      return;
    }
    if (++known > 1)
      condition.report(FieldError::invalid(
          path.child("type"), type,
          R"(There may be at most one condition with type "Issued", "Denied", or "Failed")"));
    if (condition.text("status") != "True")
      condition.report(FieldError::not_supported(path.child("status"), condition.text("status"),
                                                 texts_of(kYes)));
  });
}

bool has_outcome_alone(const Place& status, const json::Value* before) {
  const json::Object none;
  const json::Object* old = before == nullptr ? &none : before->if_object();
  const json::Object* now = status.value().if_object();
  if (now == nullptr || old == nullptr) return true;
  return std::ranges::all_of(*now, [&](const auto& member) {
    if (member.first == "conditions") return true;
    const json::Value* same = old->find(member.first);
    return same != nullptr && *same == member.second;
  });
}

void check_pod_request_status(const Place& status) {
  const json::Value* root = status.walk().before;
  const json::Value* before = root == nullptr ? nullptr : root->at_path({"status"});
  const std::size_t known = status.walk().errors.size();
  check_outcomes(status);
  check_conditions_of(status, "conditions");
  if (status.walk().errors.size() != known) return;
  const bool same =
      before == nullptr ? status.value() == json::Value(json::Object{}) : status.value() == *before;
  const std::string_view outcome = outcome_of(&status.value());
  if (!outcome_of(before).empty()) {
    if (!same)
      report_alone(status, status.path(),
                   "immutable after PodCertificateRequest is issued, denied, or failed");
  } else if (outcome == "Denied" || outcome == "Failed") {
    if (!has_outcome_alone(status, before))
      report_alone(status, status.path(),
                   "non-condition status fields must be empty when denying or failing the "
                   "PodCertificateRequest");
  } else if (outcome == "Issued") {
    check_issued(status);
  } else if (outcome.empty() && !same) {
    report_alone(status, status.path(),
                 R"(status is immutable unless transitioning to "Issued", "Denied", or "Failed")");
  }
}

constexpr Rule kSigningStatusRules[] = {rules::call("conditions", check_signing_status)};
constexpr Rule kPodRequestRules[] = {rules::call(check_pod_request)};
constexpr Rule kPodRequestStatusRules[] = {rules::call("conditions", check_pod_request_status)};
constexpr Rule kSigningRequestRules[] = {
    rules::call(check_request), rules::call(check_usages), rules::call(check_signer),
    rules::at_least("expirationSeconds", 600,
                    "may not specify a duration less than 600 seconds (10 minutes)")};

constexpr TypeRules kCertificateTypes[] = {
    {"certificates.v1.CertificateSigningRequestSpec", kSigningRequestRules},
    {"certificates.v1.CertificateSigningRequestStatus", kSigningStatusRules},
    {"certificates.v1.PodCertificateRequestSpec", kPodRequestRules},
    {"certificates.v1.PodCertificateRequestStatus", kPodRequestStatusRules},
};

}  // namespace

std::span<const TypeRules> certificate_types() {
  return kCertificateTypes;
}

}  // namespace kube::apiserver
