// SPDX-License-Identifier: Apache-2.0
#include <kube/certificate/self_signed.hpp>

#include <array>
#include <filesystem>
#include <utility>

#include <openssl/rand.h>

#include <kube/base/file.hpp>
#include <kube/base/join.hpp>

#include "openssl.hpp"

namespace kube::certificate {
namespace {

constexpr std::chrono::hours kYear(365 * 24);
constexpr int kAuthorityYears = 10;
constexpr int kFixtureYears = 100;

struct NewCertificate {
  RequestTemplate names{};
  WallTime not_before{};
  WallTime not_after{};
  bool authority = false;
  const char* key_usage = "critical,digitalSignature,keyEncipherment";
  const char* extended_key_usage = nullptr;
};

WallTime now(const std::shared_ptr<Clock>& clock) {
  return (clock ? clock : real_clock())->wall_now();
}

bool set_time(ASN1_TIME* time, WallTime value) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(value.time_since_epoch());
  return ASN1_TIME_set(time, static_cast<time_t>(seconds.count())) != nullptr;
}

bool set_random_serial(X509* certificate) {
  std::array<unsigned char, 8> bytes{};
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) return false;
  bytes.front() = static_cast<unsigned char>((bytes.front() & 0x3FU) | 0x40U);  // positive, not 0
  const std::unique_ptr<BIGNUM, FreeWith<BN_free>> number(
      BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
  return number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// Signed by the issuer, or by itself without one.
Result<Certificate> build(const NewCertificate& wanted, EVP_PKEY* public_key, X509* issuer,
                          EVP_PKEY* signer) {
  const auto names = alternative_names(wanted.names.dns_names, wanted.names.ip_addresses);
  if (!names) return names.error();
  X509Ptr made(X509_new());
  X509* self = made.get();
  X509* parent = issuer != nullptr ? issuer : self;
  bool ok =
      X509_set_version(self, X509_VERSION_3) == 1 && set_random_serial(self) &&
      set_name(X509_get_subject_name(self), wanted.names.common_name, wanted.names.organizations) &&
      X509_set_issuer_name(self, X509_get_subject_name(parent)) == 1 &&
      set_time(X509_getm_notBefore(self), wanted.not_before) &&
      set_time(X509_getm_notAfter(self), wanted.not_after) &&
      X509_set_pubkey(self, public_key) == 1 &&
      add_extension(self, parent, NID_basic_constraints,
                    wanted.authority ? "critical,CA:TRUE" : "critical,CA:FALSE") &&
      add_extension(self, parent, NID_key_usage, wanted.key_usage) &&
      add_extension(self, parent, NID_subject_key_identifier, "hash") &&
      add_extension(self, parent, NID_authority_key_identifier, "keyid");
  if (ok && wanted.extended_key_usage != nullptr) {
    ok = add_extension(self, parent, NID_ext_key_usage, wanted.extended_key_usage);
  }
  if (ok && sk_GENERAL_NAME_num(names->get()) > 0) {
    ok = X509_add1_ext_i2d(self, NID_subject_alt_name, names->get(), 0, X509V3_ADD_DEFAULT) == 1;
  }
  if (!ok || X509_sign(self, signer, digest_for(signer)) <= 0) {
    return openssl_error("cannot make a certificate");
  }
  return make_certificate(std::move(made));
}

constexpr const char* kAuthorityUsage = "critical,digitalSignature,keyEncipherment,keyCertSign";

bool is_ip_address(const std::string& text) {
  return alternative_names({}, {text}).has_value();
}

// "HOST_IPS_NAMES" in the folder, without an extension.
Result<std::string> fixture_path(const SelfSignedOptions& options) {
  std::string name = options.host + "_" + join(options.alternate_ips, "-") + "_" +
                     join(options.alternate_dns, "-");
  if (name.find('/') != std::string::npos || name.find('\0') != std::string::npos) {
    return Error(ErrorCode::InvalidArgument, "a host with '/' can't name a fixture");
  }
  return (std::filesystem::path(options.fixture_folder) / name).string();
}

Result<PemPair> generate_pair(const SelfSignedOptions& options, std::chrono::seconds max_age) {
  const auto authority_key = PrivateKey::generate_rsa();
  if (!authority_key) return authority_key.error();
  const auto key = PrivateKey::generate_rsa();
  if (!key) return key.error();
  const WallTime today = now(options.clock);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(today.time_since_epoch()).count();
  const std::string at = "@" + std::to_string(seconds);
  NewCertificate wanted;
  wanted.not_before = today - std::chrono::hours(1);  // clocks differ
  wanted.not_after = wanted.not_before + max_age;
  NewCertificate authority = wanted;
  authority.names.common_name = options.host + "-ca" + at;
  authority.authority = true;
  authority.key_usage = kAuthorityUsage;
  EVP_PKEY* signer = authority_key->impl().key.get();
  const auto ca = build(authority, signer, nullptr, signer);
  if (!ca) return ca.error();

  wanted.names = {options.host + at, {}, options.alternate_dns, options.alternate_ips};
  auto& same_sort =
      is_ip_address(options.host) ? wanted.names.ip_addresses : wanted.names.dns_names;
  same_sort.insert(same_sort.begin(), options.host);
  wanted.extended_key_usage = "serverAuth";
  const auto leaf = build(wanted, key->impl().key.get(), ca->impl().x509.get(), signer);
  if (!leaf) return leaf.error();
  return PemPair{leaf->pem() + ca->pem(), key->pem()};
}

}  // namespace

Result<Certificate> self_signed_authority(const PrivateKey& key, const AuthorityOptions& options) {
  const WallTime today = now(options.clock);
  NewCertificate wanted;
  wanted.names = {options.common_name, options.organizations, {}, {}};
  if (!options.common_name.empty()) wanted.names.dns_names = {options.common_name};
  wanted.not_before = options.not_before.value_or(today);
  wanted.not_after = today + kAuthorityYears * kYear;
  wanted.authority = true;
  wanted.key_usage = kAuthorityUsage;
  EVP_PKEY* signer = key.impl().key.get();
  return build(wanted, signer, nullptr, signer);
}

Result<PemPair> self_signed_pair(const SelfSignedOptions& options) {
  if (options.fixture_folder.empty()) return generate_pair(options, options.max_age);
  const auto path = fixture_path(options);
  if (!path) return path.error();
  const std::string certificate_file = *path + ".crt";
  const std::string key_file = *path + ".key";
  auto certificate = read_file(certificate_file, kMaxSmallFileBytes);
  if (certificate) {
    auto key = read_file(key_file, kMaxSmallFileBytes);
    if (key) return PemPair{*std::move(certificate), *std::move(key)};
    return Error(ErrorCode::Config, "cert " + certificate_file + " can be read, but key " +
                                        key_file + " cannot: " + key.error().message());
  }
  auto made = generate_pair(options, kFixtureYears * kYear);
  if (!made) return made;
  const auto certificate_written = write_certificate(certificate_file, made->certificate);
  if (!certificate_written) return certificate_written.error();
  const auto key_written = write_key(key_file, made->key);
  if (!key_written) return key_written.error();
  return made;
}

Result<Certificate> sign_request(const Request& request, const Certificate& authority,
                                 const PrivateKey& authority_key, const SignOptions& options) {
  const PublicKey key = request.public_key();
  if (!request.signed_by(key)) {
    return Error(ErrorCode::Credentials,
                 "the request of " + request.subject() + " is not signed by its own key");
  }
  if (!(authority.public_key() == authority_key.public_key())) {
    return Error(ErrorCode::Credentials,
                 "the private key is not that of the authority " + authority.subject());
  }
  NewCertificate wanted;
  wanted.names = request.names();
  wanted.not_before = options.not_before.value_or(now(options.clock));
  wanted.not_after = wanted.not_before + options.lifetime;
  wanted.extended_key_usage = options.server ? "serverAuth" : "clientAuth";
  return build(wanted, key.impl().key.get(), authority.impl().x509.get(),
               authority_key.impl().key.get());
}

}  // namespace kube::certificate
