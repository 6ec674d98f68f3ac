// SPDX-License-Identifier: Apache-2.0
//
// OpenSSL's objects behind the public handles, and what all files do with them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <kube/base/free_with.hpp>
#include <kube/base/result.hpp>
#include <kube/certificate/certificate.hpp>
#include <kube/certificate/key.hpp>
#include <kube/certificate/request.hpp>

namespace kube::certificate {

using BioPtr = std::unique_ptr<BIO, FreeWith<BIO_free_all>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeWith<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, FreeWith<X509_free>>;
using RequestPtr = std::unique_ptr<X509_REQ, FreeWith<X509_REQ_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, FreeWith<GENERAL_NAMES_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, FreeWith<X509_EXTENSION_free>>;

// Reading counts references and fills caches of OpenSSL, which lock; so several threads may.
struct Certificate::Impl {
  X509Ptr x509;
};
struct PublicKey::Impl {
  KeyPtr key;
};
struct PrivateKey::Impl {
  KeyPtr key;
};
struct Request::Impl {
  RequestPtr request;
};

Certificate make_certificate(X509Ptr x509);
PublicKey make_public_key(KeyPtr key);

/// What has been written to a BIO in memory.
std::string written(BIO* bio);
BioPtr memory();
/// Internal, "WHAT: reason of OpenSSL"; forgets the reason.
Error openssl_error(std::string_view what);
void forget_openssl_errors();

/// "CN=node,O=nodes"
std::string one_line(const X509_NAME* name);
/// The values of a name's entries of one kind.
std::vector<std::string> entries_of(const X509_NAME* name, int nid);
/// Common name and organizations; several organizations are one multi-valued entry, as Go's.
bool set_name(X509_NAME* name, const std::string& common_name,
              const std::vector<std::string>& organizations);

/// @par Errors   InvalidArgument: not an IP address.
Result<NamesPtr> alternative_names(const std::vector<std::string>& dns_names,
                                   const std::vector<std::string>& ip_addresses);
std::vector<std::string> dns_names_of(const GENERAL_NAMES* names);
std::vector<std::string> ip_addresses_of(const GENERAL_NAMES* names);

/// The hash that Go signs with; null for keys that need none.
const EVP_MD* digest_for(EVP_PKEY* key);

}  // namespace kube::certificate
