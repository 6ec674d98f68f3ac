// SPDX-License-Identifier: Apache-2.0
#include "openssl.hpp"

#include <array>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <openssl/err.h>

#include <kube/base/printable.hpp>

namespace kube::certificate {
namespace {

constexpr int kIpv4Bytes = 4;
constexpr int kIpv6Bytes = 16;

// The bytes of an address; empty for another text.
std::string address_bytes(const std::string& text) {
  std::array<char, kIpv6Bytes> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) {
    return {bytes.data(), kIpv4Bytes};
  }
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) {
    return {bytes.data(), kIpv6Bytes};
  }
  return {};
}

std::string text_of(const ASN1_STRING* string) {
  unsigned char* utf8 = nullptr;
  const int size = ASN1_STRING_to_UTF8(&utf8, string);
  if (size < 0) return {};
  std::string text(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size));
  OPENSSL_free(utf8);
  return text;
}

bool add_name(GENERAL_NAMES* names, int type, std::string_view bytes) {
  std::unique_ptr<GENERAL_NAME, FreeWith<GENERAL_NAME_free>> name(GENERAL_NAME_new());
  ASN1_STRING* value =
      ASN1_STRING_type_new(type == GEN_IPADD ? V_ASN1_OCTET_STRING : V_ASN1_IA5STRING);
  if (!name || value == nullptr) return false;
  ASN1_STRING_set(value, bytes.data(), static_cast<int>(bytes.size()));
  GENERAL_NAME_set0_value(name.get(), type, value);
  return sk_GENERAL_NAME_push(names, name.release()) > 0;
}

bool add_entry(X509_NAME* name, int nid, const std::string& value, int set) {
  // V_ASN1_UTF8STRING: as it is. MBSTRING_UTF8 would refuse names of nodes above 64 characters.
  return X509_NAME_add_entry_by_NID(name, nid, V_ASN1_UTF8STRING,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, set) == 1;
}

}  // namespace

Certificate make_certificate(X509Ptr x509) {
  return Certificate(std::make_shared<const Certificate::Impl>(Certificate::Impl{std::move(x509)}));
}
PublicKey make_public_key(KeyPtr key) {
  return PublicKey(std::make_shared<const PublicKey::Impl>(PublicKey::Impl{std::move(key)}));
}

std::string written(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string();
}

BioPtr memory() {
  return BioPtr(BIO_new(BIO_s_mem()));
}

Error openssl_error(std::string_view what) {
  const unsigned long code = ERR_get_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return {ErrorCode::Internal,
          std::string(what) + ": " + (reason != nullptr ? reason : "OpenSSL failed")};
}

void forget_openssl_errors() {
  ERR_clear_error();
}

std::string one_line(const X509_NAME* name) {
  const BioPtr bio = memory();
  // RFC 2253, but with UTF-8 as it is.
  X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  return written(bio.get());
}

std::vector<std::string> entries_of(const X509_NAME* name, int nid) {
  std::vector<std::string> values;
  for (int at = X509_NAME_get_index_by_NID(name, nid, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(name, nid, at)) {
    values.push_back(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at))));
  }
  return values;
}

bool set_name(X509_NAME* name, const std::string& common_name,
              const std::vector<std::string>& organizations) {
  int set = 0;
  for (const std::string& organization : organizations) {
    if (!add_entry(name, NID_organizationName, organization, std::exchange(set, -1))) return false;
  }
  return common_name.empty() || add_entry(name, NID_commonName, common_name, 0);
}

Result<NamesPtr> alternative_names(const std::vector<std::string>& dns_names,
                                   const std::vector<std::string>& ip_addresses) {
  NamesPtr names(sk_GENERAL_NAME_new_null());
  for (const std::string& name : dns_names) {
    if (!add_name(names.get(), GEN_DNS, name)) return openssl_error("cannot add a DNS name");
  }
  for (const std::string& text : ip_addresses) {
    const std::string bytes = address_bytes(text);
    if (bytes.empty()) {
      return Error(ErrorCode::InvalidArgument,
                   "\"" + printable(text) + "\" is not an IP address, such as 10.0.0.1 or fd00::1");
    }
    if (!add_name(names.get(), GEN_IPADD, bytes)) return openssl_error("cannot add an IP address");
  }
  return names;
}

std::vector<std::string> dns_names_of(const GENERAL_NAMES* names) {
  std::vector<std::string> found;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names); ++i) {
    int type = 0;
    const void* value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, i), &type);
    if (type == GEN_DNS) found.push_back(text_of(static_cast<const ASN1_STRING*>(value)));
  }
  return found;
}

std::vector<std::string> ip_addresses_of(const GENERAL_NAMES* names) {
  std::vector<std::string> found;
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names); ++i) {
    int type = 0;
    const auto* value = static_cast<const ASN1_STRING*>(
        GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names, i), &type));
    if (type != GEN_IPADD) continue;
    const int size = ASN1_STRING_length(value);
    if (size != kIpv4Bytes && size != kIpv6Bytes) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(size == kIpv4Bytes ? AF_INET : AF_INET6, ASN1_STRING_get0_data(value), text.data(),
              static_cast<socklen_t>(text.size()));
    found.emplace_back(text.data());
  }
  return found;
}

const EVP_MD* digest_for(EVP_PKEY* key) {
  const int bits = EVP_PKEY_get_bits(key);
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA:
      if (bits >= 4096) return EVP_sha512();
      return bits >= 3072 ? EVP_sha384() : EVP_sha256();
    case EVP_PKEY_EC:
      if (bits > 384) return EVP_sha512();
      return bits > 256 ? EVP_sha384() : EVP_sha256();
    default:
      return nullptr;
  }
}

}  // namespace kube::certificate
