// SPDX-License-Identifier: Apache-2.0
//
// CertificateSigningRequests, PodCertificateRequests, ClusterTrustBundles.
#include <openssl/x509.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

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

void check_signer(const Place& spec) {
  if (spec.text("signerName") == "kubernetes.io/legacy-unknown")
    return spec.invalid("signerName", "the legacy signerName is not allowed via this API version");
  check_signer_name(spec, "signerName");
}

void check_filled(const Place& place, std::string_view field) {
  if (place.is_empty(field)) place.invalid(field, "", "must not be empty");
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

bool is_certificate_request(std::string_view base64) {
  const auto bytes = json::read_base64(base64);
  if (!bytes) return false;
  const auto* at = reinterpret_cast<const unsigned char*>(bytes->data());
  const std::unique_ptr<X509_REQ, decltype(&X509_REQ_free)> read(
      d2i_X509_REQ(nullptr, &at, static_cast<long>(bytes->size())), X509_REQ_free);
  return read != nullptr;
}

void check_key_of_request(const Place& spec) {
  if (spec.is_empty("stubPKCS10Request")) {
    report_alone(
        spec, spec.path(),
        "exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set");
  } else if (!is_certificate_request(spec.text("stubPKCS10Request"))) {
    report_alone(spec, spec.path("stubPKCS10Request"), "must be a valid PKCS#10 CSR");
  }
}

// An update may not change the spec, and does not read it again.
void check_pod_request(const Place& spec) {
  constexpr std::int64_t kMinSeconds = 3600;
  constexpr std::int64_t kMaxSeconds = std::int64_t{91} * 24 * 3600;
  if (spec.walk().before != nullptr) return;
  check_signer_name(spec, "signerName");
  check_domain_keys(spec, "unverifiedUserAnnotations");
  check_subdomain(spec, "podName");
  check_filled(spec, "podUID");
  check_subdomain(spec, "serviceAccountName");
  check_filled(spec, "serviceAccountUID");
  check_subdomain(spec, "nodeName");
  check_filled(spec, "nodeUID");
  const auto seconds = spec.number("maxExpirationSeconds");
  if (!seconds) {
    spec.required("maxExpirationSeconds", "must be set");
  } else if (*seconds < kMinSeconds || *seconds > kMaxSeconds) {
    spec.invalid("maxExpirationSeconds", "must be in the range [" + std::to_string(kMinSeconds) +
                                             ", " + std::to_string(kMaxSeconds) + "]");
  }
  check_key_of_request(spec);
}

// The bundle of a signer is named after it.
void check_bundle_name(const Place& spec) {
  const std::string_view signer = spec.text("signerName");
  const std::string_view name = spec.root().value().string_at({"metadata", "name"});
  const FieldPath path = FieldPath("metadata").child("name");
  if (signer.empty()) {
    if (name.find(':') != std::string_view::npos)
      spec.report(FieldError::invalid(
          path, name, "ClusterTrustBundle without signer name must not have \":\" in its name"));
    return;
  }
  std::string prefix(signer);
  std::ranges::replace(prefix, '/', ':');
  prefix += ':';
  if (!name.starts_with(prefix))
    spec.report(FieldError::invalid(path, name,
                                    "ClusterTrustBundle for signerName " + std::string(signer) +
                                        " must be named with prefix " + prefix));
}

void check_bundle(const Place& spec) {
  check_bundle_name(spec);
  if (!spec.is_empty("signerName")) check_signer_name(spec, "signerName");
  if (spec.text("trustBundle").find("-----BEGIN CERTIFICATE-----") == std::string_view::npos)
    spec.invalid("trustBundle", "<value omitted>", "at least one trust anchor must be provided");
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
  status.invalid("conditions",
                 R"({conditions[{"type": "Approved"}], conditions[{"type": "Denied"}]})",
                 R"(must specify at most one of: `conditions[{"type": "Approved"}]`, )"
                 R"(`conditions[{"type": "Denied"}]`)");
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

void check_signing_status(const Place& status) {
  const json::Value* root = status.walk().before;
  const json::Value* before = root == nullptr ? nullptr : root->at_path({"status"});
  const std::string_view certificate = status.text("certificate");
  const std::string_view old =
      before == nullptr ? std::string_view{} : before->string_at({"certificate"});
  const auto bytes = json::read_base64(certificate);
  if (!certificate.empty() && certificate != old &&
      (!bytes || bytes->find("-----BEGIN CERTIFICATE-----") == std::string::npos))
    status.invalid("certificate", "<certificate data>",
                   "must contain at least one CERTIFICATE PEM block");
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
  } else if (outcome.empty() && !same) {
    report_alone(status, status.path(),
                 R"(status is immutable unless transitioning to "Issued", "Denied", or "Failed")");
  }
}

constexpr Rule kSigningStatusRules[] = {rules::call("conditions", check_signing_status)};
constexpr Rule kPodRequestRules[] = {rules::call(check_pod_request)};
constexpr Rule kPodRequestStatusRules[] = {rules::call("conditions", check_pod_request_status)};
constexpr Rule kBundleRules[] = {rules::call(check_bundle)};
constexpr Rule kSigningRequestRules[] = {
    rules::call(check_request), rules::call(check_usages), rules::call(check_signer),
    rules::at_least("expirationSeconds", 600,
                    "may not specify a duration less than 600 seconds (10 minutes)")};

constexpr TypeRules kCertificateTypes[] = {
    {"certificates.v1.CertificateSigningRequestSpec", kSigningRequestRules},
    {"certificates.v1.CertificateSigningRequestStatus", kSigningStatusRules},
    {"certificates.v1.PodCertificateRequestSpec", kPodRequestRules},
    {"certificates.v1.PodCertificateRequestStatus", kPodRequestStatusRules},
    {"certificates.v1.ClusterTrustBundleSpec", kBundleRules},
};

}  // namespace

std::span<const TypeRules> certificate_types() {
  return kCertificateTypes;
}

}  // namespace kube::apiserver
