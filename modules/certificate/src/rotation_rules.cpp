// SPDX-License-Identifier: Apache-2.0
#include "rotation_rules.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "openssl.hpp"

namespace kube::certificate {
namespace {

constexpr int kStrongRsaBits = 2048;
constexpr int kStrongEcdsaBits = 256;

bool has_all(const std::vector<std::string>& found, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& name) {
    return std::find(found.begin(), found.end(), name) != found.end();
  });
}

}  // namespace

Result<void> check_strength(const PrivateKey& key) {
  int required = 0;
  if (key.type() == KeyType::Rsa) required = kStrongRsaBits;
  if (key.type() == KeyType::Ecdsa) required = kStrongEcdsaBits;
  if (key.bits() >= required) return {};
  return Error(ErrorCode::InvalidArgument,
               "the new key is insecure: " + std::string(to_string(key.type())) + " key size " +
                   std::to_string(key.bits()) + " bits is below the minimum of " +
                   std::to_string(required));
}

bool satisfies(const Certificate& leaf, const RequestTemplate& wanted) {
  const auto names = alternative_names({}, wanted.ip_addresses);
  return names && wanted.common_name == leaf.common_name() &&
         has_all(leaf.dns_names(), wanted.dns_names) &&
         // In the form in which certificates have them: fd00::1, not FD00:0::1.
         has_all(leaf.ip_addresses(), ip_addresses_of(names->get())) &&
         has_all(leaf.organizations(), wanted.organizations);
}

}  // namespace kube::certificate
