// SPDX-License-Identifier: Apache-2.0
//
// ClusterTrustBundles.
#include <openssl/x509v3.h>

#include <algorithm>
#include <string>

#include "validation/checks.hpp"
#include "validation/groups.hpp"
#include "validation/pem_blocks.hpp"

namespace kube::apiserver {
namespace {

using meta::FieldError;
using meta::FieldPath;

// The bundle of a signer is named after it.
std::vector<std::string> bundle_name_problems(std::string_view name, std::string_view signer) {
  if (signer.empty()) {
    if (name.find(':') != std::string_view::npos)
      return {"ClusterTrustBundle without signer name must not have \":\" in its name"};
    return meta::validate_dns1123_subdomain(name);
  }
  std::string prefix(signer);
  std::ranges::replace(prefix, '/', ':');
  prefix += ':';
  if (!name.starts_with(prefix))
    return {"ClusterTrustBundle for signerName " + std::string(signer) +
            " must be named with prefix " + prefix};
  return meta::validate_dns1123_subdomain(name.substr(prefix.size()));
}

std::string anchor_problem(const PemBlock& block) {
  if (block.type != "CERTIFICATE") return "has bad block type: " + block.type;
  if (block.has_headers) return "has PEM block headers";
  const Certificate certificate = read_certificate(block.bytes);
  if (certificate == nullptr) return "does not parse as X.509";
  if ((X509_get_extension_flags(certificate.get()) & EXFLAG_CA) == 0)
    return "does not have the CA bit set";
  return {};
}

// A bundle that stays is not read again.
void check_anchors(const Place& spec) {
  const std::string_view text = spec.text("trustBundle");
  const json::Value* before = spec.walk().before;
  if (before != nullptr && before->string_at({"spec", "trustBundle"}) == text) return;
  const std::vector<PemBlock> blocks = pem_blocks(text);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (const std::string problem = anchor_problem(blocks[i]); !problem.empty())
      spec.invalid("trustBundle", "<value omitted>", "entry " + std::to_string(i) + " " + problem);
  }
  if (blocks.empty())
    spec.invalid("trustBundle", "<value omitted>", "at least one trust anchor must be provided");
}

void check_bundle(const Place& spec) {
  const std::string_view name = spec.root().value().string_at({"metadata", "name"});
  if (!name.empty())
    report_problems(spec, FieldPath("metadata").child("name"), name,
                    bundle_name_problems(name, spec.text("signerName")));
  if (!spec.is_empty("signerName")) check_signer_name(spec, "signerName");
  check_anchors(spec);
}

constexpr Rule kBundleRules[] = {rules::call(check_bundle)};

constexpr TypeRules kBundleTypes[] = {
    {"certificates.v1.ClusterTrustBundleSpec", kBundleRules},
};

}  // namespace

std::span<const TypeRules> trust_bundle_types() {
  return kBundleTypes;
}

}  // namespace kube::apiserver
